# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""libmarul1 for Python: see libmarul1(3) for what each call answers.

A Pool is opened by URI, a Client is opened of a pool.  What goes wrong with a
key is its status in the answer; exceptions are for misuse and for a pool that
is gone: ValueError, TypeError, BufferError, RuntimeError after a fork, OSError.
"""
from ._marul1 import *  # noqa: F403
from ._marul1 import __version__  # noqa: F401
