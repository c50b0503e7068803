#!/bin/sh
set -e
test -s /etc/grafana/provisioning/datasources/prometheus.yaml
dashboards=$(sed -n 's/^ *path: *//p' /etc/grafana/provisioning/dashboards/tarsy.yaml)
ls "$dashboards"/tarsy-*.json
