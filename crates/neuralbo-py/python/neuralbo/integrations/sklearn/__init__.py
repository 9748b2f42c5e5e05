"""scikit-learn: hyperparameter search with cross-validation, like ``RandomizedSearchCV``.

::

    from sklearn.datasets import load_iris
    from sklearn.svm import SVC
    from neuralbo import Float
    from neuralbo.integrations.sklearn import NeuralBOSearchCV

    X, y = load_iris(return_X_y=True)
    search = NeuralBOSearchCV(SVC(), {"C": Float(1e-2, 1e3, log=True), "kernel": ["rbf", "linear"]}, n_iter=15)
    print(search.fit(X, y).best_params_)
"""

from neuralbo.integrations._require import require

require("sklearn", "sklearn")

from neuralbo.integrations.sklearn._search_cv import NeuralBOSearchCV  # noqa: E402

__all__ = ["NeuralBOSearchCV"]
