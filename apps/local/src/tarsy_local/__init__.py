"""A whole TARSy on one machine (`tarsy up`): its servers, its services, and the front door before them."""
