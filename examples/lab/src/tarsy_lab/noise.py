"""What a shop's checkout service writes on an ordinary day, red herrings included."""

from collections.abc import Callable
from dataclasses import dataclass, field

_MULTIPLIER = 6364136223846793005
_INCREMENT = 1442695040888963407
_MODULUS = 1 << 64


@dataclass
class Dice:
    """A linear congruential generator: `random` may change its sequences between Python versions, this cannot."""

    state: int

    def below(self, limit: int) -> int:
        self.state = (self.state * _MULTIPLIER + _INCREMENT) % _MODULUS
        return (self.state >> 33) % limit

    def pick[T](self, choices: tuple[T, ...]) -> T:
        return choices[self.below(len(choices))]


_PATHS = (
    "/api/v1/cart",
    "/api/v1/cart/items",
    "/api/v1/checkout",
    "/api/v1/shipping/quote",
    "/healthz",
    "/api/v1/vouchers",
)
_METHODS = ("GET", "GET", "POST", "POST", "PUT", "DELETE")
_STATUSES = (200, 200, 200, 200, 201, 204, 304, 404, 409)
_TABLES = ("orders", "order_items", "stock", "vouchers", "customers")
_QUEUES = ("orders.placed", "mail.outgoing", "stock.reserved")

# A template's weight is how often it comes among the sum of all; the rare ones look like causes and are none.
_TEMPLATES: tuple[tuple[int, str], ...] = (
    (300, "INFO  checkout.http request {request} {method} {path} status={status} duration_ms={ms}"),
    (160, "DEBUG checkout.cart request {request} priced {items} items, cart {cart}, currency EUR, vouchers {few}"),
    (120, "DEBUG checkout.db request {request} select from {table} rows={items} duration_ms={few}"),
    (90, "INFO  checkout.orders request {request} order {cart} accepted, {items} items, handed to {queue}"),
    (70, "DEBUG checkout.stock request {request} reserved {items} of sku-{sku} in warehouse {few}"),
    (60, "INFO  checkout.payments request {request} authorised by provider in {ms} ms, attempt 1 of 3"),
    (40, "DEBUG checkout.cache hit ratio 0.{ratio} over the last 1000 lookups, {sku} keys"),
    (14, "WARN  checkout.db slow query on {table}: {slow} ms, rows={sku}, plan=index scan, threshold 500 ms"),
    (10, "WARN  checkout.payments request {request} provider answered 503, retrying in {ms} ms, attempt 2 of 3"),
    (8, "WARN  checkout.pool waited {ms} ms for a database connection, {few} in queue, PAYMENTS_POOL_MAX=20"),
    (6, "INFO  checkout.auth request {request} token expired, client was asked to sign in again"),
    (4, "INFO  checkout.mail password reset requested for customer {cart}, mail queued in {queue}"),
    (3, "WARN  checkout.cache redis failover noticed, primary moved, reconnected after {ms} ms"),
    (2, "WARN  checkout.tls certificate of payments.example.com expires in 29 days"),
    (1, "ERROR checkout.mail smtp connection reset by peer, message {cart} will be sent again"),
)  # fmt: skip

_TOTAL_WEIGHT = sum(weight for weight, _ in _TEMPLATES)
_OPEN_REQUESTS = 12


@dataclass
class Noise:
    """Endless ordinary lines; the lines of one request lie near each other, as they do in reality."""

    dice: Dice
    _requests: list[str] = field(default_factory=list)

    def line(self) -> str:
        return self._template().format(**{name: draw() for name, draw in self._fields().items()})

    def _template(self) -> str:
        ticket = self.dice.below(_TOTAL_WEIGHT)
        for weight, template in _TEMPLATES:
            ticket -= weight
            if ticket < 0:
                return template
        raise AssertionError("the weights do not add up")

    def _request(self) -> str:
        if len(self._requests) < _OPEN_REQUESTS:
            self._requests.append(f"{self.dice.below(1 << 24):06x}")
        position = self.dice.below(len(self._requests))
        return self._requests.pop(position) if self.dice.below(5) == 0 else self._requests[position]

    def _fields(self) -> dict[str, Callable[[], object]]:
        return {
            "request": self._request,
            "method": lambda: self.dice.pick(_METHODS),
            "path": lambda: self.dice.pick(_PATHS),
            "status": lambda: self.dice.pick(_STATUSES),
            "table": lambda: self.dice.pick(_TABLES),
            "queue": lambda: self.dice.pick(_QUEUES),
            "ms": lambda: 4 + self.dice.below(90),
            "slow": lambda: 500 + self.dice.below(900),
            "few": lambda: 1 + self.dice.below(6),
            "items": lambda: 1 + self.dice.below(9),
            "cart": lambda: 400_000 + self.dice.below(9_000),
            "sku": lambda: 1_000 + self.dice.below(800),
            "ratio": lambda: 80 + self.dice.below(19),
        }
