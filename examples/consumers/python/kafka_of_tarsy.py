"""Connection to Kafka: the one that TARSY_KAFKA names, or that of the `tarsy up` of this folder."""

import os
from pathlib import Path

from faststream.kafka import KafkaBroker
from faststream.security import SASLPlaintext

TOPIC = f"{os.environ.get('TARSY_TOPIC_PREFIX', 'tarsy')}.events"
KCAT_FILE = Path(os.environ.get("TARSY_HOME", ".tarsy"), "kafka", "kcat.conf")


def connect() -> KafkaBroker:
    if "TARSY_KAFKA" in os.environ or not KCAT_FILE.exists():
        return KafkaBroker(os.environ.get("TARSY_KAFKA", "127.0.0.1:9092"))
    own = dict(line.split("=", 1) for line in KCAT_FILE.read_text("utf-8").splitlines())
    password = SASLPlaintext(username=own["sasl.username"], password=own["sasl.password"])
    return KafkaBroker(own["bootstrap.servers"], security=password)
