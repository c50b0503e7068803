"""Message about a Kafka that cannot be used."""


def kafka_sentence(kafka: str, problem: BaseException) -> str:
    reason = str(problem) or type(problem).__name__
    return (
        f"Kafka at {kafka} cannot be used ({reason}): it has to be HOST:PORT of a listener that is secured as "
        "TARSY_KAFKA_SECURITY_PROTOCOL says, and the addresses that its brokers advertise have to be reachable from "
        "here."
    )
