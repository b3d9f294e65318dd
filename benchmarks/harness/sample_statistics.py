# SPDX-License-Identifier: BSD-3-Clause
"""Medians and intervals by the rules of kernels/base/statistics.hpp, for the scripts.

statistics_test holds both to each other, number by number.
"""
import math


def median(samples):
    """Mean of the two middle ones for an even count."""
    values = sorted(samples)
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2


def median_interval(samples, confidence=0.95):
    """Distribution-free; None where the samples are too few, under 6 for 95 %."""
    count = len(samples)
    each_side = (1 - confidence) / 2
    below = 0.0  # P(B <= trimmed), B binomial(count, 1/2)
    trimmed = 0
    while trimmed < count:
        # By logarithms, since 2 ** -count is no number for thousands of samples.
        below += math.exp(math.lgamma(count + 1) - math.lgamma(trimmed + 1)
                          - math.lgamma(count - trimmed + 1) - count * math.log(2))
        if below > each_side:
            break
        trimmed += 1
    if trimmed == 0:
        return None
    values = sorted(samples)
    return values[trimmed - 1], values[count - trimmed]


def quartiles(values):
    """Where a quarter, half and three quarters of these very values lie."""
    ordered = sorted(values)

    def at(part):
        position = part * (len(ordered) - 1)
        lower = int(position)
        upper = min(lower + 1, len(ordered) - 1)
        return ordered[lower] + (position - lower) * (ordered[upper] - ordered[lower])

    return at(0.25), median(ordered), at(0.75)
