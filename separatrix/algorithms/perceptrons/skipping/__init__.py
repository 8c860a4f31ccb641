"""An optional speed-up of the cyclic perceptron: passes skip rows that cannot hold a mistake."""
