"""What can go wrong, as types; wrong arguments are Python's own ``ValueError`` and ``TypeError``."""


class NeuralboError(Exception):
    """Anything below."""


class StudyEnded(NeuralboError, RuntimeError):
    """There is nothing to ask for any more: a limit of the study is reached."""


class Exhausted(StudyEnded):
    """Every point of a finite space has been evaluated or is running."""


class StudyBusy(NeuralboError, RuntimeError):
    """All trials that the study may have are with others, and may come back if those die."""


class StudyChanged(NeuralboError, ValueError):
    """A parameter is asked for as something that the study's parameter of this name cannot become."""


class StudyExists(NeuralboError, ValueError):
    """A study of this name exists already."""


class UnknownStudy(NeuralboError, KeyError):
    """No study has this name."""

    __str__ = Exception.__str__  # KeyError would print the text in quotes


class StorageError(NeuralboError, OSError):
    """The storage cannot be reached, read or written."""


class LeaseLost(NeuralboError, RuntimeError):
    """The trial took longer than its lease, and somebody else has it now."""


class NoModel(NeuralboError, RuntimeError):
    """There is no model to look at: the method has none, or too little was told."""


class TrialPruned(NeuralboError):
    """Raised by an objective to end a trial early: ``if trial.should_prune(): raise neuralbo.TrialPruned``."""
