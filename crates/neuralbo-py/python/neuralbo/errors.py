"""Exception types; invalid arguments raise Python's ``ValueError`` and ``TypeError``."""


class NeuralboError(Exception):
    """Base class of the package's exceptions."""


class StudyEnded(NeuralboError, RuntimeError):
    """A limit of the study is reached: there are no more suggestions."""


class Exhausted(StudyEnded):
    """Every point of a finite space has been evaluated or is running."""


class StudyBusy(NeuralboError, RuntimeError):
    """All remaining trials of the study belong to other workers and are released if those die."""


class StudyChanged(NeuralboError, ValueError):
    """A parameter is requested in a form that is incompatible with the study."""


class StudyExists(NeuralboError, ValueError):
    """A study with this name already exists."""


class UnknownStudy(NeuralboError, KeyError):
    """No study has this name."""

    __str__ = Exception.__str__  # KeyError would print the text in quotes


class StorageError(NeuralboError, OSError):
    """The storage cannot be reached, read or written."""


class LeaseLost(NeuralboError, RuntimeError):
    """The trial took longer than its lease, and another worker has it now."""


class NoModel(NeuralboError, RuntimeError):
    """There is no model: the method has none, or there are too few results."""


class TrialPruned(NeuralboError):
    """Raised by an objective to end a trial early: ``if trial.should_prune(): raise neuralbo.TrialPruned``."""
