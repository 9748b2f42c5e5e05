"""Hydra's sweeper ``neuralbo``: ``python app.py --multirun hydra/sweeper=neuralbo 'x=interval(-5,5)'``."""
