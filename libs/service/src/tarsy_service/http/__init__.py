"""HTTP for strangers: a bounded server, routes, problems, and what every answer has."""
