"""`tarsy topics show` and `tarsy topics acls`: they print, and ask no cluster."""

from typing import Annotated, Literal

import typer

from tarsy_bus.topics.kafka_rights import PRINCIPAL_PREFIX, USERS
from tarsy_cli.console.terminal import fail
from tarsy_cli.kafka.acl_commands import Grant, acl_commands, acl_json
from tarsy_cli.kafka.strimzi_choices import ApiVersion, Authentication
from tarsy_cli.options import USAGE
from tarsy_contracts.wire.topics import LOG_PARTITIONS, Topics

THREE_COPIES = 3

PrefixOption = Annotated[str, typer.Option(envvar="TARSY_TOPIC_PREFIX", help="how the names begin")]
ClusterOption = Annotated[str, typer.Option("--cluster", help="for strimzi: the name of its Kafka resource")]
ApiOption = Annotated[
    ApiVersion, typer.Option("--strimzi-api", help="for strimzi: v1beta2 where it is older than 0.49")
]


def show(
    prefix: PrefixOption = "tarsy",
    output: Annotated[Literal["table", "strimzi"], typer.Option(help="a table, or resources of Strimzi")] = "table",
    partitions: Annotated[int, typer.Option(min=1, max=1_000, help="of inbox, log and heads")] = LOG_PARTITIONS,
    replication: Annotated[int, typer.Option(min=1, help="copies of each partition")] = THREE_COPIES,
    cluster: ClusterOption = "kafka",
    strimzi_api: ApiOption = "v1",
) -> None:
    """Print the topics as `tarsy topics apply` would make them. It asks no cluster and changes nothing."""
    topics = Topics(prefix).all(partitions)
    if output == "strimzi":
        from tarsy_cli.kafka.strimzi import as_yaml, topic_resources

        resources = topic_resources(topics, cluster=cluster, copies=replication, version=strimzi_api)
        typer.echo(as_yaml(resources), nl=False)
        return
    for topic in topics:
        settings = " ".join(f"{name}={value}" for name, value in topic.settings(replication).items())
        typer.echo(f"{topic.name}  partitions={topic.partitions} replicas={replication} {settings}")


def acls(
    prefix: PrefixOption = "tarsy",
    service: Annotated[str, typer.Option(help=f"only this one: {', '.join(USERS)}")] = "",
    principal_prefix: Annotated[
        str, typer.Option(help="how the principals begin; the name of the service follows")
    ] = PRINCIPAL_PREFIX,
    output: Annotated[
        Literal["kafka-acls", "strimzi", "json"], typer.Option(help="commands, resources of Strimzi, or JSON")
    ] = "kafka-acls",
    kafka: Annotated[str, typer.Option(envvar="TARSY_KAFKA", help="for kafka-acls: bootstrap servers")] = "HOST:PORT",
    command_config: Annotated[str, typer.Option(help="for kafka-acls: its file with how to connect")] = "",
    cluster: ClusterOption = "kafka",
    authentication: Annotated[Authentication, typer.Option(help="for strimzi: how the users log in")] = "scram-sha-512",
    strimzi_api: ApiOption = "v1",
) -> None:
    """Print the least rights on Kafka that each service needs, and others. It asks no cluster and changes nothing."""
    if service and service not in USERS:
        raise fail(f"There is no {service}: --service is one of {', '.join(USERS)}.", code=USAGE)
    users = [USERS[service]] if service else [user for user in USERS.values() if not user.is_union]
    grants: list[Grant] = [(user, f"{principal_prefix}{user.name}") for user in users]
    topics = Topics(prefix)
    match output:
        case "kafka-acls":
            config = ["--command-config", command_config] if command_config else []
            typer.echo("\n".join(acl_commands(grants, topics, ["--bootstrap-server", kafka, *config])))
        case "strimzi":
            from tarsy_cli.kafka.strimzi import as_yaml, user_resources

            resources = user_resources(
                grants, topics, cluster=cluster, authentication=authentication, version=strimzi_api
            )
            typer.echo(as_yaml(resources), nl=False)
        case "json":
            typer.echo(acl_json(grants, topics))
