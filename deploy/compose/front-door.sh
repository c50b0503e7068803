#!/bin/sh
# Starts nginx with front-door.conf, below TARSY_BASE_PATH in each form that services take: /tarsy, tarsy/, or nothing.
set -eu
path=$(printf '%s\n' "${TARSY_BASE_PATH:-}" | sed 's|^/*|/|; s|/*$||')
sed "s|BASE_PATH|$path|" /etc/tarsy/front-door.conf > /etc/nginx/conf.d/default.conf
exec nginx -g 'daemon off;'
