"""A real nginx: with the configuration of the chart's front door, of the Compose file's, or of a page of the manual."""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tarsy_testing.programs import required_program
from tarsy_testing.servers.local_program import HOST, listening

ROOT = Path(__file__).resolve().parent.parent.parent.parent
COMPOSE = ROOT / "deploy" / "compose"
MAIN = """
worker_processes 1;
pid {folder}/nginx.pid;
error_log stderr warn;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/client_body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/etc/nginx/conf.d/*.conf;
}}
"""


@contextmanager
def nginx(configuration: str, folder: Path, port: int) -> Iterator[None]:
    """With a whole configuration, which listens on that port."""
    program, file = required_program("nginx"), folder / "nginx.conf"
    file.write_text(configuration, "utf-8")
    with listening([program, "-c", file, "-g", "daemon off;"], port, folder / "nginx.log"):
        yield


@contextmanager
def nginx_with(part: str, folder: Path, port: int) -> Iterator[None]:
    """With what stands in `http`."""
    _main(folder)
    (folder / "etc/nginx/conf.d/part.conf").write_text(part, "utf-8")
    with nginx(MAIN.format(folder=folder), folder, port):
        yield


@contextmanager
def compose_front_door(
    folder: Path, port: int, services: Mapping[str, int], environment: Mapping[str, str]
) -> Iterator[None]:
    """As docker-compose.yml starts it. `services`: where each answers; `environment`: its variables."""
    required_program("nginx")
    main, ours = _main(folder), folder / "etc/tarsy"
    ours.mkdir()
    configuration = (COMPOSE / "front-door.conf").read_text("utf-8").replace("listen 8080", f"listen {HOST}:{port}")
    for name, behind in services.items():
        configuration = configuration.replace(f"http://{name}:8080", f"http://{HOST}:{behind}")
    (ours / "front-door.conf").write_text(configuration, "utf-8")
    script = (COMPOSE / "front-door.sh").read_text("utf-8").replace("exec nginx", f"exec nginx -c {main}")
    (ours / "front-door.sh").write_text(re.sub(r"(?<= )/etc/", f"{folder}/etc/", script), "utf-8")
    with listening(["/bin/sh", ours / "front-door.sh"], port, folder / "nginx.log", {**os.environ, **environment}):
        yield


def _main(folder: Path) -> Path:
    (folder / "etc/nginx/conf.d").mkdir(parents=True)
    file = folder / "etc/nginx/nginx.conf"
    file.write_text(MAIN.format(folder=folder), "utf-8")
    return file
