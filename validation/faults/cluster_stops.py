# SPDX-License-Identifier: BSD-3-Clause
"""Random ranks are stopped at random moments on the virtual cluster, in the real commands:

    cluster_stops.py CLUSTER SHARDSTONE TIMES [SEED]

Each job says within LONGEST_S which rank on which node was stopped in what, and ends with 4. In the
commands of every second turn nobody is stopped, and nobody may be named. Code 77: not possible here.
"""
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "validation/use"))
from command import expect
from killed_runs import ranks_of

NODES, RANKS = 2, 4
LONGEST_S = 10.0
CLUSTER = f"--cluster {ROOT / 'jobs/clusters/cpu-virtual-4x4.toml'}"
# What can be stopped at any time, and what comes to its end.
COMMANDS = (("train --model nano --global-batch 8 --steps 1000000 --plan dp=4", "train --model nano --steps 100"),
            (f"collectives --op all -b 4 -e 64K -n 500 {CLUSTER}", f"collectives --op all_gather -b 4 -e 4K {CLUSTER}"),
            ("validate equivalence", "validate equivalence --quick --steps 2 --only tp=4"),
            ("overlap --model nano --rounds 10000", "overlap --model nano --rounds 3"),
            ("calibrate --output c.toml", "calibrate --output c.toml --op all_reduce --largest 1K --seconds 0.01"))


class Nodes:
    """The virtual cluster, and a folder that the jobs run in."""

    def __init__(self, cluster, program, folder):
        self.cluster, self.program, self.folder = cluster, program, pathlib.Path(folder)
        self.name = f"stops{os.getpid()}"

    def call(self, *words):
        return [self.cluster, words[0], "--name", self.name, *words[1:]]

    def start(self, line):
        for left in self.folder.iterdir():
            left.unlink()
        return subprocess.Popen([*self.call("run", "--timeout", "300", "-n", str(RANKS)), self.program, *line.split()],
                                cwd=self.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def stop_one(nodes, line, choice):
    """Seconds from the stop to the end of the job."""
    job = nodes.start(line)
    while len(ranks_of(nodes)) < RANKS:
        expect(job.poll() is None, f"'{line}' begins", job.stderr.read() if job.poll() is not None else "")
        time.sleep(0.02)
    time.sleep(choice.uniform(1.0, 3.0))
    victim = choice.randrange(RANKS)
    os.kill(ranks_of(nodes)[victim], signal.SIGSTOP)
    begin = time.monotonic()
    out, err = job.communicate()
    seconds = time.monotonic() - begin
    named = re.findall(r"stalled: (.*) stopped for", err)
    node = f"node{victim // (RANKS // NODES) + 1}"
    expect(job.returncode == 4, f"'{line}' ends with 4, not {job.returncode}", out[-500:] + err)
    expect(len(named) == 1 and re.fullmatch(rf"rank {victim} on {node} \(in .+\)", named[0]),
           f"rank {victim} on {node} is named, with what it was doing: {named}", err)
    expect(seconds < LONGEST_S, f"within {LONGEST_S} s, not {seconds:.1f}", err)
    return seconds


def is_left_alone(nodes, line):
    job = nodes.start(line)
    out, err = job.communicate()
    expect(job.returncode in (0, 1) and "stalled" not in err, f"'{line}' ends well, not with {job.returncode}",
           out[-500:] + err)


def repeat(nodes, times, choice):
    slowest_s = 0.0
    for turn in range(times):
        stopped, healthy = COMMANDS[turn % len(COMMANDS)]
        slowest_s = max(slowest_s, stop_one(nodes, stopped, choice))
        if turn % 2 == 1:
            is_left_alone(nodes, healthy)
        if (turn + 1) % 10 == 0:
            print(f"{turn + 1} of {times} stops named, {(turn + 1) // 2} runs left alone; "
                  f"the slowest end took {slowest_s:.1f} s", flush=True)


def main():
    cluster, program, times = sys.argv[1], sys.argv[2], int(sys.argv[3])
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else random.randrange(1 << 30)
    if subprocess.run([cluster, "check"], check=False).returncode != 0:
        sys.exit(77)
    print(f"{times} stops; seed {seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="shardstone-stops-") as folder:
        nodes = Nodes(cluster, program, folder)
        subprocess.run(nodes.call("up", "--nodes", str(NODES)), check=True)
        try:
            repeat(nodes, times, random.Random(seed))
        finally:
            subprocess.run(nodes.call("down"), check=True)


main()
