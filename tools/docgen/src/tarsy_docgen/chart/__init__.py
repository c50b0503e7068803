"""Values of the Helm chart: their schema, their defaults and their page, of one file."""
