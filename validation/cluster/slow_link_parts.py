# SPDX-License-Identifier: BSD-3-Clause
"""A link at half its rate, on the virtual cluster, is found in its own part of where a step went, in its size:
slow_link_parts.py CLUSTER SHARDSTONE. The ranks sleep where others would compute, and wait for that link a while,
for which they are ready but mostly without a message: that is not waiting for cores."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

NAME = f"slow{os.getpid()}"
RATE_MBIT = 200
PART = "slower than described between nodes"
# Of the planted loss, in its own part and in any other: what a decomposition must reach.
MOST_OFF = 0.15
# What such a link carries of payload: 0.94 of its rate (jobs/clusters/cpu-virtual-4x4.toml).
DESCRIPTION = f"""name = "two nodes"
source = "a test"
nodes = 2
ranks_per_node = 1
[links.intra_node]
alpha_s = 1.6e-6
bandwidth_gb_s = 9.8
source = "a test"
[links.inter_node]
alpha_s = 11e-6
bandwidth_gb_s = {0.94 * RATE_MBIT / 8e3}
source = "a test"
[reduction]
rate_gb_s = 10
source = "a test"
"""


def cluster(path, *words, check=True):
    return subprocess.run([path, words[0], "--name", NAME, *words[1:]], check=check, text=True,
                          capture_output=True)


def parts(path, shardstone, folder, name):
    """Seconds by part of the last half of the steps, and their mean by the ranks' clocks."""
    record = folder / f"{name}.json"
    cluster(path, "run", "--timeout", "100", "-n", "2", shardstone, "train", "--model", "tiny", "--plan", "dp=2",
            "--global-batch", "2", "--steps", "6", "--pace", "5", "--explain", "--cluster",
            str(folder / "two.toml"), "--json", str(record))
    tables = {table["name"]: {column["name"]: column.get("texts") or column.get("numbers")
                              for column in table["columns"]}
              for table in json.loads(record.read_text())["derived"]}
    return dict(zip(tables["gap"]["part"], tables["gap"]["time_s"])), sum(tables["steps"]["time_s"][-3:]) / 3


def main(path, shardstone):
    check = cluster(path, "check", check=False)
    if check.returncode != 0:
        print(check.stdout, check.stderr)
        sys.exit(check.returncode)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "two.toml").write_text(DESCRIPTION)
        try:
            cluster(path, "up", "--nodes", "2", "--rate", f"{RATE_MBIT}mbit")
            before, before_s = parts(path, shardstone, folder, "before")
            cluster(path, "slow", "node2", f"{RATE_MBIT // 2}mbit")
            after, after_s = parts(path, shardstone, folder, "after")
        finally:
            cluster(path, "down")
    loss_s = after_s - before_s
    for part, time_s in after.items():
        print(f"{part:26} {before[part]:9.4f} {time_s:9.4f} s")
    print(f"{'step':26} {before_s:9.4f} {after_s:9.4f} s")
    assert loss_s > 0.1 * before_s, "the slow link is felt"
    for part, time_s in after.items():
        expected_s = loss_s if part == PART else 0.0
        assert abs(time_s - before[part] - expected_s) < MOST_OFF * loss_s, f"{part} grew by {time_s - before[part]} s"


main(*sys.argv[1:])
