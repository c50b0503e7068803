"""`links`: addresses of other systems, checked whole at the start."""

from pathlib import Path

import pytest

from tarsy_config.config import Config
from tarsy_config.errors import InvalidConfigError
from tarsy_config.loading.load import load_config

REST = """\
llm_providers: {s: {type: scripted, script: s.yaml}}
defaults: {llm_provider: s}
"""


def load(folder: Path, links: str) -> Config:
    (folder / "s.yaml").write_text("[]", "utf-8")
    (folder / "tarsy.yaml").write_text(f"{REST}links:\n  Grafana: {{{links}}}\n", "utf-8")
    return load_config(folder, {"GRAFANA": "https://grafana.example.com"})


def test_a_link_has_places_for_what_is_known_of_a_session(tmp_path: Path) -> None:
    url = "{{.GRAFANA}}/d/pods?ns={namespace}&pod={label.pod}&from={from_ms}"
    link = load(tmp_path, f'url: "{url}", before: 1h').links["Grafana"]

    assert link.url == "https://grafana.example.com/d/pods?ns={namespace}&pod={label.pod}&from={from_ms}"
    assert (link.before, link.after) == (3600.0, 600.0)


@pytest.mark.parametrize(
    ("url", "mistake"),
    [
        ("javascript:alert({namespace})", "is not an address"),
        ("data:text/html,{namespace}", "is not an address"),
        ("https://{cluster}.example.com/", "has a place in its host"),
        ("https://me:secret@grafana.example.com/", "holds a user or password"),
        ("https://g.test/{namespaces}", "has no {namespaces}"),
        ("https://g.test/{label.}", "has no {label.}"),
        ("https://g.test/?left={", "has a brace that ends nowhere"),
        ("https://g.test/a b", "or a space"),
        (f"https://g.test/{'x' * 4000}", "is too long"),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, url: str, mistake: str) -> None:
    with pytest.raises(InvalidConfigError) as caught:
        load(tmp_path, f'url: "{url}"')

    assert "tarsy.yaml:4: links.Grafana.url" in str(caught.value)
    assert mistake in str(caught.value)
