"""Logs of applications: a Spring Boot service with logback, and a Python service with structlog's JSON."""

import random
from datetime import datetime

from .log_layout import PlantedLog, plant
from .templates import as_json, fill, weighted

__all__ = ["spring_boot", "structlog"]


_WEB = "c.a.payments.web.PaymentController"
_PSP = "c.a.payments.psp.PspClient"
_POOL = "com.zaxxer.hikari.pool.HikariPool"
_REFRESH = "o.s.c.e.event.RefreshEventListener"
_BINDER = "c.a.payments.config.SettingsBinder"
_HANDLER = "c.a.payments.web.ApiExceptionHandler"
_KEEPER = "   HikariPool-1"


def _with_thousandths(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds")[:23] + "Z"


def _spring(logger: str, message: str, level: str = " INFO", thread: str = "nio-8080-exec-<10-48>") -> str:
    """A template of a line in Spring Boot's default format."""
    return f"<t> {level} 1 --- [payments] [{thread}] {logger:40} : {message}"


_JOBS = "   scheduling-<1-4>"
_RECONCILE = "c.a.payments.reconcile.Reconciler"
_SPRING = weighted(
    (26, _spring(_WEB, "POST /payments id=pay_<hex12> amount=<3-900>.<10-99> EUR took=<~84>ms")),
    (18, _spring(_WEB, "GET /payments/pay_<hex12> 200 took=<~11>ms")),
    (14, _spring(_PSP, "authorised pay_<hex12> scheme=<visa|mastercard|amex> psp_ms=<~140>")),
    (9, _spring("c.a.payments.outbox.OutboxRelay", "published <1-40> records to payments.ledger in <~9> ms",
         thread=_JOBS)),
    (6, _spring(_PSP, "attempt 1 for pay_<hex12> gave 503, retrying in <100-400> ms", " WARN")),
    (4, _spring("c.a.payments.risk.RiskScorer", "score=<0-99> rules=<3-17> pay_<hex12>")),
    (3, _spring("o.h.engine.jdbc.spi.SqlExceptionHelper", "SQL Warning Code: 0, SQLState: 00000", " WARN")),
    (2, _spring(_RECONCILE, "no statement yet for merchant m_<hex6>\n"
                "java.io.FileNotFoundException: sftp://psp/out/m_<hex6>.csv\n"
                "\tat com.acme.payments.reconcile.SftpStatements.open(SftpStatements.java:88)\n"
                "\tat com.acme.payments.reconcile.Reconciler.run(Reconciler.java:41)\n"
                "\tat java.base/java.lang.Thread.run(Thread.java:1583)", "ERROR", _JOBS)),
    (2, _spring(_HANDLER, "400 card number fails the Luhn check, request=<uuid>", " WARN")),
    (1, _spring(_RECONCILE, "reconciled <~830> payments of merchant m_<hex6>, 0 differences", thread=_JOBS)),
    (0.8, _spring(_POOL, "HikariPool-1 - Pool stats (total=40, active=<3-17>, idle=<18-30>, "
                  "waiting=0)", "DEBUG", _KEEPER)),
    (0.4, _spring("o.a.k.c.NetworkClient", "[Producer clientId=payments-1] Node <1-3> disconnected.",
         thread="kafka-producer-1")),
    (0.3, _spring("c.a.payments.tls.KeyStoreWatcher", "keystore unchanged, expires in <40-80> days", thread=_JOBS)),
    (0.1, _spring(_REFRESH, "Refresh keys changed: [payments.risk.<min-score|ruleset>]", thread=_JOBS)),
    (0.1, _spring(_BINDER, "key 'payments.risk.legacy-mode' is deprecated, use 'ruleset'", " WARN",
                  _JOBS)),
)  # fmt: skip


def spring_boot(count: int, drawn: random.Random) -> PlantedLog:
    """A service's log in which a refreshed setting is not understood, so that the connection pool gets small."""
    points = (
        fill(_spring(_REFRESH, "Refresh keys changed: [payments.db.pool.max_size]", thread="   scheduling-2")),
        fill(_spring(_BINDER, "ignored unknown key 'payments.db.pool.max_size', "
                     "maximumPoolSize is the default 4", " WARN", "   scheduling-2")),
    )  # fmt: skip
    later = weighted(
        (18, _spring(_WEB, "POST /payments id=pay_<hex12> amount=<3-900>.<10-99> EUR took="
                     "<~3900>ms")),
        (5, _spring(_POOL, "HikariPool-1 - Pool stats (total=4, active=4, idle=0, waiting="
                    "<9-44>)", "DEBUG", _KEEPER)),
        (3, _spring(_HANDLER, "503 for request=<uuid>\n"
                    "java.sql.SQLTransientConnectionException: HikariPool-1 - Connection is not available, request "
                    "timed out "
                    "after 3000<0-9>ms\n"
                    "\tat com.zaxxer.hikari.pool.HikariPool.createTimeoutException(HikariPool.java:686)\n"
                    "\tat com.acme.payments.web.PaymentController.create(PaymentController.java:112)", "ERROR")),
    )  # fmt: skip
    kept = [*_SPRING[:10], *_SPRING[11:]]
    return plant("spring-boot", _SPRING, points, [*kept, *later], count, drawn, _with_thousandths)


def _event(event: str, level: str = "info", /, **fields: str | int) -> str:
    """A template of one of structlog's lines."""
    return as_json({**fields, "event": event, "level": level, "logger": "catalog", "timestamp": "<t>"})


_STRUCTLOG = weighted(
    (26, _event("request_finished", path="/products/<1000-99999>", status=200, duration_ms="#<~21/1>",
         request_id="<uuid>")),
    (18, _event("price_cache", result="hit", sku="<hex8>", age_s="#<1-1799>", request_id="<uuid>")),
    (10, _event("request_finished", path="/search", status=200, duration_ms="#<~48/1>", request_id="<uuid>")),
    (2, _event("price_cache", result="miss", sku="<hex8>", request_id="<uuid>")),
    (2, _event("pricing_called", skus="#<1-30>", duration_ms="#<~65/1>", request_id="<uuid>")),
    (8, _event("stock_updated", sku="<hex8>", warehouse="<ams|waw|lyn>", quantity="#<0-900>")),
    (4, _event("retrying", "warning", call="images.resize", attempt="#<1-2>", backoff_s="#0.<2-8>")),
    (2, _event("task_failed", "error", task="thumbnail", reason="unsupported colour profile", sku="<hex8>")),
    (2, _event("request_finished", "warning", path="/products/<1-999>", status=404, duration_ms="#<~3/1>")),
    (1, _event("slow_query", "warning", table="product_texts", duration_ms="#<~700/1>")),
    (0.8, _event("worker_recycled", worker="#<1-8>", served=10000, rss_mb="#<280-410>")),
    (0.4, _event("translations_loaded", locale="<de|fr|pl|nl|it>", entries="#<4100-4900>")),
    (0.3, _event("settings_checked", source="consul", changed="#{}")),
    (0.15, _event("settings_refreshed", source="consul", changed='#{"<search_page_size|image_quality>": [24, '
         '<31-48>]}')),
)  # fmt: skip


def structlog(count: int, drawn: random.Random) -> PlantedLog:
    """A service's log in which the time that prices are cached for shrinks, and nearly every look-up becomes a miss."""
    point = fill(_event("settings_refreshed", source="consul", changed='#{"price_cache_ttl_s": [1800, 3]}'))
    later = weighted(
        (16, _event("price_cache", result="miss", sku="<hex8>", request_id="<uuid>")),
        (16, _event("pricing_called", skus="#<1-30>", duration_ms="#<~410/1>", request_id="<uuid>")),
        (2, _event("price_cache", result="hit", sku="<hex8>", age_s="#<0-2>", request_id="<uuid>")),
        (
            14,
            _event(
                "request_finished",
                path="/products/<1000-99999>",
                status=200,
                duration_ms="#<~560/1>",
                request_id="<uuid>",
            ),
        ),
        (1, _event("pricing_called", "error", skus="#<1-30>", status=429, duration_ms="#<~12/1>", request_id="<uuid>")),
    )
    kept = [_STRUCTLOG[0], *_STRUCTLOG[2:]]
    return plant("structlog", _STRUCTLOG, [point], [*kept, *later], count, drawn, _with_thousandths)
