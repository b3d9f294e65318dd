# SPDX-License-Identifier: BSD-3-Clause
"""Jobs whose rows are counted while they run, of which a rank is stopped meanwhile, and the rows of their records."""
import os
import pathlib
import signal
import threading
import time

from command import Outcome

# Many points, each ended by its time where a busy machine scatters them; no calibration before.
PLAN = ("collectives --op all_reduce,all_gather --algorithm ring,mpi -b 4 -e 256K -f 2 --seconds 0.1 "
        "--cluster clock.toml")
CLUSTER = """name = "clock"
source = "made up"
nodes = 1
ranks_per_node = 4
[links.intra_node]
alpha_s = 1e-6
bandwidth_gb_s = 10
source = "made up"
[links.inter_node]
alpha_s = 1e-6
bandwidth_gb_s = 10
source = "made up"
[reduction]
rate_gb_s = 10
source = "made up"
"""
TRAIN = "train --model nano --global-batch 12 --steps 600 --log-every 1"
STUDY = "study pipeline --layers 1 --channels 32 --micro-batches 2,4,8 --steps 60"


def sweep_row(line):
    return " exact" in line


def step_row(line):
    return line.split()[:1] != [] and line.split()[0].isdigit() and "validation" not in line


def study_row(line):
    return line.split()[:1] != [] and line.split()[0] in ("naive", "gpipe", "1f1b")


class Watched:
    """A job whose rows are counted while it runs."""

    def __init__(self, place, line, ranks, is_row):
        self.job = place.start(f"{line} --json r.json --force", ranks)
        self.rows, self.said = 0, ""
        self.reader = threading.Thread(target=self.read, args=(is_row,))
        self.reader.start()

    def read(self, is_row):
        for line in self.job.stdout:
            self.said += line
            self.rows += is_row(line)

    def wait_for_row(self):
        while self.rows == 0 and self.job.poll() is None:
            time.sleep(0.005)

    def end(self):
        self.reader.join(timeout=200)
        return self.job.wait(timeout=10), self.said + self.job.stderr.read()

    def outcome(self):
        """The same with what it said on stdout and stderr apart."""
        self.reader.join(timeout=200)
        return Outcome(self.job.wait(timeout=10), self.said, self.job.stderr.read())


def stop(process):
    """Returns when it is: on a busy machine it takes a while to get the core on which it stops."""
    os.kill(process, signal.SIGSTOP)
    stat = pathlib.Path(f"/proc/{process}/stat")
    while stat.read_text().rpartition(")")[2].split()[0] != "T":
        time.sleep(0.0005)


def rows_of(record, name, group="derived"):
    """Those of a table; none where the record has no such table."""
    for table in record[group]:
        if table["name"] == name:
            columns = {c["name"]: c.get("numbers") or c.get("texts") or [] for c in table["columns"]}
            return [dict(zip(columns, row)) for row in zip(*columns.values())]
    return []


def outliers(record):
    return rows_of(record, "outliers")
