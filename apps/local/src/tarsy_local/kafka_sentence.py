"""Message about a Kafka that cannot be used."""

from tarsy_bus.topics.cluster_topics import TopicsUnavailableError


def kafka_sentence(kafka: str, problem: BaseException) -> str:
    if isinstance(problem, TopicsUnavailableError):
        return f"Kafka at {kafka} cannot serve all topics now ({problem}): see whether all of its brokers run."
    reason = str(problem) or type(problem).__name__
    return (
        f"Kafka at {kafka} cannot be used ({reason}): it has to be HOST:PORT of a listener that is secured as "
        "TARSY_KAFKA_SECURITY_PROTOCOL says, and the addresses that its brokers advertise have to be reachable from "
        "here."
    )
