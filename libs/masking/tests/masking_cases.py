"""Tables of cases for what stands in several lines, in disguise, or is no secret at all."""

from base64 import b64encode, urlsafe_b64encode
from textwrap import wrap
from urllib.parse import quote

KEY_LINE = "MIIEfakefakefakefakefakefakefakefakefakefakefakefakefakefakefake"
"""As long as a line of a private key."""
KEY = ["-----BEGIN RSA PRIVATE KEY-----", KEY_LINE, KEY_LINE, "fakeFAKE==", "-----END RSA PRIVATE KEY-----"]
MASKED_KEY = [KEY[0], *["[MASKED_PRIVATE_KEY]"] * 3, KEY[-1]]


def before_each(prefix: str, lines: list[str]) -> str:
    return "\n".join(f"{prefix}{line}" for line in lines)


def in_base64(text: str) -> str:
    return b64encode(text.encode()).decode()


KUBECONFIG = "apiVersion: v1\nkind: Config\nusers:\n- name: kim\n  user:\n    token: hunter2000hunter2000\n"

REGIONS = {
    "password: |\n  one line\n  another\n\n  last\nuser: x\n": "password: |\n  [MASKED_SECRET]\nuser: x\n",
    "- token: >-\n    one\n    two\n- a: b\n": "- token: >-\n    [MASKED_SECRET]\n- a: b\n",
    "password = <<EOT\none\ntwo\nEOT\nuser = x\n": "password = <<EOT\n[MASKED_SECRET]\nEOT\nuser = x\n",
    'secret = """one\ntwo"""\nuser = 1\n': 'secret = """[MASKED_SECRET]"""\nuser = 1\n',
    "+  password: |\n+    one a\n+\n+    two b\n+  user: x\n": (
        "+  password: |\n+    [MASKED_SECRET]\n+\n+    [MASKED_SECRET]\n+  user: x\n"
    ),
    "   password: |\n-    old a\n-    old b\n+    new a\n     kept c\n   user: x\n": (
        "   password: |\n-    [MASKED_SECRET]\n-    [MASKED_SECRET]\n"
        "+    [MASKED_SECRET]\n     [MASKED_SECRET]\n   user: x\n"
    ),
    "-  token: |\n-    old a\n-    old b\n+  token: |\n+    new a\n+    new b\n": (
        "-  token: |\n-    [MASKED_SECRET]\n-    [MASKED_SECRET]\n"
        "+  token: |\n+    [MASKED_SECRET]\n+    [MASKED_SECRET]\n"
    ),
    "< token: >-\n<   one a\n<   two b\n---\n> token: >-\n>   new a\n>   new b\n> c: d\n": (
        "< token: >-\n<   [MASKED_SECRET]\n<   [MASKED_SECRET]\n---\n"
        "> token: >-\n>   [MASKED_SECRET]\n>   [MASKED_SECRET]\n> c: d\n"
    ),
    "+secret: |\n+  one a\n+  two b\n+kind: x\n@@ -1 +1 @@\n": (
        "+secret: |\n+  [MASKED_SECRET]\n+  [MASKED_SECRET]\n+kind: x\n@@ -1 +1 @@\n"
    ),
    "+ password = <<EOT\n+ one\n+ two\n+ EOT\n+ user = x\n": (
        "+ password = <<EOT\n[MASKED_SECRET]\n+ EOT\n+ user = x\n"
    ),
    " id | password | mail\n----+----------+------\n  1 | hunter2  | a@b\n(1 row)\n": (
        " id | password | mail\n----+----------+------\n  1 | [MASKED_PASSWORD]  | a@b\n(1 row)\n"
    ),
    "+----+---------+\n| id | token   |\n+----+---------+\n| 1  | hunter2 |\n+----+---------+\n": (
        "+----+---------+\n| id | token   |\n+----+---------+\n| 1  | [MASKED_TOKEN] |\n+----+---------+\n"
    ),
    "| user | pass |\n|---|---|\n| shop | a b |\n\nend": (
        "| user | pass |\n|---|---|\n| shop | [MASKED_PASSWORD] |\n\nend"
    ),
    'user,password\nshop,"a, b"\nkim,\n\nend\n': 'user,password\nshop,"[MASKED_PASSWORD]"\nkim,\n\nend\n',
    "INSERT INTO users (id, password) VALUES (1, 'a, b'), (2, 'c''d');": (
        "INSERT INTO users (id, password) VALUES (1, '[MASKED_PASSWORD]'), (2, '[MASKED_PASSWORD]');"
    ),
    "COPY users (id, api_key) FROM stdin;\n1\thunter2\n\\.\n": (
        "COPY users (id, api_key) FROM stdin;\n1\t[MASKED_API_KEY]\n\\.\n"
    ),
    before_each("2026-11-22T10:11:12Z ", KEY): before_each("2026-11-22T10:11:12Z ", MASKED_KEY),
    before_each("[pod/web-7c9d6f5b84-x2x7k/app] ", KEY): before_each("[pod/web-7c9d6f5b84-x2x7k/app] ", MASKED_KEY),
    "\n".join(f'{{"log":"{line}\\n","stream":"stdout"}}' for line in KEY): (
        "\n".join(f'{{"log":"{line}\\n","stream":"stdout"}}' for line in MASKED_KEY)
    ),
    "\n".join(f"{number}:{line}" for number, line in enumerate(KEY, 98)): (
        "\n".join(f"{number}:{line}" for number, line in enumerate(MASKED_KEY, 98))
    ),
}
"""What is found in several lines, and what becomes of it."""

DISGUISED = {
    "\x1b[32mpassword\x1b[0m=\x1b[33mhunter2\x1b[0m": "\x1b[32mpassword\x1b[0m=\x1b[33m[MASKED_PASSWORD]\x1b[0m",
    "pass\u200bword=hunter2": "pass\u200bword=[MASKED_PASSWORD]",
    "gh\u200bp_fakefakefake\ufefffakefakefake": "[MASKED_GITHUB_TOKEN]",
    "password:\u00a0hunter2": "password:\u00a0[MASKED_PASSWORD]",
    "ｐａｓｓｗｏｒｄ＝hunter2": "ｐａｓｓｗｏｒｄ＝[MASKED_PASSWORD]",
    "password：hunter2": "password：[MASKED_PASSWORD]",
    "password: “hunter two”": "password: “[MASKED_PASSWORD]”",
    '{"log": "\\u001b[31mpassword\\u001b[0m=hunter2"}': '{"log": "\\u001b[31mpassword\\u001b[0m=[MASKED_PASSWORD]"}',
    f"KUBECONFIG_B64={in_base64(KUBECONFIG)}": "KUBECONFIG_B64=[MASKED_SECRET]",
    f"config: |\n{before_each('  ', wrap(in_base64(KUBECONFIG), 76))}": "config: |\n  [MASKED_SECRET]",
    f"Starting with {in_base64('postgres://shop:hunter2@pg:5432/shop')}.": "Starting with [MASKED_SECRET].",
    f'{{"init": "{in_base64("kim:Hunter2-winter")}"}}': '{"init": "[MASKED_SECRET]"}',
    f"x={quote(in_base64('kim:Hunter2-wint'), safe='')}&y=1": "x=[MASKED_SECRET]&y=1",
    f"blob {in_base64(quote('user=kim&password=hunter2', safe=''))} end": "blob [MASKED_SECRET] end",
    f"blob {in_base64(in_base64('user: kim, password: hunter2000'))} end": "blob [MASKED_SECRET] end",
    f"blob {urlsafe_b64encode(b'client_secret=hunter2>>???&a=b').decode().rstrip('=')} end": "blob [MASKED_SECRET] end",
}

NO_SECRETS = [
    "Token: expired",
    "credentials: valid",
    "PasswordCredentials: []",
    "velero install --credentials-secret orders-aws",
    "password:  24 bytes\ntoken:     1066 bytes\n",
    '{"login": "kim", "password": "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"}',
    "GPG_KEY=E3FF2839C048B25C084DEBE9B26995E310250568",
    "Sec-WebSocket-Key: fj3BnDJjke6YMA+83qrvi0==",
    "<privateKey>${user.home}/.ssh/id_rsa</privateKey>",
    "kubectl create secret generic x --from-file=password=/dev/stdin",
    "secret: not found",
    "password: must be at least 8 characters",
    "token: rotated 3 days ago",
    "credentials: could not be loaded from the file",
    "Error: password: is required",
    "curl -u elastic:$ELASTIC_PASSWORD https://es:9200",
    "https://elastic:$ELASTIC_PASSWORD@es:9200",
    "//registry.npmjs.org/:_authToken=${NPM_TOKEN}",
    "password: {{ .Values.db.password }}",
    "token=$(vault read -field=token x)",
    "password = var.db_password",
    "password = random_password.db.result",
    "api_key: op://shop/db/key",
    "[o.e.c.s.ConsistentSettingsServic] [node-1] started",
    "org.example.security.TokenService: refreshing",
    "id,name\n1,shop\n",
    "user, token, expired at noon\nand then, it, was over\n",
    "description: |\n  the password is rotated\n  every day\n",
    "+description: |\n+  the password is rotated\n+  every day\n",
    "- token:\n- name: |\n    first\n",
    "a | b\n1 | 2\n",
    "| secret | where it is |\n|---|---|\n| the password of the database | in the vault |\n",
    "INSERT INTO users (id, name) VALUES (1, 'shop');",
    "größe: 12\u00a0€ – ｗｉｄｅ \x1b[31mred\x1b[0m",
    f"hint {in_base64('the quick brown fox jumps over the lazy dog')} decoded",
    f"hint {in_base64('kind: ConfigMap\nmetadata:\n  name: orders')} decoded",
    f"cursor={in_base64('{"id":4711,"created":"2026-11-29"}')}",
    f"continue={in_base64('{"v":"meta.k8s.io/v1","rv":918273,"start":"orders-db"}')}",
    f"id {in_base64('Order:01J3QZ5W8X2V9T4K7M6N1P0RSD')}",
    f"{in_base64('host:pg-main.shop.svc:5432')} {in_base64('sha256:9f2c4e7ab1d05c38e64f9b7a2d10c5e8')}",
    in_base64("checkout:orders-7d9f8b6c5-x2x7k"),
]
