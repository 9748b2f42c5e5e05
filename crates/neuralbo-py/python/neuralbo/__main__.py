"""``python -m neuralbo``: the command line."""

from __future__ import annotations

import sys

from neuralbo._command import main

if __name__ == "__main__":
    sys.exit(main())
