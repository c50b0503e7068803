"""Lists of users and their passwords that chpasswd reads: in a here-document, or in the configuration of cloud-init."""

from tarsy_masking.edits import Edit
from tarsy_masking.patterns import PatternFile, compile_regex
from tarsy_masking.regions.region import NO_REGIONS, RegionEdits, Regions, line_end

RULE = "password_list"
LABEL = b"[MASKED_PASSWORD]"
_WORD = b"chpasswd"
_HEAD = compile_regex(
    r"""\bchpasswd\b[^\n|;<]*<<[-~]?[ \t]*["']?\w+["']?[^\n]*\n"""
    r"|\bchpasswd:[ \t]*\r?\n(?:[ \t]+expire:[^\n]*\n)?[ \t]+list:[^\n]*\n",
    capture=False,
)
_USER = compile_regex(r"""[ \t]*(?:-[ \t]+)?["']?[A-Za-z_][\w.-]*\$?:([^\s:"']+)["']?[ \t]*\r?""")


class PasswordLists:
    def __init__(self, source: PatternFile) -> None:
        self._never_secret = compile_regex(source.never_secret)

    def __call__(self, text: bytes) -> Regions:
        if _WORD not in text:
            return NO_REGIONS
        edits: list[Edit] = []
        open_since: int | None = None
        position = 0
        while (found := _HEAD.search(text, position)) is not None:
            users = self._find_users(text, found.end())
            edits += users.edits
            position = users.stop
            open_since = None if users.ended else found.start()
        return Regions(edits, open_since)

    def _find_users(self, text: bytes, start: int) -> RegionEdits:
        """Up to the first line that is no user's: a here-document ends so, and a list of YAML."""
        edits: list[Edit] = []
        while start < len(text):
            end = line_end(text, start)
            user = _USER.fullmatch(text, start, end)
            if user is None:
                return RegionEdits(edits, start, ended=end < len(text))
            first, last = user.span(1)
            if not self._never_secret.fullmatch(text, first, last):
                edits.append(Edit(first, last, LABEL, text[first:last], RULE))
            start = end + 1
        return RegionEdits(edits, len(text), ended=False)
