"""Learning row by row: the loop, the orders, the stream; the methods are one file each beside this folder."""
