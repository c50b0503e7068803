"""Rows of who watches live, and of what must not stand still meanwhile: `run.py live`, about 12 minutes."""

from table import BenchmarkRow, Limit


def _in(seconds: float, clients: int) -> tuple[Limit, ...]:
    """One of them is stalled and is not waited for."""
    return (
        Limit("subscribed", r"^subscribed: (\d+) of", least=clients),
        Limit("all in, s", r"all after ([\d.]+) s", most=seconds),
    )


def _late(p99: float) -> Limit:
    return Limit("p99, ms", r"^token to client: .*p99 ([\d.]+) ms", most=p99)


WATCHED = ("yardstick", "subscribed", "token to client", "CPU while")
LIVE_ROWS = (
    BenchmarkRow(
        "masking, dense",
        ">= 5 MB/s",
        ("masking.py", "--quick", "--dense"),
        ("logs",),
        (Limit("MB/s", r"^logs, .*in 200 bytes.*default rules ([\d.]+)", least=5),),
    ),
    BenchmarkRow(
        "list and search",
        "p50 of a list <= 10 ms, of a search <= 20 ms",
        ("search.py", "--sessions", "1250"),
        ("list, first", "search, "),
        (
            Limit("list, ms", r"^list, first page: p50 ([\d.]+)", most=10),
            Limit("search, ms", r"^search, .*: p50 ([\d.]+)", most=20),
        ),
    ),
    BenchmarkRow(
        "300 clients, one process", "in 0.5 s, p99 < 100 ms", ("crowd.py",), WATCHED, (*_in(0.5, 300), _late(100))
    ),
    BenchmarkRow(
        "300 clients, processes",
        "in 0.5 s, p99 < 100 ms",
        ("crowd.py", "--mode", "processes"),
        WATCHED,
        (*_in(0.5, 300), _late(100)),
    ),
    BenchmarkRow(
        "1,000 clients",
        "in 1 s, p99 < 250 ms",
        ("watching_clients.py", "--sessions", "20", "--clients", "1000", "--stalled", "1"),
        WATCHED,
        (*_in(1, 999), _late(250)),
    ),
    BenchmarkRow(
        "tokens",
        "p50 <= 20 ms, p99 <= 45 ms",
        ("token_latency.py", "--seconds", "4"),
        (),
        (Limit("p50, ms", r"^[^ ].*: p50 ([\d.]+)", most=20), Limit("p99, ms", r"^[^ ].*p99 ([\d.]+)", most=45)),
    ),
    BenchmarkRow(
        "iteration",
        "p50 <= 15 ms, p99 <= 40 ms",
        ("iteration_overhead.py", "--at-once", "1"),
        ("CPU of an iteration", "  answer to next question"),
        (
            Limit("p50, ms", r"next question: p50 ([\d.]+)", most=15),
            Limit("p99, ms", r"question: .*p99 ([\d.]+)", most=40),
        ),
    ),
    BenchmarkRow(
        "1,000 sessions, processes",
        "<= 0.45 of the peer's time, CPU <= 0.4",
        ("sessions_at_once.py",),
        ("1000 of 1000", "all "),
    ),
    BenchmarkRow(
        "1,000 sessions, one process",
        "<= 0.6 of the peer's time",
        ("sessions_in_one_process.py",),
        ("the API shows", "all "),
    ),
    BenchmarkRow(
        "alerts, one process",
        ">= 0.9 of the peer's",
        ("accepting.py", "--mode", "one", "--seconds", "15", "--unwatched"),
        ("one, ", "p50"),
    ),
    BenchmarkRow(
        "alerts, processes",
        ">= 1.5 of the peer's",
        ("accepting.py", "--seconds", "15", "--unwatched"),
        ("processes, ", "p50"),
    ),
    BenchmarkRow(
        "kill -9 of everything",
        "next question p99 <= 8 s",
        ("kill_all.py",),
        (),
        (Limit("p99, s", r"p99 ([\d.]+) s", most=8),),
    ),
)
