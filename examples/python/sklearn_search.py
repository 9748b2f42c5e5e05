"""Tuning a scikit-learn model: a support vector machine on handwritten digits, against random search.

Run: python examples/python/sklearn_search.py        (needs: pip install neuralbo[sklearn])
"""

from __future__ import annotations

from scipy.stats import loguniform
from sklearn.datasets import load_digits
from sklearn.model_selection import RandomizedSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from neuralbo import Float
from neuralbo.integrations.sklearn import NeuralBOSearchCV


def main() -> None:
    images, digits = load_digits(return_X_y=True)
    train, test, train_digits, test_digits = train_test_split(images, digits, train_size=500, random_state=0)
    model = make_pipeline(StandardScaler(), SVC())

    space = {"svc__C": Float(1e-3, 1e3, log=True), "svc__gamma": Float(1e-6, 1e1, log=True)}
    ours = NeuralBOSearchCV(model, space, n_iter=20, cv=3, random_state=0).fit(train, train_digits)

    distributions = {"svc__C": loguniform(1e-3, 1e3), "svc__gamma": loguniform(1e-6, 1e1)}
    random = RandomizedSearchCV(model, distributions, n_iter=20, cv=3, random_state=0).fit(train, train_digits)

    for name, search in (("neuralbo", ours), ("random", random)):
        params = {key: float(f"{value:.3g}") for key, value in search.best_params_.items()}
        print(f"{name:9} cross-validated {search.best_score_:.4f}, test {search.score(test, test_digits):.4f} at {params}")


if __name__ == "__main__":
    main()
