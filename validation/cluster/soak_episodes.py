# SPDX-License-Identifier: BSD-3-Clause
"""Holds the episodes of a soak against the faults that were injected: soak_episodes.py RECORD INJECTED REPORT

INJECTED has a line for each: FAULT BEGIN BEGUN END ENDED SUBJECT, in seconds since 1970: when the
command that injects it began and ended, and the same of the one that takes it away."""
import json
import pathlib
import sys

from record_rows import rows_of

# A fault begins at some moment between the beginning and the end of its command. What it changes has a
# place in every pass, forwards in one and backwards in the next. Of a pass that the fault begins in, it
# may see too little to make it slow; the next is the first that certainly is, and its first message may
# be its last: two passes later. The other way, a message of the pass in which it begins may have been
# slow already, by chance, and the pass before, too: two passes sooner. So it is with the end.
PASSES = 2
# Of a rank that stands still the moments are known from its pulse, at most one period before it and
# none after; but what else keeps a process back for less than silence_s (usual_times.hpp) is no
# finding of its own, so that a standstill may be longer by as much on either side, and never shorter.
SILENCE_S = 1.0


class Fault:
    def __init__(self, line, windows):
        self.line = line
        self.fault, *times_s, self.subject = line.split(" ", 5)
        self.begin_s, self.begun_s, self.end_s, self.ended_s = (float(time_s) for time_s in times_s)
        if self.fault == "silent":
            self.sooner_s, self.later_s = SILENCE_S, 0.0
            return
        passes_s = [(row["end_unix_s"] - row["begin_unix_s"]) / row["passes"] for row in windows
                    if row["begin_unix_s"] < self.ended_s and self.begin_s < row["end_unix_s"]]
        self.sooner_s = self.later_s = PASSES * max(passes_s, default=0.0)

    def is_found_as(self, episode):
        return (episode["fault"] == self.fault and episode["subject"] == self.subject
                and self.begin_s - self.sooner_s <= episode["begin_unix_s"] <= self.begun_s + self.later_s
                and self.end_s - self.later_s <= episode["end_unix_s"] <= self.ended_s + self.sooner_s)

    def __str__(self):
        return (f"{self.fault}: {self.subject}: {self.begin_s:.3f} to {self.end_s:.3f}, known to "
                f"{self.sooner_s:.3f} s outwards and {self.later_s:.3f} s inwards")


def main():
    record = json.loads(pathlib.Path(sys.argv[1]).read_text())
    page = pathlib.Path(sys.argv[3]).read_text()
    found = [row for row in rows_of(record, "derived", "episodes") if row["suspected"] > 0]
    windows = rows_of(record, "samples", "soak_windows")
    well = True
    for line in pathlib.Path(sys.argv[2]).read_text().splitlines():
        fault = Fault(line, windows)
        match = next((episode for episode in found if fault.is_found_as(episode)), None)
        if match is None:
            print(f"not found: {fault}")
            well = False
            continue
        found.remove(match)
        print(f"{fault}; found {match['begin_unix_s']:.3f} to {match['end_unix_s']:.3f}")
        if match["begin"] not in page or fault.subject not in page:
            print(f"not in the report: {fault}")
            well = False
    for episode in found:
        print(f"not injected: {episode}")
    sys.exit(0 if well and not found else 1)


main()
