"""``python -m dialog_ext.cli``, the same as the ``dialog`` command."""

import sys

from .main import main

sys.exit(main())
