"""`links`: addresses of other systems that the page offers beside a session, by name (docs/how-to/links.md)."""

import re

from pydantic import field_validator

from tarsy_config.values import Name, Seconds, Section, web_address, wrong

FACTS = ("cluster", "namespace", "workload", "alert_type", "severity", "session_id")
TIMES = ("from", "to", "from_ms", "to_ms", "from_s", "to_s")
LABEL = re.compile(r"label\.[A-Za-z_][A-Za-z0-9_.-]*")
PLACE = re.compile(r"\{([^{}]*)\}")
MOST_LINKS = 30
LONGEST = 4_000


class LinkConfig(Section):
    """`url`: with places in braces for what is known of a session. `before` and `after`: how far its span of time goes
    beyond the session's own."""

    url: Name
    before: Seconds = 1800.0
    after: Seconds = 600.0

    @field_validator("url")
    @classmethod
    def _require_template(cls, value: str) -> str:
        host = web_address(value, "write it as https://grafana.example.com/d/pods?var-namespace={namespace}").netloc
        if len(value) > LONGEST:
            raise wrong("is too long", f"use at most {LONGEST} characters")
        if "@" in host:
            raise wrong("holds a user or password", "let people log in where the link leads")
        if PLACE.search(host) or re.search(r"\s", value):
            raise wrong("has a place in its host, or a space", "write the host itself, and a space as %20")
        for name in PLACE.findall(value):
            if name not in (*FACTS, *TIMES) and LABEL.fullmatch(name) is None:
                names = ", ".join((*FACTS, *TIMES))
                raise wrong(f"has no {{{name}}}", f"use one of {names}, or label.NAME")
        if re.search(r"[{}]", PLACE.sub("", value)):
            raise wrong("has a brace that ends nowhere", "write %7B and %7D where braces are meant as text")
        return value
