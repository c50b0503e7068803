"""Logs of databases and brokers: PostgreSQL, Redis and Kafka."""

import random
from datetime import datetime

from .log_layout import Kinds, PlantedLog, plant
from .templates import fill, weighted

__all__ = ["kafka", "postgresql", "redis"]


def _with_thousandths(at: datetime) -> str:
    return at.isoformat(" ", "milliseconds")[:23]


def _pg(rest: str, who: str = "shop@shop") -> str:
    """A template of a line with the prefix '%m [%p] %u@%d '."""
    return f"<t> UTC [<pid=21000-29900>] {who} {rest}"


_SLOW = "LOG:  duration: <~240/3> ms  "
_POSTGRES = weighted(
    (12, _pg("LOG:  connection received: host=10.3.<1-4>.<2-250> port=<32000-60000>", "[unknown]@[unknown]")),
    (12, _pg("LOG:  connection authorized: user=shop database=shop application_name=<web|worker|api>")),
    (12, _pg("LOG:  disconnection: session time: 0:<10-59>:<10-59>.<100-999> user=shop database=shop host=10.3.<1-4>.9"
             " port=<32000-60000>")),
    (9, _pg(_SLOW + "execute <S_2|S_4|S_9>: SELECT o.id, o.total FROM orders o WHERE o.customer_id = $1 ORDER BY "
                    "o.created_at DESC LIMIT 20")),
    (7, _pg(_SLOW + "execute S_<1-30>: UPDATE carts SET touched_at = now() WHERE id = $1")),
    (4, _pg(_SLOW + "statement: SELECT count(*) FROM events WHERE kind = '<view|add|pay>' AND at > now() - "
         "'1h'::interval",
            "report@shop")),
    (3, "<t> UTC [712] LOG:  checkpoint starting: time"),
    (3, "<t> UTC [712] LOG:  checkpoint complete: wrote <~3900> buffers (<2-9>.<0-9>%); 0 WAL file(s) added, 0 "
         "removed, "
        "<1-9> recycled; write=<200-269>.<100-999> s, sync=0.0<10-99> s, total=27<0-9>.<100-999> s"),
    (3, '<t> UTC [<pid=21000-29900>] LOG:  automatic vacuum of table "shop.public.<carts|sessions|events>": index '
         'scans: '
        "1, elapsed: <1-40>.<10-99> s"),
    (2.5, _pg("ERROR:  duplicate key value violates unique constraint \"events_dedup_key\"\n"
              "<t> UTC [<=pid>] shop@shop DETAIL:  Key (source, key)=(web, <hex12>) already exists.\n"
              "<t> UTC [<=pid>] shop@shop STATEMENT:  INSERT INTO events (source, key, body) VALUES ($1, $2, $3)")),
    (0.6, _pg("LOG:  could not receive data from client: Connection reset by peer")),
    (0.4, _pg("FATAL:  password authentication failed for user \"grafana\"", "grafana@shop")),
    (0.3, _pg("WARNING:  there is no transaction in progress", "worker@shop")),
    (0.3, _pg("LOG:  temporary file: path \"base/pgsql_tmp/pgsql_tmp<=pid>.0\", size <~41000000>", "report@shop")),
    (0.08, _pg("LOG:  statement: CREATE TABLE events_p<20260-20299> PARTITION OF events FOR VALUES FROM (<100-499>) TO "
               "(<500-900>)", "migrate@shop")),
    (0.06, _pg("LOG:  statement: CREATE INDEX CONCURRENTLY idx_<id5>_at ON <carts|sessions> (touched_at)",
         "migrate@shop")),
    (0.05, '<t> UTC [701] LOG:  received SIGHUP, reloading configuration files\n<t> UTC [701] LOG:  parameter '
           '"log_min_duration_statement" changed to "<150-250>ms"'),
)  # fmt: skip


def postgresql(count: int, drawn: random.Random) -> PlantedLog:
    """A server log in which a migration drops the index that the orders of a customer are found by."""
    point = fill(_pg("LOG:  statement: DROP INDEX CONCURRENTLY idx_orders_customer_id_created_at", "migrate@shop"))
    orders = "SELECT o.id, o.total FROM orders o WHERE o.customer_id = $1 ORDER BY o.created_at DESC LIMIT 20"
    later = weighted(
        (22, _pg(f"LOG:  duration: <~5200/3> ms  execute <S_2|S_4|S_9>: {orders}")),
        (4, _pg("LOG:  process <=pid> still waiting for ShareLock on transaction <n+88123000> after 1000.<100-199> "
             "ms")),
        (2, _pg("ERROR:  canceling statement due to statement timeout\n"
                f"<t> UTC [<=pid>] shop@shop STATEMENT:  {orders}")),
        (1, _pg("FATAL:  remaining connection slots are reserved for roles with the SUPERUSER attribute")),
    )  # fmt: skip
    kept = [*_POSTGRES[:3], *_POSTGRES[4:]]
    return plant("postgresql", _POSTGRES, [point], [*kept, *later], count, drawn, _with_thousandths, gradual=False)


def _redis(role: str) -> Kinds:
    """The ordinary entries of a Redis server, which begin with its process, role and time."""
    main, child = f"1:{role} <t> ", "<n+4100>:C <t> "
    return weighted(
        (16, main + "- DB 0: <~812000> keys (<~640000> volatile) in 1048576 slots HT."),
        (16, main + "- <~410> clients connected (<1-2> replicas), <~2100000000> bytes in use"),
        (14, main + "- Accepted 10.8.<1-6>.<2-250>:<32000-60000>"),
        (12, main + "- Client closed connection id=<n+730000> addr=10.8.<1-6>.<2-250>:<32000-60000> fd=<9-900> name= "
                    "age=<2-9000> idle=<0-300> flags=N db=0 cmd=<get|setex|hgetall|evalsha|mget> user=default"),
        (3, main + "* 10000 changes in 60 seconds. Saving...\n" + main + "* Background saving started by pid <n+4100>"),
        (3, child + "* DB saved on disk\n" + child + "* Fork CoW for RDB: current <20-90> MB, peak <91-140> MB, "
             "average "
                    "<30-80> MB"),
        (3, main + "* Background saving terminated with success"),
        (2, main + "- Slow script detected: still in execution after <5001-5900> milliseconds."),
        (1, main + "# Possible SECURITY ATTACK detected. It looks like somebody is sending POST or Host: commands to "
                   "Redis. Connection from 10.8.9.4:<32000-60000> aborted."),
        (1, main + "# Client id=<n+730000> addr=10.8.2.<2-250>:<32000-60000> scheduled to be closed ASAP for "
             "overcoming "
                   "of output buffer limits."),
        (0.4, main + "* Starting automatic rewriting of AOF on 1<10-40>% growth"),
        (0.4, main + "* Asynchronous AOF fsync is taking too long (disk is busy?). Writing the AOF buffer without "
                     "waiting for fsync to complete, this may slow down Redis."),
        (0.1, main + "* Replica 10.8.0.<21-23>:6379 asks for synchronization"),
    )  # fmt: skip


def redis(count: int, drawn: random.Random) -> PlantedLog:
    """A server log in which the master is turned into a replica by someone; writes to it then get nowhere."""
    points = (
        fill("1:S <t> * Before turning into a replica, using my own master parameters to synthesize a cached master: I "
             "may be able to synchronize with the new master with just a partial transfer."),
        fill("1:S <t> * REPLICAOF 10.8.0.22:6379 enabled (user request from 'id=<800000-899999> addr=10.8.9.17:41822 "
             "laddr=10.8.0.21:6379 fd=61 name=sentinel-3f cmd=exec user=default')"),
    )  # fmt: skip
    later = weighted(
        (4, "1:S <t> * Connecting to MASTER 10.8.0.22:6379\n1:S <t> * MASTER <-> REPLICA sync started"),
        (4, "1:S <t> * Full resync from master: <hex32><hex8>:<n+99120000>"),
        (4, "1:S <t> * MASTER <-> REPLICA sync: receiving <~90000000> bytes from master to disk"),
        (2, "1:S <t> * MASTER <-> REPLICA sync: Flushing old data\n1:S <t> * MASTER <-> REPLICA sync: Loading DB in "
             "memory"),
        (2, "1:S <t> * MASTER <-> REPLICA sync: Finished with success"),
        (16, "1:S <t> - Client closed connection id=<n+730000> addr=10.8.<1-6>.<2-250>:<32000-60000> fd=<9-900> name= "
             "age=<0-1> idle=0 flags=N db=0 cmd=<setex|hset|incrby> user=default"),
    )  # fmt: skip
    return plant(
        "redis",
        _redis("M"),
        points,
        [*_redis("S"), *later],
        count,
        drawn,
        lambda at: f"{at:%d %b %Y %H:%M:%S}.{at.microsecond // 1000:03}",
        gradual=False,
    )


def _kafka(rest: str, logger: str, level: str = "INFO") -> str:
    prefix = "" if logger.startswith(("org.", "state.")) else "kafka."
    return f"[<t>] {level} {rest} ({prefix}{logger})"


_TOPIC = "<orders.events|orders.events|payments.ledger|clicks|mail.outbox>-<0-11>"
_KAFKA = weighted(
    (18, _kafka(f"[ProducerStateManager partition={_TOPIC}] Wrote producer snapshot at offset <n+48120000> with <1-40> "
                "producer ids in <1-9> ms.", "log.ProducerStateManager")),
    (18, _kafka(f"[LocalLog partition={_TOPIC}, dir=/var/kafka/data] Rolled new log segment at offset <n+48120000> in "
                "<1-12> ms.", "log.LocalLog")),
    (12, _kafka("[GroupCoordinator 2]: Preparing to rebalance group <billing|mailer|search-index> in state "
                "PreparingRebalance with old generation <40-900> (__consumer_offsets-<0-49>) (reason: Adding new "
                "member "
                "consumer-<hex8> with group instance id None)", "coordinator.group.GroupCoordinator")),
    (12, _kafka("[GroupCoordinator 2]: Stabilized group <billing|mailer|search-index> generation <40-900> "
                "(__consumer_offsets-<0-49>) with <2-12> members", "coordinator.group.GroupCoordinator")),
    (8, _kafka("[Log partition=clicks-<0-11>, dir=/var/kafka/data] Deleting segment "
         "LogSegment(baseOffset=<n+48000000>, "
               "size=<~1073000000>) due to retention time 86400000ms breach based on the largest record timestamp in "
               "the segment", "log.UnifiedLog")),
    (6, _kafka("[Partition payments.ledger-<0-11> broker=2] Shrinking ISR from 1,2,3 to 2,3. Leader: (highWatermark: "
               "<n+9000>, endOffset: <n+9009>).", "cluster.Partition")),
    (6, _kafka("[Partition payments.ledger-<0-11> broker=2] Expanding ISR from 2,3 to 1,2,3", "cluster.Partition")),
    (4, _kafka("[GroupMetadataManager brokerId=2] Removed <0-9> expired offsets in <0-3> milliseconds.",
               "coordinator.group.GroupMetadataManager")),
    (3, _kafka("[SocketServer listenerType=BROKER, nodeId=2] Failed authentication with /10.5.<1-3>.<2-250> (channelId="
               "10.5.0.2:9093-10.5.1.8:<32000-60000>-<1-900>) (SSL handshake failed)",
               "org.apache.kafka.common.network.Selector")),
    (2, _kafka("[ReplicaFetcher replicaId=2, leaderId=<1|3>, fetcherId=0] Error sending fetch request (sessionId="
               "<100000-999999>, epoch=<1-90>) to node <1|3>: DisconnectException", "server.ReplicaFetcher", "WARN")),
    (0.3, _kafka("[Broker id=2] Leader mail.outbox-<0-11> with topic id Some(<id7>) starts at leader epoch <2-9> from "
                 "offset <n+700>", "state.change.logger")),
    (0.2, _kafka("[DynamicConfigPublisher broker id=2] Updating topic <clicks|mail.outbox> with new configuration : "
                  "<max.message.bytes=2097152|segment.bytes=536870912>",
                  "server.metadata.DynamicConfigPublisher")),
)  # fmt: skip


def kafka(count: int, drawn: random.Random) -> PlantedLog:
    """A broker log in which the retention of a topic becomes a minute, so that consumers find their offsets gone."""
    point = fill(_kafka("[DynamicConfigPublisher broker id=2] Updating topic orders.events with new configuration : "
                        "retention.ms=60000", "server.metadata.DynamicConfigPublisher"))  # fmt: skip
    log = "[UnifiedLog partition=orders.events-<0-11>, dir=/var/kafka/data]"
    later = weighted(
        (14, _kafka(f"{log} Deleting segment LogSegment(baseOffset=<n+48000000>, size=<~90000000>) due to retention "
             f"time "
                    "60000ms breach based on the largest record timestamp in the segment", "log.UnifiedLog")),
        (9, _kafka(f"{log} Incremented log start offset to <n+48100000> due to segment deletion", "log.UnifiedLog")),
        (4, _kafka("[GroupCoordinator 2]: Member consumer-<hex8> in group <billing|search-index> has failed, "
             "removing it "
                   "from the group", "coordinator.group.GroupCoordinator")),
    )  # fmt: skip
    return plant(
        "kafka", _KAFKA, [point], [*_KAFKA, *later], count, drawn, lambda at: _with_thousandths(at).replace(".", ",")
    )
