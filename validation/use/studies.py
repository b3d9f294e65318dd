# SPDX-License-Identifier: BSD-3-Clause
"""Small studies, what `shardstone submit` leaves of them, and a Slurm that is none, for submit_test.py."""
import hashlib
import json
import os
import re

from command import HERE, expect

STUDY = """about = "a small study"
command = "train"
ranks = [1, 2]
[stop]
repetitions = 2
minutes = 5
[fixed]
model = "nano"
plan = "dp={ranks}"
global-batch = 4
steps = 4
"""
SITE = """about = "no real site"
scheduler = "slurm"
launcher = "srun"
partition = "main"
nodes = 2
ranks_per_node = 2
binding = "none"
"""
POINTS = ["ranks-1_run-1", "ranks-1_run-2", "ranks-2_run-1", "ranks-2_run-2"]
# What a run did, whatever the machine did meanwhile.
STEADY = {"steps": ("step", "loss"), "memory": ("class",), "bytes": ("rank", "sent_bytes"),
          "evaluations": ("step", "validation_loss"), "summary": ("ranks", "split"),
          "rank_steps": ("step", "rank")}


def write_study(place, text=STUDY):
    place.path("small.toml").write_text(text)


def records(place, folder):
    """By point, the bytes of each record that is there."""
    found = sorted(place.path(folder).glob("points/*/record.json"))
    return {file.parent.name: file.read_bytes() for file in found}


def hashes(place, folder):
    return {point: hashlib.sha256(text).hexdigest() for point, text in records(place, folder).items()}


def steady_rows(place, folder):
    """By point and table, what tells its rows apart."""
    rows = {}
    for point, text in records(place, folder).items():
        record = json.loads(text)
        for table in record["derived"] + record["samples"]:
            columns = {c["name"]: c.get("texts") or c.get("numbers") or [] for c in table["columns"]}
            for name in STEADY.get(table["name"], ()):
                rows[point, table["name"], name] = columns[name]
    expect(rows, f"{folder} has records with tables")
    return rows


def states(outcome):
    """By point, the word of a status table."""
    table = re.split(r"^point +nodes  state .*\n", outcome.out, flags=re.MULTILINE)[-1]
    lines = [line.split() for line in table.splitlines()]
    words = {"done", "running", "queued", "failed", "missing", "unknown"}
    return {line[0]: line[2] for line in lines if len(line) > 2 and line[2] in words}


class FakeSlurm:
    """On the PATH of whatever the place runs from now on."""

    def __init__(self, place, mode="hold", tools=("sbatch", "squeue", "sinfo", "srun")):
        self.folder, programs = place.path("slurm"), place.path("programs")
        self.folder.mkdir()
        programs.mkdir()
        for tool in tools:
            (programs / tool).symlink_to(HERE / "fake_slurm.py")
        os.environ["FAKE_SLURM"] = str(self.folder)
        os.environ["PATH"] = f"{programs}:{os.environ['PATH']}"
        self.mode(mode)
        write_study(place)
        place.path("site.toml").write_text(SITE)

    def mode(self, word):
        (self.folder / "mode").write_text(word)

    def refuse(self, name, text):
        (self.folder / f"refuse-{name}").write_text(text)

    def accept(self):
        for wish in self.folder.glob("refuse-*"):
            wish.unlink()

    def jobs(self):
        file = self.folder / "jobs.json"
        return json.loads(file.read_text()) if file.exists() else []

    def set_states(self, **by_id):
        """Of tasks, by id with a t before it: t101_0="RUNNING"."""
        jobs = self.jobs()
        for each in jobs:
            each["state"] = by_id.get("t" + each["id"], each["state"])
        (self.folder / "jobs.json").write_text(json.dumps(jobs))

    def calls(self):
        """The command lines of sbatch since the last call, without the folders of scripts."""
        file = self.folder / "calls.txt"
        lines = file.read_text().splitlines() if file.exists() else []
        file.write_text("")
        return [" ".join(word.rpartition("/")[2] for word in line.split()) for line in lines]
