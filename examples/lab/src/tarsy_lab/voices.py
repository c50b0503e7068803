"""The programs that write the long logs."""

from tarsy_lab.noise import Dice, Voice

# The rare ones look like causes and are none.
_CHECKOUT = (
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
)
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

_REINDEX = (
    (240, "DEBUG reindex.source shelf {shelf}: {rows} rows of stock_levels read in {ms} ms"),
    (180, "DEBUG reindex.bulk shelf {shelf}: {rows} documents encoded, {size} KiB"),
    (120, "DEBUG reindex.buffer {size} KiB waiting, {few} shelves ahead of the writer"),
    (30, "INFO  reindex.memory heap {heap} MiB of 2048 MiB, {few} collections in the last minute"),
    (12, "WARN  reindex.source slow read of shelf {shelf}: {slow} ms, threshold 500 ms"),
    (6, "WARN  reindex.rows shelf {shelf}: sku-{sku} has a negative amount, written as 0"),
    (3, "WARN  reindex.source connection of the replica was reset, opened again after {ms} ms"),
    (1, "ERROR reindex.images no picture for sku-{sku}, left out"),
)

# Everyday lines of cert-manager's controllers, in klog's form.
_CERT_MANAGER = (
    (220, 'I logger.go:42] "syncing item" logger="cert-manager.{controller}" key="{object}"'),
    (
        160,
        'I ingress.go:99] "certificate already exists for ingress resource, ensuring it is up to date"'
        ' logger="cert-manager.ingress-shim" resource_name="{host}" resource_namespace="{namespace}"'
        ' resource_kind="Ingress" resource_version="v1" related_resource_name="{host}-tls"',
    ),
    (
        140,
        'I conditions.go:96] "certificate is up to date and has not expired" logger="cert-manager.certificates-trigger"'
        ' key="{namespace}/{host}-tls" renewal_in="{days}d{hours}h"',
    ),
    (
        90,
        'I requests.go:119] "reconciled secret" logger="cert-manager.certificates-issuing" key="{namespace}/{host}-tls"'
        ' secret_resource_version="{version}"',
    ),
    (60, 'I trace.go:236] "Calling webhook with tracing" webhook="webhook.cert-manager.io" duration_ms={ms}'),
    (
        24,
        'I controller.go:171] "re-queuing item due to optimistic locking on resource"'
        ' logger="cert-manager.{controller}" key="{object}" error="Operation cannot be fulfilled: the object has been'
        ' modified; please apply your changes to the latest version and try again"',
    ),
    (
        8,
        'E controller.go:162] "re-queuing item due to error processing" logger="cert-manager.certificates-readiness"'
        ' key="{object}" err="Timeout: request did not complete within requested timeout"',
    ),
    (
        5,
        'E acme.go:217] "rate limited" logger="cert-manager.acme" resource_namespace="staging"'
        ' err="429 urn:ietf:params:acme:error:rateLimited: too many new orders for preview-{few}.example.com,'
        ' retry after {hours}h"',
    ),
    (
        3,
        'W warnings.go:70] metadata.finalizers: "finalizer.acme.cert-manager.io": prefer a domain-qualified finalizer'
        " name to avoid accidental conflicts",
    ),
    (
        2,
        "E leaderelection.go:429] Failed to update lock optimistically: Put"
        ' "https://10.43.0.1:443/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/cert-manager-controller":'
        " context deadline exceeded, falling back to slow path",
    ),
)
_CONTROLLERS = (
    "certificates-readiness",
    "certificates-key-manager",
    "certificaterequests-approver",
    "certificaterequests-issuer-acme",
    "orders",
    "clusterissuers",
)
_HOSTS = ("wholesale", "supplier-portal", "status", "returns", "press", "careers")
_NAMESPACES = ("storefront", "wholesale", "platform", "staging")

_POSTGRES = (
    (
        200,
        "[{pid}] {user}@fulfilment LOG:  duration: {slow} ms  execute fetch_{table}: "
        "SELECT id, state FROM {table} WHERE id = $1",
    ),
    (
        150,
        "[{pid}] {user}@fulfilment LOG:  connection authorized: user={user} database=fulfilment"
        " application_name={user}",
    ),
    (
        150,
        "[{pid}] {user}@fulfilment LOG:  disconnection: session time: 0:1{few}:2{few}.{ms} user={user}"
        " database=fulfilment host=10.42.{few}.{ms}",
    ),
    (
        40,
        "[31] LOG:  checkpoint complete: wrote {rows} buffers ({few}.1%); 0 WAL file(s) added,"
        " {few} recycled; write={ms}.{few} s",
    ),
    (30, '[{pid}] LOG:  automatic vacuum of table "fulfilment.public.{table}": index scans: 1, tuples: {rows} removed'),
    (8, "[{pid}] {user}@fulfilment ERROR:  canceling statement due to statement timeout"),
    (
        6,
        "[{pid}] {user}@fulfilment LOG:  process {pid} still waiting for ShareLock on transaction"
        " {rows}{pid} after 1000.{ms} ms",
    ),
    (4, "[33] LOG:  checkpoints are occurring too frequently ({ms} seconds apart)"),
    (3, '[{pid}] streaming_replica@[unknown] LOG:  standby "fulfilment-db-2" is {ms} seconds behind'),
    (2, "[{pid}] [unknown]@[unknown] LOG:  could not receive data from client: Connection reset by peer"),
)


def _object(dice: Dice) -> str:
    return f"{dice.pick(_NAMESPACES)}/{dice.pick(_HOSTS)}-tls-{1 + dice.below(9)}"


VOICES = {
    "checkout": Voice(
        templates=_CHECKOUT,
        fields={
            "method": lambda dice: dice.pick(_METHODS),
            "path": lambda dice: dice.pick(_PATHS),
            "status": lambda dice: dice.pick(_STATUSES),
            "table": lambda dice: dice.pick(_TABLES),
            "queue": lambda dice: dice.pick(_QUEUES),
            "ms": lambda dice: 4 + dice.below(90),
            "slow": lambda dice: 500 + dice.below(900),
            "few": lambda dice: 1 + dice.below(6),
            "items": lambda dice: 1 + dice.below(9),
            "cart": lambda dice: 400_000 + dice.below(9_000),
            "sku": lambda dice: 1_000 + dice.below(800),
            "ratio": lambda dice: 80 + dice.below(19),
        },
    ),
    "stock-reindex": Voice(
        templates=_REINDEX,
        fields={
            "shelf": lambda dice: f"{dice.pick(('A', 'B', 'C', 'D'))}-{100 + dice.below(800)}",
            "rows": lambda dice: 200 + dice.below(1_800),
            "ms": lambda dice: 3 + dice.below(60),
            "slow": lambda dice: 500 + dice.below(700),
            "size": lambda dice: 40 + dice.below(900),
            "heap": lambda dice: 610 + dice.below(240),
            "few": lambda dice: 1 + dice.below(5),
            "sku": lambda dice: 1_000 + dice.below(9_000),
        },
    ),
    "cert-manager": Voice(
        templates=_CERT_MANAGER,
        fields={
            "controller": lambda dice: dice.pick(_CONTROLLERS),
            "object": _object,
            "host": lambda dice: dice.pick(_HOSTS),
            "namespace": lambda dice: dice.pick(_NAMESPACES),
            "days": lambda dice: 2 + dice.below(57),
            "hours": lambda dice: 1 + dice.below(23),
            "version": lambda dice: 88_100_000 + dice.below(900_000),
            "ms": lambda dice: 1 + dice.below(40),
            "few": lambda dice: 1 + dice.below(6),
        },
    ),
    "fulfilment-db": Voice(
        templates=_POSTGRES,
        fields={
            "pid": lambda dice: 12_000 + dice.below(9_000),
            "user": lambda dice: dice.pick(("orders", "orders", "shipping", "invoicing")),
            "table": lambda dice: dice.pick(("parcels", "invoices", "order_lines", "carriers", "labels")),
            "few": lambda dice: 1 + dice.below(5),
            "ms": lambda dice: 11 + dice.below(80),
            "slow": lambda dice: f"{1 + dice.below(40)}.{100 + dice.below(900)}",
            "rows": lambda dice: 40 + dice.below(4_000),
        },
    ),
}
