"""The base of all exceptions of tarsy_contracts."""


class ContractError(Exception):
    """A message or an address does not keep its contract."""
