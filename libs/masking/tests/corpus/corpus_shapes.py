"""What secrets and harmless values look like. They are made from a seed: no file has what a scanner takes for a key."""

import base64
import string
from collections.abc import Callable
from random import Random
from urllib.parse import quote
from uuid import UUID

from corpus_keys import KEY_SHAPES

type Shape = Callable[[Random], str]

DIGITS, LOWER, UPPER = string.digits, string.ascii_lowercase, string.ascii_uppercase
ALNUM = LOWER + UPPER + DIGITS
HEX = "0123456789abcdef"
B64URL = ALNUM + "-_"
POD_MARKS = "bcdfghjklmnpqrstvwxz2456789"
WORDS = "amber birch cobalt delta ember fjord garnet hazel indigo juniper krypton lagoon".split()  # noqa: SIM905
SERVICES = ("checkout", "orders", "ledger", "search", "mailer", "billing-api")


def chars(marks: str, length: int, before: str = "", after: str = "") -> Shape:
    return lambda random: before + "".join(random.choices(marks, k=length)) + after


def b64(size: int) -> Shape:
    return lambda random: base64.b64encode(random.randbytes(size)).decode()


def b64_of(shape: Shape) -> Shape:
    return lambda random: base64.b64encode(shape(random).encode()).decode()


def together(*shapes: Shape | str) -> Shape:
    return lambda random: "".join(shape if isinstance(shape, str) else shape(random) for shape in shapes)


def quoted(shape: Shape) -> Shape:
    return lambda random: quote(shape(random), safe="")


def password(marks: str, least: int = 10, most: int = 18) -> Shape:
    """With a small letter, a capital and a digit, as rules for passwords want it; it begins and ends with a letter."""

    def made(random: Random) -> str:
        middle = random.choices(ALNUM + marks, k=random.randint(least, most) - 5)
        middle += [random.choice(LOWER), random.choice(UPPER), random.choice(DIGITS)]
        random.shuffle(middle)
        return random.choice(LOWER) + "".join(middle) + random.choice(UPPER)

    return made


def words(random: Random) -> str:
    first, second = random.sample(WORDS, 2)
    return f"{first.capitalize()}-{second}-{random.randint(1000, 9999)}"


def spaced(random: Random) -> str:
    first, second = random.sample(WORDS, 2)
    return f"{first} {second.capitalize()}, {random.randint(1000, 9999)}!"


def jwt(random: Random) -> str:
    def part(text: str) -> str:
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")

    subject = f'{{"sub":"{words(random)}","iat":{random.randint(10**9, 2 * 10**9)}}}'
    return f"{part('{"alg":"RS256","typ":"JWT"}')}.{part(subject)}.{chars(B64URL, 86)(random)}"


def uuid(random: Random) -> str:
    return str(UUID(int=random.getrandbits(128), version=4))


def pod_name(random: Random) -> str:
    middle, suffix = chars(POD_MARKS, 10)(random), chars(POD_MARKS, 5)(random)
    return f"{random.choice(SERVICES)}-{middle}-{suffix}"


def tag(random: Random) -> str:
    return f"{random.randint(1, 9)}.{random.randint(0, 40)}.{random.randint(0, 20)}-{chars(HEX, 8)(random)}"


def pairs(count: int) -> Shape:
    return lambda random: ":".join(chars(HEX[:10] + "ABCDEF", 2)(random) for _ in range(count))


def settings_text(random: Random) -> str:
    return "\n".join(f"{word}.enabled = {random.choice(('true', 'false'))}" for word in random.sample(WORDS, 5))


_PASS = password("-_.~")
_MARKS = password("!#%^*+=?-_.")
_DOCKER = b64_of(together('{"auths":{"registry.lan":{"auth":"', b64(18), '"}}}'))

PLAIN: dict[str, Shape] = {
    "pass": _PASS,
    "pass16": password("-_", 16, 16),
    "passmarks": _MARKS,
    "passspace": spaced,
    "pass_url": quoted(password("@/:#&+=")),
    "passmarks_url": quoted(_MARKS),
    "words": words,
    "uuid": uuid,
    "jwt": jwt,
    "alnum21": chars(ALNUM, 21),
    "alnum24": chars(ALNUM, 24),
    "alnum27": chars(ALNUM, 27),
    "alnum52": chars(ALNUM, 52),
    "upper8": chars(HEX[:10] + "ABCDEF", 8),
    "upper16": chars(HEX[:10] + "ABCDEF", 16),
    "upper20": chars(UPPER + DIGITS, 20),
    "upper32": chars(HEX[:10] + "ABCDEF", 32),
    "ulid": chars("0123456789ABCDEFGHJKMNPQRSTVWXYZ", 24, "01"),
    "b64url": chars(B64URL, 42, after="x"),
    "b64url40": chars(B64URL, 39, after="x"),
    "b64url_long": chars(B64URL, 180, after="x"),
    "b64_22": chars(ALNUM, 22),
    "b64_24": b64(16),
    "b64_43": chars(ALNUM + "+/", 43),
    "b64_44": b64(32),
    "b64_64": b64(48),
    "b64_88": b64(64),
    "b64_pass": b64_of(_PASS),
    "b64_dsn": b64_of(together("postgres://app:", _PASS, "@pg:5432/app")),
    "b64_userpass": b64_of(together("kim:", _PASS)),
    "b64_docker": _DOCKER,
    "b64_kubeconfig": b64_of(together("kind: Config\nusers:\n- user:\n    token: ", chars(ALNUM, 40), "\n")),
    "b64_json": b64_of(together('{"user":"kim","password":"', _PASS, '"}')),
    "b64_quoted": b64_of(quoted(together("user=kim&client_secret=", chars(ALNUM, 32)))),
    "b64_twice": b64_of(b64_of(together("user: kim, token: ", chars(ALNUM, 24)))),
    "b64_userpass_url": quoted(b64_of(together("kim:", _PASS))),
    "b64_cursor": b64_of(together('{"id":"', uuid, '","sort":"created"}')),
    "b64_relay": b64_of(together("Order:01J", chars(UPPER + DIGITS, 23))),
    "b64_image": b64_of(together("checkout:", tag)),
    "b64_text": b64_of(settings_text),
    "bcrypt": together("$2b$12$", chars(ALNUM + "./", 53)),
    "argon": together(chars(ALNUM + "+/", 22), "$", chars(ALNUM + "+/", 43)),
    "shadow": together(chars(ALNUM + "./", 16), "$", chars(ALNUM + "./", 86)),
    "md5": chars(HEX, 32, "md5"),
    "podname": pod_name,
    "podsuffix": chars(POD_MARKS, 5),
    "podhash": chars(POD_MARKS, 10),
    "tag": tag,
    "sha256": chars(HEX, 64, "sha256:"),
    "fingerprint": pairs(32),
    "fingerprint20": pairs(20),
    "serial": lambda random: pairs(18)(random).lower(),
    "mac": lambda random: pairs(6)(random).lower(),
    "req": chars(ALNUM, 14, "req_"),
}
HEXES = {f"hex{length}": chars(HEX, length) for length in (4, 7, 8, 12, 16, 32, 40, 64)}
NUMBERS = {f"number{length}": chars("123456789", length) for length in (2, 4, 8, 12, 18, 20)}

# Prefixes are put together here: in one piece some scanner would stop a push.
OF_SERVICES: dict[str, Shape] = {
    "ghp": chars(ALNUM, 36, "gh" + "p_"),
    "gho": chars(ALNUM, 36, "gh" + "o_"),
    "ghs": chars(ALNUM, 36, "gh" + "s_"),
    "ghu": chars(ALNUM, 36, "gh" + "u_"),
    "github_pat": together("github" + "_pat_", chars(ALNUM, 22), "_", chars(ALNUM, 59)),
    "glpat": chars(B64URL, 19, "gl" + "pat-", "x"),
    "gldt": chars(B64URL, 19, "gl" + "dt-", "x"),
    "glcbt": together("gl" + "cbt-64_", chars(B64URL, 19), "x"),
    "xoxb": together("xo" + "xb-", chars(DIGITS, 12), "-", chars(DIGITS, 13), "-", chars(ALNUM, 24)),
    "xoxp": together("xo" + "xp", *[chars(DIGITS, 12, "-")] * 3, chars(HEX, 32, "-")),
    "xapp": together("xa" + "pp-1-A", chars(UPPER + DIGITS, 10), "-", chars(DIGITS, 13), "-", chars(HEX, 64)),
    "slack_hook": together("T", chars(UPPER + DIGITS, 8), "/B", chars(UPPER + DIGITS, 10), "/", chars(ALNUM, 24)),
    "stripe_live": chars(ALNUM, 99, "sk" + "_live_51"),
    "stripe_test": chars(ALNUM, 24, "sk" + "_test_"),
    "stripe_rk": chars(ALNUM, 99, "rk" + "_live_51"),
    "whsec": chars(ALNUM, 32, "wh" + "sec_"),
    "openai_proj": chars(B64URL, 123, "sk" + "-proj-", "A"),
    "openai_old": together("sk" + "-", chars(ALNUM, 20), "T3Blbk" + "FJ", chars(ALNUM, 20)),
    "anthropic": chars(B64URL, 93, "sk" + "-ant-api03-", "AA"),
    "google_api": chars(B64URL, 34, "AI" + "za", "x"),
    "gocspx": chars(B64URL, 27, "GO" + "CSPX-", "x"),
    "google_refresh": chars(B64URL, 60, "1/" + "/0", "x"),
    "ya29": chars(B64URL, 160, "ya" + "29.a0", "x"),
    "akia": chars(UPPER + "234567", 16, "AK" + "IA"),
    "asia": chars(UPPER + "234567", 16, "AS" + "IA"),
    "aws_secret": chars(ALNUM + "+/", 40),
    "aws_secret_url": quoted(chars(ALNUM + "+/", 40)),
    "aws_session": chars(ALNUM + "+/", 340, "IQoJb3JpZ2luX2Vj"),
    "azure_key": b64(64),
    "azure_secret": together(chars(ALNUM, 3), "8" + "Q~", chars(ALNUM + "_.~-", 33), "x"),
    "sas": quoted(b64(32)),
    "npm": chars(ALNUM, 36, "np" + "m_"),
    "pypi": chars(B64URL, 150, "py" + "pi-AgEIcHlwaS5vcmc", "x"),
    "crates": chars(ALNUM, 32, "ci" + "o"),
    "sendgrid": together("S" + "G.", chars(B64URL, 22), ".", chars(B64URL, 42), "x"),
    "twilio": chars(HEX, 32, "S" + "K"),
    "mailgun": chars(HEX, 32, "ke" + "y-"),
    "hf": chars(ALNUM, 34, "h" + "f_"),
    "vault": chars(ALNUM + "_-", 89, "hv" + "s.", "x"),
    "vault_old": chars(ALNUM, 24, "s" + "."),
    "grafana_sa": together("gl" + "sa_", chars(ALNUM, 32), "_", chars(HEX, 8)),
    "glc": chars(ALNUM, 80, "gl" + "c_eyJ"),
    "do": chars(HEX, 64, "do" + "p_v1_"),
    "shopify": chars(HEX, 32, "sh" + "pat_"),
    "databricks": chars(HEX, 32, "da" + "pi"),
    "dckr": chars(B64URL, 26, "dc" + "kr_pat_", "x"),
    "linear": chars(ALNUM, 40, "lin" + "_api_"),
    "telegram": together(chars("123456789", 10), ":AA", chars(B64URL, 32), "x"),
    "discord_hook": chars(B64URL, 67, after="x"),
    "oc_sha": chars(B64URL, 42, "sha" + "256~", "x"),
}

# Forms of 2025 and 2026, from the providers' pages and from what their own tools write.
OF_NEWER_SERVICES: dict[str, Shape] = {
    "gemini_auth": chars(B64URL, 48, "A" + "Q.Ab8R", "x"),
    "railway_session": together(
        "rw_" + "Fe26.2**", chars(HEX, 64), "*", chars(B64URL, 22), "*", chars(B64URL, 120), "*", chars(DIGITS, 13)
    ),
    "square_access": chars(B64URL, 59, "EA" + "AA", "x"),
    "square_sandbox": chars(B64URL, 59, "EA" + "AAl", "x"),
    "square_secret": chars(B64URL, 42, "sq" + "0csp-", "x"),
    "square_sandbox_b": chars(B64URL, 21, "sandbox-sq" + "0atb-", "x"),
    "jfrog_reference": b64_of(together("reftkn:01:17", chars(DIGITS, 8), ":", chars(ALNUM, 28))),
    "snyk_uat": together("snyk" + "_uat.", chars(HEX, 8), ".", chars(B64URL, 120), ".", chars(B64URL, 84), "x"),
    "snyk_sat": together("snyk" + "_sat.", chars(HEX, 8), ".", chars(B64URL, 120), ".", chars(B64URL, 84), "x"),
    "dynatrace": together("dt" + "0c01.", chars(UPPER + "234567", 24), ".", chars(UPPER + "234567", 64)),
    "dynatrace_paas": together("dt" + "0s16.", chars(UPPER + "234567", 8), ".", chars(UPPER + "234567", 64)),
    "dynatrace_client": together("dt" + "0s02.", chars(UPPER + "234567", 8), ".", chars(UPPER + "234567", 64)),
    "bws": together("0.", uuid, ".", chars(ALNUM, 30), ":", b64(16)),
    "cf_user": chars(ALNUM, 48, "cf" + "ut_"),
    "fly": chars(ALNUM + "+/", 180, "Fly" + "V1 fm2_"),
    "supabase": chars(B64URL, 31, "sb_" + "secret_", "x"),
    "neon": chars(LOWER + DIGITS, 64, "na" + "pi_"),
    "posthog": chars(ALNUM, 43, "ph" + "x_"),
    "notion": chars(ALNUM, 46, "nt" + "n_"),
    "airtable": together("pa" + "t", chars(ALNUM, 14), ".", chars(HEX, 64)),
    "openrouter": chars(HEX, 64, "sk" + "-or-v1-"),
    "groq": chars(ALNUM, 52, "gs" + "k_"),
    "xai": chars(ALNUM, 80, "xa" + "i-"),
    "replicate": chars(ALNUM, 37, "r" + "8_"),
    "pulumi": chars(HEX, 40, "pu" + "l-"),
    "atlas": together(chars(ALNUM, 14), ".atlas" + "v1.", chars(ALNUM, 67)),
    "doppler": chars(ALNUM, 43, "dp" + ".st.prd."),
    "infisical": together("st" + ".", chars(HEX, 24), ".", chars(HEX, 32), ".", chars(HEX, 32)),
    "glpat_routable": together("gl" + "pat-", chars(B64URL, 27), ".", chars("01", 2), ".", chars(LOWER + DIGITS, 9)),
    "mapbox_secret": together("sk" + ".eyJ", chars(ALNUM, 80), ".", chars(B64URL, 21), "x"),
    "sentry": chars(ALNUM + "+/", 160, "sntr" + "ys_eyJ"),
    "tskey": together("ts" + "key-auth-", chars(ALNUM, 17), "-", chars(ALNUM, 32)),
    "ngrok": together("2", chars(ALNUM, 26), "_", chars(ALNUM, 21)),
    "k10": together("K" + "10", chars(HEX, 64), "::server:", chars(HEX, 32)),
    "kubeadm": together(chars(LOWER + DIGITS, 6), ".", chars(LOWER + DIGITS, 16)),
    "swmtkn": together("SWM" + "TKN-1-", chars(LOWER + DIGITS, 50), "-", chars(LOWER + DIGITS, 25)),
    "rancher": together("tok" + "en-", chars(LOWER, 5), ":", chars(LOWER + DIGITS, 54)),
}

SHAPES: dict[str, Shape] = PLAIN | HEXES | NUMBERS | OF_SERVICES | OF_NEWER_SERVICES | KEY_SHAPES
