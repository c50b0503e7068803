#!/bin/sh
# Makes a cluster with the user, password and database of the variables that the image of the PostgreSQL project knows.
set -e
data=/var/lib/postgresql/data
bin=$(ls -d /usr/lib/postgresql/*/bin)
if [ ! -e "$data/PG_VERSION" ]; then
    mkdir -p "$data"
    printf '%s' "$POSTGRES_PASSWORD" > /tmp/password
    "$bin/initdb" --no-sync -E UTF8 --locale=C.UTF-8 -D "$data" -U "$POSTGRES_USER" --pwfile=/tmp/password \
        --auth-host=scram-sha-256 --auth-local=trust > /tmp/initdb.log
    echo "host all all all scram-sha-256" >> "$data/pg_hba.conf"
    "$bin/pg_ctl" -D "$data" -w -l /tmp/first.log -o "-c listen_addresses='' -k /tmp" start
    createdb -h /tmp -U "$POSTGRES_USER" "$POSTGRES_DB"
    "$bin/pg_ctl" -D "$data" -w stop
fi
exec "$bin/postgres" -D "$data" -c listen_addresses='*' -k /tmp
