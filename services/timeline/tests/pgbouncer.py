"""PgBouncer in transaction mode before a PostgreSQL: each transaction may get another connection of the server."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote, urlsplit

from tarsy_processes.ports import free_port
from tarsy_testing.programs import required_program
from tarsy_testing.servers.local_program import HOST, listening

CONFIGURATION = """
[databases]
{name} = host={host} port={server_port} dbname={name} user={user} password='{password}'

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 4
# The next transaction of a client gets another connection than its last, where there are two.
server_round_robin = 1
"""


@contextmanager
def pgbouncer_before(url: str, folder: Path) -> Iterator[str]:
    """The URL of the same database through PgBouncer. Skips the test where there is none."""
    program, port, server = required_program("pgbouncer"), free_port(), urlsplit(url)
    name, password = server.path.lstrip("/"), unquote(server.password or "")
    places = {"host": server.hostname, "server_port": server.port or 5432, "port": port}
    login = {"name": name, "user": server.username, "password": password.replace("'", "''")}
    file = folder / "pgbouncer.ini"
    file.write_text(CONFIGURATION.format(**places, **login), "utf-8")
    # It refuses to work as root, and reads the file before it becomes somebody else.
    user = ["-u", "nobody"] if os.geteuid() == 0 else []
    with listening([program, *user, file], port, folder / "pgbouncer.log"):
        yield f"postgresql://{server.username}@{HOST}:{port}/{name}"
