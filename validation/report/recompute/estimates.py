# SPDX-License-Identifier: BSD-3-Clause
"""Estimates from samples, written out from where they are published."""
import math


def median(values):
    values = sorted(values)
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2


def median_interval(values):
    """Le Boudec, "Performance Evaluation", theorem 2.1: the order statistics j and n + 1 - j with
    the largest j for which a binomial(n, 1/2) number lies below j with at most 2.5 %."""
    n, below, j = len(values), 0.0, 0
    while True:
        below += math.exp(math.lgamma(n + 1) - math.lgamma(j + 1) - math.lgamma(n - j + 1)
                          - n * math.log(2))
        if below > 0.025:
            break
        j += 1
    values = sorted(values)
    return (values[j - 1], values[n - j]) if j else (math.nan, math.nan)


def quartile(values, part):
    """Hyndman and Fan, type 7."""
    values = sorted(values)
    place = part * (len(values) - 1)
    low = int(place)
    return values[low] + (place - low) * (values[min(low + 1, len(values) - 1)] - values[low])


def looks_alike(older, newer):
    return min(older) <= median(newer) <= max(older)


def warmup_count(times):
    """Steps before the training was steady: from there on, of two windows of five, each has its
    median in the other's range; at most half of all, and the first at the least."""
    window, at_most = 5, len(times) // 2
    if len(times) < 2:
        return 0
    for begin in range(1, at_most + 1):
        if begin + 2 * window > len(times):
            break
        older, newer = times[begin:begin + window], times[begin + window:begin + 2 * window]
        if looks_alike(older, newer) and looks_alike(newer, older):
            return begin
    return 1 if len(times) < 2 * window + 1 else at_most
