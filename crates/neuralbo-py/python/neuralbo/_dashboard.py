"""Studies in a browser, or inside a notebook."""

from __future__ import annotations

import html
import sys
import webbrowser
from pathlib import Path
from types import TracebackType
from typing import Optional, Type, Union
from urllib.parse import quote

from neuralbo import _check, _engine
from neuralbo.study import Study


class Dashboard:
    """A running dashboard, created by :func:`dashboard`. It ends with :meth:`stop`, at the end of a ``with`` block, or
    with Python.

    >>> import neuralbo
    >>> study = neuralbo.create_study(seed=1)
    >>> with neuralbo.dashboard(study) as shown:  # doctest: +ELLIPSIS
    ...     shown.running
    http://127.0.0.1:...
    True
    """

    def __init__(self, core: _engine.Dashboard, page: str) -> None:
        self._core = core
        self._page = page

    @property
    def url(self) -> str:
        """The address to open in a browser."""
        return self._core.url + self._page

    @property
    def token(self) -> Optional[str]:
        """The token required to edit studies, or to view them from another machine; ``None`` if not needed."""
        return self._core.token

    @property
    def running(self) -> bool:
        """Whether it is running."""
        return self._core.running

    def stop(self) -> None:
        """Stop the dashboard; no effect if it has ended.

        >>> import neuralbo
        >>> shown = neuralbo.dashboard(neuralbo.create_study())  # doctest: +ELLIPSIS
        http://127.0.0.1:...
        >>> shown.stop()
        >>> shown.running
        False
        """
        self._core.stop()

    def __enter__(self) -> Dashboard:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<neuralbo dashboard {self.url if self.running else '(stopped)'}>"

    def _repr_html_(self) -> str:
        if not self.running:
            return "<p>This dashboard has been stopped.</p>"
        address = html.escape(self.url, quote=True)
        return f'<iframe src="{address}" width="100%" height="720" title="neuralbo dashboard" style="border: 0"></iframe>'


def dashboard(
    source: Union[Study, str],
    *,
    port: int = 0,
    open: bool = False,  # noqa: A002 - the word users look for
    host: str = "127.0.0.1",
    token: Optional[str] = None,
    allow_edit: bool = False,
) -> Dashboard:
    """Show a study, or all studies of a storage, in a browser; the server is a thread of this process.

    >>> import neuralbo
    >>> study = neuralbo.create_study(seed=1)
    >>> study.optimize(lambda trial: trial.suggest_float("x", -5, 5) ** 2, n_trials=3)
    >>> with neuralbo.dashboard(study) as page:  # doctest: +ELLIPSIS
    ...     page.running
    http://127.0.0.1:...
    True

    In a notebook, the returned object shows the page inline.

    Args:
        source: a study, also in memory, or a storage such as ``"sqlite:///path.db"``.
        port: the port; 0 takes any free one.
        open: whether to open it in the browser.
        host: the address to listen on. On addresses other than loopback every viewer needs the token.
        token: the token, at least 16 characters; generated if one is needed and none is given.
        allow_edit: whether holders of the token may enqueue trials, change limits, stop studies and add notes.
    """
    study = source if isinstance(source, Study) else None
    url = None if study is not None else _check.text(source, "source")
    place = _check.text(host, "host"), _check.count(port, "port", 0, 65535)
    secret = None if token is None else _check.text(token, "token")
    core = _engine.Dashboard(url, None if study is None else study._core, *place, secret, _check.flag(allow_edit, "allow_edit"))
    page = "" if study is None else f"#/study/{quote(study.study_name, safe='')}"
    made = Dashboard(core, page)
    print(made.url, file=sys.stdout, flush=True)
    if open:
        webbrowser.open(made.url)
    return made


def report(study: Study, path: Union[str, Path]) -> None:
    """Write a study as one self-contained page, for mail and archives.

    >>> import neuralbo, pathlib, tempfile
    >>> study = neuralbo.create_study(seed=1)
    >>> study.optimize(lambda trial: trial.suggest_float("x", -1, 1) ** 2, n_trials=3)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     neuralbo.report(study, pathlib.Path(folder, "study.html"))
    ...     "<html" in pathlib.Path(folder, "study.html").read_text()
    True
    """
    if not isinstance(study, Study):
        raise TypeError(f"study must be a neuralbo.Study, found {type(study).__name__}")
    Path(path).write_text(_engine.report(study._core), encoding="utf-8")
