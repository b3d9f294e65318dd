# SPDX-License-Identifier: BSD-3-Clause
"""Numbers of the page held against what they should be, and what did not agree."""
import math
import re
from collections import Counter

from page import shown_number

NO_NUMBERS = ("unbounded", "-unbounded", "no lower bound", "no upper bound", "too few samples")
ODDS = re.compile(r"^(\S.* to 1|(under )?1 to \S.*)$")


class Comparison:
    def __init__(self):
        self.counts, self.differ = Counter(), []

    def number(self, how, where, text, expected):
        if expected is None or isinstance(expected, str) or math.isnan(expected):
            return
        shown = shown_number(text)
        if shown is None:
            if text not in NO_NUMBERS and not ODDS.match(text):
                self.differ.append(f"{where}: '{text}' is no number; expected {expected!r}")
            return
        self.counts[how] += 1
        value, half = shown
        if abs(value - expected) > half + 1e-12 * abs(expected):
            self.differ.append(f"{where}: the page says '{text}', {how} gives {expected!r}")
