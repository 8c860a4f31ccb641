"""Perceptrons: one file per method; training loop, learner, row order, step sizes and stream are shared."""
