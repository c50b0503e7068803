"""Dashboards of Grafana: `panels` has their parts, one module has each dashboard, `grafana_json` writes the files."""
