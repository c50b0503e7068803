"""Which addresses a runbook may have: one reading of them, and a list that means what it says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarsy_contracts.runbook_urls import (
    RunbookUrlRefusedError,
    is_listed_by_name,
    read_runbook_url,
    require_allowed_runbook_url,
)

LIST = ("github.com", ".example.org", "wiki.corp:8443", ".deep.corp:8443", "127.0.0.1:8080", "[::1]:8080")


def is_allowed(url: str) -> bool:
    try:
        require_allowed_runbook_url(url, LIST)
    except RunbookUrlRefusedError:
        return False
    return True


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/acme/books/blob/main/x.md",
        "http://github.com",
        "https://GitHub.com:443/x",
        "http://github.com:80/x",
        "HTTPS://github.com/x",
        "https://github.com/x@v2/y",
        "https://a.example.org/x",
        "https://a.b.example.org/x",
        "https://wiki.corp:8443/x",
        "https://a.deep.corp:8443/x",
        "http://127.0.0.1:8080/x",
        "http://[0:0::1]:8080/x",
    ],
)
def test_what_is_listed_is_allowed(url: str) -> None:
    assert is_allowed(url)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "github.com/x",
        "//github.com/x",
        "ftp://github.com/x",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "https:///x",
        "https://github.com.evil.net/x",
        "https://evilgithub.com/x",
        "https://sub.github.com/x",
        "https://github.com./x",
        "https://github.com:8443/x",
        "http://github.com:443/x",
        "https://github.com:99999/x",
        "https://github.com:x/x",
        "https://example.org/x",
        "https://.example.org/x",
        "https://evilexample.org/x",
        "https://wiki.corp/x",
        "https://user@github.com/x",
        "https://github.com@evil.net/x",
        "https://github.com:443@evil.net/x",
        "https://evil.net\\@github.com/x",
        "https://evil.net#@github.com/x",
        "https://github.com /x",
        "https://github.com/a b",
        "https://github.com/a\\b",
        "https://git\thub.com/x",
        "https://github.com\n/x",
        " https://github.com/x",
        "https://git\u2024hub.com/x",
        "https://ⓖithub.com/x",
        "https://github%2ecom/x",
        "http://127.0.0.1/x",
        "http://127.1:8080/x",
        "http://2130706433:8080/x",
        "http://0x7f000001:8080/x",
        "http://[::ffff:127.0.0.1]:8080/x",
        "http://[::1/x",
        "http://[fe80::1%25eth0]/x",
        "https://github.com/\ud800",
        "https://github.com/" + "x" * 2000,
    ],
)
def test_all_else_is_refused(url: str) -> None:
    assert not is_allowed(url)


def test_without_a_list_nothing_is_allowed() -> None:
    with pytest.raises(RunbookUrlRefusedError, match=r"\(allowed: none\)"):
        require_allowed_runbook_url("https://github.com/x", ())


def test_a_refusal_repeats_nothing_of_the_address() -> None:
    for url in ("https://hunter2.net/x", "hunter2://x", "https://hunter2@github.com", "https://[hunter2"):
        with pytest.raises(RunbookUrlRefusedError) as caught:
            require_allowed_runbook_url(url, LIST)
        assert "hunter2" not in str(caught.value)


def test_letters_of_a_path_are_encoded_and_what_is_encoded_stays() -> None:
    url = read_runbook_url("https://github.com/Größe/a%20b?x=ü&y=%26#there")
    assert str(url) == "https://github.com/Gr%C3%B6%C3%9Fe/a%20b?x=%C3%BC&y=%26"


def test_only_a_whole_name_is_listed_by_name() -> None:
    assert is_listed_by_name(read_runbook_url("https://github.com/x"), LIST)
    assert not is_listed_by_name(read_runbook_url("https://a.example.org/x"), LIST)


@pytest.mark.parametrize("entry", ["", ".", "[::1", "github.com:x", "https://github.com", "*"])
def test_an_entry_that_makes_no_sense_allows_nothing(entry: str) -> None:
    with pytest.raises(RunbookUrlRefusedError):
        require_allowed_runbook_url("https://github.com/x", (entry,))


@given(text=st.text() | st.builds("https://{}".format, st.text()) | st.builds("http://[{}]/".format, st.text()))
def test_whatever_is_read_is_read_in_the_same_way_again(text: str) -> None:
    try:
        url = read_runbook_url(text)
    except RunbookUrlRefusedError:
        return
    assert str(url).isascii()
    assert read_runbook_url(str(url)) == url
