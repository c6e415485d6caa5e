# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""LMCache's L1 on a pool of maru_l1."""
from .manager import MaruL1Manager

__all__ = ["MaruL1Manager"]
