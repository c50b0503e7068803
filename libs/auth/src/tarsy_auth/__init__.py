"""Who a caller is, and which role it has. It knows no HTTP framework and no service."""
