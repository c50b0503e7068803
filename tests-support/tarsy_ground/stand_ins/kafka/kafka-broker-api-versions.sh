#!/bin/bash
# Health checks call it with --bootstrap-server HOST:PORT: whoever can connect, is answered.
exec 3<>"/dev/tcp/${2%:*}/${2#*:}"
