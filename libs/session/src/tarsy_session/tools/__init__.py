"""Tools by the names that models use: offered, withheld, missing, refused. Pure."""
