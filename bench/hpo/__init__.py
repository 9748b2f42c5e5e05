"""The tuning benchmark: hyper-parameters of real scikit-learn models, and the optimizers that tune them. See README.md."""
