"""Values: what is wrong is refused, and told."""

import pytest

from tarsy_testing.chart import CHART, at, container_of, of_kind, pods_of, services_of, template, variables_of_container


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("--set=ingestt.replicas=3", "ingestt"),
        ("--set=ingest.replica=3", "replica"),
        ("--set=ingest.replicas=0", "replicas"),
        ("--set=toolGateway.autoscaling.minReplicas=0", "minReplicas"),
        ("--set=kafka.securityProtocol=TLS", "securityProtocol"),
        ("--set=kafka.sasl.password=secret", "password"),
        ("--set=toolGateway.kafka.bootstrapServers=other", "bootstrapServers"),
        ("--set=settings.TARSY_LOG_LEVLE=DEBUG", "TARSY_LOG_LEVLE"),
        ("--set=settings.TARSY_TRACE_RATIO=2", "TARSY_TRACE_RATIO"),
        ("--set=ingest.settings.TARSY_SUMMARIES_AT_ONCE=2", "TARSY_SUMMARIES_AT_ONCE"),
        ("--set=summarizer.settings.TARSY_SUMMARIES_AT_ONCE=many", "TARSY_SUMMARIES_AT_ONCE"),
        ("--set=models.keys.GOOGLE_API_KEY=in-the-clear", "GOOGLE_API_KEY"),
        ("--set=http.host=127.0.0.1", "host"),
        ("--set=settings.TARSY_AUTH_FILE=/etc/auth.yaml", "TARSY_AUTH_FILE"),
        ("--set=settings.TARSY_OPEN_ACCESS=yes", "TARSY_OPEN_ACCESS"),
        ("--set=metrics.job=other", "job"),
        ("--set=image.digest=latest", "digest"),
        ("--set=slack.reviewChannels={alerts}", "reviewChannels"),
    ],
)
def test_a_wrong_value_is_refused_by_its_name(value: str, told: str) -> None:
    done = template("default", value)
    assert done.returncode != 0
    assert "don't meet the specifications of the schema" in done.stderr
    assert told in done.stderr


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("--set=database.secret=", "database.secret must be set"),
        ("--set=openAccess=false", "auth.secret must be set: the name of a Secret with auth.yaml"),
        ("--set=openAccess=false", "or openAccess: true, if whoever reaches the pods may do everything"),
        ("--set=auth.secret=tarsy-auth", "auth.secret and openAccess contradict each other"),
        ("--set=config.files=null", "config.files or config.existingConfigMap must be set"),
        ("--set=toolGateway.drainSeconds=71", "toolGateway.shutdownSeconds must be at least 5 more"),
        ("--set=slack.reviewChannels={C012}", "slack.signingSecret.secret must be set"),
        ("--set=slack.signingSecret.secret=app", "slack.reviewChannels is not: nobody could review"),
        ("--set=networkPolicy.egress.enabled=true", "networkPolicy.egress.kafka must be set"),
    ],
)
def test_values_that_do_not_fit_each_other_are_told_in_a_sentence(value: str, told: str) -> None:
    done = template("default", value)
    assert done.returncode != 0
    assert told in done.stderr


def test_tokens_need_an_authentication_of_ones_own_for_keda() -> None:
    done = template("everything", "--set=keda.authentication=")
    assert "keda.authentication must be set" in done.stderr


def test_numbers_truth_values_and_lists_reach_a_service_as_it_reads_them() -> None:
    pods = dict(pods_of("everything"))
    assert variables_of_container(pods["summarizer"])["TARSY_SUMMARY_INPUT_BYTES"] == "2000000"
    assert variables_of_container(pods["summarizer"])["TARSY_TRACE_READS"] == "true"
    assert variables_of_container(pods["summarizer"])["TARSY_TRACE_RATIO"] == "0.1"
    assert variables_of_container(pods["websocket-gateway"])["TARSY_ALLOWED_ORIGINS"] == '["https://portal.example"]'


def test_who_is_scaled_by_others_has_no_number_of_pods() -> None:
    found = {name: "replicas" in one["spec"] for name, one in services_of("everything").items()}  # type: ignore[operator]
    assert found == {
        "ingest": False,
        "orchestrator": True,
        "tool-gateway": False,
        "summarizer": False,
        "timeline": True,
        "websocket-gateway": False,
        "notifier": True,
    }


def test_the_small_values_leave_room_for_jobs_and_tests_on_two_cores() -> None:
    """Every pod once, a surge of each, both Jobs and the check: what is there at once in an upgrade at the most."""
    small = f"--values={CHART / 'small-values.yaml'}"
    pods = [container_of(pod) for _, pod in pods_of("default", small)]
    assert {at(one, "spec.replicas", int) for one in of_kind("default", "Deployment", small).values()} == {1}
    cpu = sum(int(at(pod, "resources.requests.cpu", str).removesuffix("m")) for pod in pods)
    memory = sum(int(at(pod, "resources.requests.memory", str).removesuffix("Mi")) for pod in pods)
    assert 2 * cpu < 1_000
    assert 2 * memory < 3_072
