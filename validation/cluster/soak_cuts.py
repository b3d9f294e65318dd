# SPDX-License-Identifier: BSD-3-Clause
"""Holds the silences of a soak against the cuts that were made: soak_cuts.py RECORD INJECTED

INJECTED has a line for each: BEGIN BEGUN END ENDED, in seconds since 1970: when the command that cuts the
cable began and ended, and the same of the one that mends it."""
import json
import pathlib
import sys

from record_rows import rows_of

# A wait is noted from its first nap, after 0.1 s at most (collectives/cluster/waiting.cpp), and a message
# that was under way when the cable was cut had been awaited for less than another tenth.
KNOWN_S = 0.2
# TCP sends again for the first time after its estimate of a round trip and of how that varies, which is
# 0.2 s at least and some tenths more where others have the cores.
FIRST_S = 1.0


def is_of(cut, episode):
    """It begins with the cut, and ends once TCP sends again after it was mended: at the latest after as long
    again as it has waited, and the time that its commands took."""
    begin_s, begun_s, end_s, ended_s = cut
    return (episode["fault"] == "silent" and "node1" in episode["subject"] and "node2" in episode["subject"]
            and begin_s - KNOWN_S <= episode["begin_unix_s"] <= begun_s + KNOWN_S
            and end_s <= episode["end_unix_s"] <= ended_s + (ended_s - begin_s) + FIRST_S)


def main():
    record = json.loads(pathlib.Path(sys.argv[1]).read_text())
    episodes = rows_of(record, "derived", "episodes")
    cuts = [[float(time_s) for time_s in line.split()] for line in pathlib.Path(sys.argv[2]).read_text().splitlines()]
    well = True
    for cut in cuts:
        found = [episode for episode in episodes if is_of(cut, episode)]
        if not found:
            print("not found: " + " ".join(f"{time_s:.3f}" for time_s in cut))
            well = False
        for episode in found:
            print(f"cut {cut[0]:.3f} to {cut[3]:.3f}: {episode['subject']}, {episode['begin_unix_s']:.3f} to "
                  f"{episode['end_unix_s']:.3f}, suspected {episode['suspected']}, without a core "
                  f"{episode['no_core_s']} s, disturbed {episode['disturbed']}")
            episodes.remove(episode)
            # Only a busy machine leaves it undecided.
            silent_s = episode["end_unix_s"] - episode["begin_unix_s"] - (episode["no_core_s"] or 0.0)
            if episode["suspected"] == 0 and episode["disturbed"] == 0 and silent_s > 1.0:
                print("is not held against the cluster")
                well = False
    # The cores of this machine are the wires here: messages of 16 KiB are a third slower in one direction for some
    # seconds now and then, cut or not. So this test holds silences against the cluster alone.
    for episode in episodes:
        if episode["suspected"] > 0 and episode["fault"] != "slow":
            print(f"not injected: {episode}")
            well = False
    sys.exit(0 if well else 1)


main()
