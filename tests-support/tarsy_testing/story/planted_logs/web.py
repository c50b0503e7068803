"""Logs of web servers and proxies: nginx, HAProxy and Envoy."""

import random
from datetime import datetime

from .log_layout import Kinds, PlantedLog, plant
from .templates import as_json, fill, weighted

__all__ = ["envoy", "haproxy", "nginx"]

_CHROME = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/<124-133>.0.0.0"
_PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_<1-6> like Mac OS X) AppleWebKit/605.1.15 Version/17.4 Mobile/15E148"
_SHOP = "https://shop.example.com"


def _hit(request: str, status: str, size: str, referrer: str = f"{_SHOP}/", agent: str = _CHROME) -> str:
    """A template of a line in nginx's combined format."""
    return f'<ip> - - [<t>] "{request} HTTP/<1.1|2.0|2.0|2.0>" {status} {size} "{referrer}" "{agent}"'


_NGINX = weighted(
    (30, _hit("GET /p/<1000-9800>-<linen-shirt|desk-lamp|trail-shoe|steel-mug|rain-coat>", "200", "<~18400>")),
    (16, _hit("GET /p/<1000-9800>-<oak-stool|wool-sock|tea-pot|day-pack>", "200", "<~17100>", agent=_PHONE)),
    (22, _hit("GET /static/<app|vendor|theme|icons>.<hex8>.<js|css|woff2>", "200", "<~31000>")),
    (9, _hit("GET /static/<app|vendor|theme|icons>.<hex8>.<js|css|woff2>", "304", "0")),
    (14, _hit("GET /api/search?q=<boots|lamp|mug|tent|shirt>&page=<1-6>", "200", "<~5200>")),
    (9, _hit("POST /api/cart/items", "201", "<180-420>", agent=_PHONE)),
    (5, _hit("GET /checkout", "200", "<~9100>", f"{_SHOP}/cart")),
    (4, _hit("POST /api/checkout/quote", "200", "<~1300>", f"{_SHOP}/checkout")),
    (3, _hit("POST /api/checkout/orders", "201", "<~640>", f"{_SHOP}/checkout")),
    (5, _hit("GET /healthz", "200", "2", "-", "kube-probe/1.29")),
    (
        2,
        _hit(
            "GET /<wp-login.php|.env|phpmyadmin/|xmlrpc.php|.git/config>", "404", "153", "-", "python-requests/2.31.0"
        ),
    ),
    (1.5, _hit("GET /p/<1-900>-<sale|old-lamp|gift>", "<301|404>", "<160-190>", "https://www.google.com/")),
    (1.2, _hit("POST /api/login", "401", "74", f"{_SHOP}/login")),
    (1, _hit("GET /sitemap-<1-9>.xml", "200", "<~88000>", "-", "Googlebot/2.1 (+http://www.google.com/bot.html)")),
    (0.5, _hit("GET /api/search?q=<a|the|%20>", "499", "0")),
    (0.3, _hit("GET /api/recommendations/<1000-9800>", "502", "157")),
    (0.2, '10.20.0.14 - ci-deploy [<t>] "GET /internal/flags?env=prod HTTP/1.1" 200 <2100-2190> "-" "flagctl/1.8.2"'),
    (
        0.15,
        '10.20.0.14 - ci-deploy [<t>] "PUT /internal/flags/<footer-links|gift-wrap-copy|banner-spring>'
        '?rollout=<5|10|25|50> HTTP/1.1" 204 0 "-" "flagctl/1.8.2"',
    ),
)


def nginx(count: int, drawn: random.Random) -> PlantedLog:
    """An access log in which a checkout flag is rolled out to everyone; checkouts then hang and are given up."""
    point = fill(
        '10.20.0.14 - ci-deploy [<t>] "PUT /internal/flags/checkout-live-tax-quote?rollout=100 HTTP/1.1" 204 0 "-" '
        '"flagctl/1.8.2"'
    )
    later = weighted(
        (5, _hit("POST /api/checkout/quote", "499", "0", f"{_SHOP}/checkout", _PHONE)),
        (3, _hit("POST /api/checkout/quote", "504", "167", f"{_SHOP}/checkout")),
        (3, _hit("GET /checkout", "200", "<~9100>", f"{_SHOP}/checkout")),
    )
    return plant(
        "nginx", _NGINX, [point], [*_NGINX, *later], count, drawn, lambda at: at.strftime("%d/%b/%Y:%H:%M:%S +0000")
    )


def _proxied(back: str, server: str, times: str, status: str, request: str, ends: str = "----") -> str:
    """A template of a line in HAProxy's HTTP format."""
    return (
        f"<t1> lb-02 haproxy[1187]: <ip>:<20000-64000> [<t2>] fe_https~ {back}/{server} {times} {status} <~2400> - - "
        f'{ends} <200-480>/<180-199>/<20-60>/<2-9>/0 0/0 "{request} HTTP/1.1"'
    )


_QUICK = "0/0/<sum1/38>"


def _haproxy(servers: str) -> Kinds:
    """The ordinary entries, with requests to these servers of the API."""
    server = f"api{servers}"
    return weighted(
        (40, _proxied("be_api", server, _QUICK, "200", "GET /v2/accounts/<10000-99999>/<balance|moves|cards>")),
        (18, _proxied("be_api", server, _QUICK, "<200|200|201>", "POST /v2/transfers")),
        (12, _proxied("be_web", "web<1-3>", "0/0/<sum1/9>", "<200|304>", "GET /assets/<main|chunk>-<hex6>.js")),
        (8, _proxied("be_web", "web<1-3>", "0/0/<sum1/22>", "200", "GET /")),
        (5, _proxied("be_api", server, _QUICK, "<400|404|409>", "POST /v2/transfers/<hex12>/confirm")),
        (2, _proxied("be_api", server, "0/0/1/-1/<~900>", "-1", "GET /v2/statements/<hex8>.pdf", "CD--")),
        (1, "<t1> lb-02 haproxy[1187]: <ip>:<20000-64000> [<t2>] fe_https~ fe_https/<NOSRV> -1/-1/-1/-1/<5000-5004> "
             "408 212 - "
         '- cR-- <200-480>/<180-199>/0/0/0 0/0 "<BADREQ>"'),
        (1, "<t1> lb-02 haproxy[1187]: <ip>:<20000-64000> [<t2>] fe_https/1: SSL handshake failure"),
        (0.4, _proxied("be_api", server, "0/0/<sum1/2600>", "200", "GET /v2/reports/<daily|monthly>")),
        (0.3, _proxied("be_api", server, "0/0/1/-1/30001", "504", "GET /v2/reports/yearly", "sH--")),
        (0.3, "<t1> lb-02 haproxy[1187]: be_web/web<1-3> changed its IP from 10.4.7.<20-90> to 10.4.7.<91-180> by "
             "dns/ns1."),
        (0.05, "<t1> lb-02 haproxy[1187]: Health check for server be_web/web<1-3> succeeded, reason: Layer7 check "
             "passed, "
         "code: 200, check duration: <1-9>ms, status: 3/3 UP."),
    )  # fmt: skip


def haproxy(count: int, drawn: random.Random) -> PlantedLog:
    """A proxy log in which a server's name resolves to an address in a far network; connecting to it takes long."""
    point = fill("<t1> lb-02 haproxy[1187]: be_api/api3 changed its IP from 10.4.2.33 to 172.29.140.8 by dns/ns2.")
    far = "0/0/<sum310/420>"
    later = weighted(
        (14, _proxied("be_api", "api3", far, "200", "GET /v2/accounts/<10000-99999>/<balance|moves|cards>")),
        (6, _proxied("be_api", "api3", far, "201", "POST /v2/transfers")),
        (1.5, _proxied("be_api", "api3", "0/0/<200-900>/-1/<2000-9000>", "-1", "POST /v2/transfers", "CH--")),
    )
    return plant(
        "haproxy", _haproxy("<1-4>"), [point], [*_haproxy("<1|2|4>"), *later], count, drawn, _two_times, gradual=False
    )


def _two_times(at: datetime) -> str:
    """The syslog's time and, after a tab, the time at which HAProxy took the connection."""
    return f"{at:%b %e %H:%M:%S%t%d/%b/%Y:%H:%M:%S}.{at.microsecond // 1000:03}"


def _call(cluster: str, host: str, path: str, code: str, took: str, flags: str = "-") -> str:
    """A template of an Envoy access log line."""
    return as_json({
        "start_time": "<t>", "method": "<GET|GET|POST>", "path": path, "protocol": "HTTP/2", "response_code":
        f"#{code}",
        "response_flags": flags, "bytes_received": "#<0-600>", "bytes_sent": "#<~1900>", "duration": f"#<took={took}>",
        "upstream_service_time": "<=took>", "x_forwarded_for": "<ip>", "request_id": "<uuid>", "authority":
        "api.example.com",
        "upstream_cluster": cluster, "upstream_host": host,
    })  # fmt: skip


def _told(logger: str, message: str, level: str = "info") -> str:
    """A template of a line of Envoy's own log."""
    return as_json({"time": "<t>", "level": level, "type": logger, "message": message})


_HOST = "10.64.<3-9>.<2-250>:8080"
_ENVOY = weighted(
    (30, _call("catalog", _HOST, "/v1/items/<10000-99999>", "200", "~12")),
    (20, _call("pricing-eu-west-1", "10.64.20.<2-30>:8080", "/v1/prices?sku=<10000-99999>", "200", "~9")),
    (14, _call("inventory", _HOST, "/v1/stock/<10000-99999>", "200", "~16")),
    (8, _call("accounts", _HOST, "/v1/me", "<200|200|200|401>", "~14")),
    (6, _call("orders", _HOST, "/v1/orders", "<200|201|409>", "~45")),
    (2, _call("inventory", _HOST, "/v1/stock/<10000-99999>", "503", "1-9", "UC")),
    (1, _call("catalog", _HOST, "/v1/items/export", "200", "~2900")),
    (0.8, _call("accounts", _HOST, "/v1/me", "0", "~300", "DC")),
    (0.4, _call("orders", _HOST, "/v1/orders/<10000-99999>/invoice", "504", "15000-15003", "UT")),
    (0.3, _told("upstream", "cds: add 0 cluster(s), remove 0 cluster(s)")),
    (0.15, _told("upstream", "lds: add/update listener 'ingress_8443'")),
    (0.08, _told("upstream", "cds: add/update cluster '<reviews|search|inventory>-canary-<id5>'")),
    (0.3, _told("config", "gRPC config: stream to xds_cluster closed: 13, <hex4> max connection age", "warning")),
    (0.1, _told("main", "starting drain of old listener filter chains, <1-3> left")),
)


def envoy(count: int, drawn: random.Random) -> PlantedLog:
    """An access log amid which prices begin to come from another region, ten times as far away."""
    points = (
        fill(_told("upstream", "cds: add/update cluster 'pricing-us-east-2'")),
        fill(_told("upstream", "cds: remove cluster 'pricing-eu-west-1'")),
    )
    later = weighted(
        (22, _call("pricing-us-east-2", "10.131.4.<2-30>:8080", "/v1/prices?sku=<10000-99999>", "200", "~118")),
        (4, _call("catalog", _HOST, "/v1/items/<10000-99999>", "200", "~140")),
        (1, _call("pricing-us-east-2", "10.131.4.<2-30>:8080", "/v1/prices?sku=<10000-99999>", "504", "250-252", "UT")),
    )
    kept = [*_ENVOY[:1], *_ENVOY[2:]]
    return plant("envoy", _ENVOY, points, [*kept, *later], count, drawn, _with_thousandths, gradual=False)


def _with_thousandths(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds")[:23] + "Z"
