"""Lower bounds on the number of training errors: the searches that prove them."""
