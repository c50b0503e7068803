"""The checks of the doctor, in one table: the order is that of the report."""

from collections.abc import Mapping

from tarsy_cli.doctor.clock import check_clock
from tarsy_cli.doctor.configuration import check_configuration
from tarsy_cli.doctor.database import check_database
from tarsy_cli.doctor.disk import check_disk
from tarsy_cli.doctor.heads import check_heads
from tarsy_cli.doctor.hops import check_hops
from tarsy_cli.doctor.kafka import check_kafka, check_rights, check_topics
from tarsy_cli.doctor.models import check_models
from tarsy_cli.doctor.runner import LimitedCheck
from tarsy_cli.doctor.running import check_page, check_servers
from tarsy_cli.doctor.variables import check_variables

CHECKS: Mapping[str, LimitedCheck] = {
    "configuration": LimitedCheck(check_configuration, 20),
    "variables": LimitedCheck(check_variables, 20),
    "kafka": LimitedCheck(check_kafka, 40),
    "topics": LimitedCheck(check_topics, 40),
    "rights": LimitedCheck(check_rights, 30),
    "heads": LimitedCheck(check_heads, 60),
    "database": LimitedCheck(check_database, 20),
    "clock": LimitedCheck(check_clock, 20),
    "disk": LimitedCheck(check_disk, 10),
    "models": LimitedCheck(check_models, 60),
    "servers": LimitedCheck(check_servers, 20),
    "page": LimitedCheck(check_page, 20),
    "hops": LimitedCheck(check_hops, 20),
}
