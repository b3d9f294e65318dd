# SPDX-License-Identifier: BSD-3-Clause
"""From samples to the table and the verdicts. Nothing here runs anything."""
import math
import sys
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "harness"))
from sample_statistics import median, median_interval

KIB, MIB = 1024, 1024 * 1024
# A turn with fewer at a size says nothing of it.
FEWEST_SAMPLES = 6
# What ours of each kind, staged and direct, must not lose to.
PROTOTYPES = ("prototype staged", "prototype direct")


@dataclass
class Entry:
    """One contender at one size: the samples of all rounds together."""
    samples_s: list = field(default_factory=list)
    round_medians_s: list = field(default_factory=list)

    def add(self, samples_s):
        self.samples_s += samples_s
        self.round_medians_s.append(median(samples_s))

    @property
    def time_s(self):
        return median(self.samples_s)


class Standings:
    """Who took how long: entries by size and contender's name.

    `library_of` has the library of every rival by its name; a contender that is in neither it nor
    `bound` is one of ours. What bounds the others counts with its best round, so that no disturbance
    of it flatters them.
    """

    def __init__(self, ranks, library_of, bound="memory"):
        self.ranks, self.library_of, self.bound = ranks, library_of, bound
        self.entries = {}

    def add(self, name, size_bytes, samples_s):
        self.entries.setdefault(size_bytes, {}).setdefault(name, Entry()).add(samples_s)

    def sizes(self):
        return sorted(self.entries)

    def time_s(self, name, size_bytes):
        entry = self.entries.get(size_bytes, {}).get(name)
        return entry.time_s if entry else None

    def busbw_gb_s(self, size_bytes, time_s):
        return 2 * (self.ranks - 1) / self.ranks * size_bytes / time_s * 1e-9

    def best_rival(self, size_bytes, library=None):
        """(time, name) of the fastest rival, or of one library's fastest setting; None if none."""
        times = [(entry.time_s, name) for name, entry in self.entries[size_bytes].items()
                 if name in self.library_of and library in (None, self.library_of[name])]
        return min(times, default=None)

    def ratio(self, name, size_bytes, library=None):
        """How many times faster than the best rival; None when either is missing."""
        mine, rival = self.time_s(name, size_bytes), self.best_rival(size_bytes, library)
        return rival[0] / mine if mine and rival else None

    def bound_s(self, size_bytes):
        """The median of the bound's best round."""
        bound = self.entries[size_bytes].get(self.bound)
        return min(bound.round_medians_s) if bound else None

    def of_bound(self, name, size_bytes):
        mine, bound_s = self.time_s(name, size_bytes), self.bound_s(size_bytes)
        return bound_s / mine if mine and bound_s else None


@dataclass(frozen=True)
class Distance:
    """How far the cores of the first two ranks were from each other, by a line's round trip."""
    least_s: float = 0.0
    most_s: float = math.inf
    typical_s: float = 0.0
    name: str = ""

    def holds(self, round_trip_s):
        return self.least_s <= round_trip_s < self.most_s

    def heading(self):
        return (f"Cores {self.name} (a cache line there and back in "
                f"{format_time(self.typical_s)})") if self.name else ""


def distances(round_trips_s):
    """The distances between cores that were seen: one, or two that differ by more than half.

    The hypervisor of a virtual machine moves its cores about, and what runs while they share a core
    of the processor cannot be held against what runs while they do not.
    """
    ordered = sorted(trip for trip in round_trips_s if trip > 0)
    if not ordered:
        return [Distance()]
    near_s, far_s = ordered[len(ordered) // 20], ordered[-1 - len(ordered) // 20]
    if far_s < 2 * near_s:
        return [Distance()]
    between_s = math.sqrt(near_s * far_s)
    sides = [[trip for trip in ordered if (trip < between_s) == is_near] for is_near in (True, False)]
    return [Distance(0.0, between_s, median(sides[0]), "near each other"),
            Distance(between_s, math.inf, median(sides[1]), "apart")]


def format_size(size_bytes):
    for unit, name in ((MIB, "MiB"), (KIB, "KiB")):
        if size_bytes >= unit:
            return f"{size_bytes / unit:g} {name}"
    return f"{size_bytes} B"


def format_time(time_s):
    for unit_s, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if time_s >= unit_s:
            return f"{time_s / unit_s:.3g} {name}"
    return f"{time_s * 1e9:.3g} ns"


def table(standings):
    """Lines: the contenders at each size, the fastest first."""
    lines = [f"{'size':>9}  {'contender':<36} {'time':>8}  {'95 % interval':<20} "
             f"{'busbw GB/s':>10}  {'best rival / it':>15}  {'of bound':>8}"]
    for size in standings.sizes():
        label = format_size(size)
        rival = standings.best_rival(size)
        ranking = sorted(standings.entries[size].items(), key=lambda item: item[1].time_s)
        for name, entry in ranking:
            lines.append(row(standings, size, name, entry, label, rival))
            label = ""
    return lines


def row(standings, size, name, entry, label, rival):
    interval = median_interval(entry.samples_s)
    between = "[" + ", ".join(map(format_time, interval)) + "]" if interval else "too few samples"
    time_s = entry.time_s
    if name == standings.bound:
        ratio, share, name = "", "", "memory bound"
        time_s, between = standings.bound_s(size), f"best of {len(entry.round_medians_s)} rounds"
    else:
        known, part = standings.ratio(name, size), standings.of_bound(name, size)
        ratio = f"{known:.2f}" if known else "-"
        share = f"{part:.0%}" if part else "-"
        if rival and name == rival[1]:
            ratio, name = "best rival", name + " *"
    return (f"{label:>9}  {name:<36} {format_time(time_s):>8}  {between:<20} "
            f"{standings.busbw_gb_s(size, time_s):10.3g}  {ratio:>15}  {share:>8}")


@dataclass
class Verdict:
    claim: str
    measured: str
    passed: bool | None  # None: not measured

    def line(self):
        word = {True: "yes", False: "NO", None: "not measured"}[self.passed]
        return f"  {word:<12}  {self.claim}: {self.measured}"


def at_least(claim, value, limit, unit="x"):
    if value is None:
        return Verdict(claim, "-", None)
    return Verdict(claim, f"{value:.2f}{unit}", value >= limit)


def worst_of(standings, claim, name, library, limit, sizes):
    """`name` is at least `limit` times as fast as the best of `library` at each of the sizes."""
    ratios = [(ratio, size) for size in sizes
              if (ratio := standings.ratio(name, size, library)) is not None]
    if not ratios:
        return Verdict(claim, "-", None)
    worst, size = min(ratios)
    missed = [format_size(size) for ratio, size in sorted(ratios, key=lambda r: r[1])
              if ratio < limit]
    where = f"{worst:.2f}x at {format_size(size)}" + (
        f"; missed at {', '.join(missed)}" if missed else "")
    return Verdict(claim, where, not missed)


def no_slower(standings, mine, other, slack=1.05):
    """`mine` takes no longer than `other`, which is no rival, at any size, but for noise."""
    ratios = [(theirs / ours, size) for size in standings.sizes()
              if (ours := standings.time_s(mine, size)) and (theirs := standings.time_s(other, size))]
    claim = f"{mine} as fast as {other} ({1 / slack:.2f}x) at every size"
    if not ratios:
        return Verdict(claim, "-", None)
    worst, size = min(ratios)
    return Verdict(claim, f"{worst:.2f}x at {format_size(size)}", worst >= 1 / slack)


def verdicts(standings, direct, staged, automatic, oversubscribed):
    if oversubscribed:
        return verdicts_oversubscribed(standings, automatic)
    sizes = standings.sizes()
    result = []
    for size, limit in ((2 * MIB, 6), (64 * MIB, 4)):
        at = format_size(size)
        known = size in standings.entries
        result.append(at_least(f"{direct} at {at} at least {limit} times the best rival",
                               standings.ratio(direct, size) if known else None, limit))
        result.append(at_least(f"{direct} at {at} at least 0.75 of the memory bound",
                               standings.of_bound(direct, size) if known else None, 0.75, ""))
    large = [size for size in sizes if 64 * KIB <= size <= 64 * MIB]
    result.append(worst_of(standings, f"{staged} at least 1.3 times the best rival from 64 KiB "
                           "to 64 MiB", staged, None, 1.3, large))
    result.append(worst_of(standings, f"{automatic} at most 1.1 times the best rival (0.91x) at "
                           "every size", automatic, None, 1 / 1.1, sizes))
    result.append(no_slower(standings, staged, PROTOTYPES[0]))
    result.append(no_slower(standings, direct, PROTOTYPES[1]))
    return result


def verdicts_oversubscribed(standings, automatic):
    limit = 100 if standings.ranks <= 8 else 40
    sizes = standings.sizes()
    large = [size for size in sizes if size >= 32 * KIB]
    return [worst_of(standings, f"{automatic} at 4 B at least {limit} times MPICH's best setting",
                     automatic, "MPICH", limit, [size for size in sizes if size == 4]),
            worst_of(standings, f"{automatic} faster than Open MPI from 32 KiB up", automatic,
                     "Open MPI", 1.0, large)]
