#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""sbatch, squeue, sinfo and srun as far as `shardstone submit` knows them, without any Slurm: links of
these names to this file are put on the PATH. State and wishes are files of the folder $FAKE_SLURM:

    jobs.json     every job and task: id, name, state, reason, user
    calls.txt     the command line of each sbatch
    variables.json  those for clients of Slurm that the last sbatch had
    mode          "hold": jobs wait; "run": they run at once, one task after the other
    lost          sbatch queues the job, and ends with the text of this file instead of its id
    refuse-NAME   a job with NAME in its own is refused with the text of this file
    down          squeue does not answer, for as many seconds as it holds
    asked         made by a squeue that does not answer
"""
import json
import os
import pathlib
import subprocess
import sys
import time

FOLDER = pathlib.Path(os.environ["FAKE_SLURM"])


def jobs():
    file = FOLDER / "jobs.json"
    return json.loads(file.read_text()) if file.exists() else []


def keep(all_jobs):
    (FOLDER / "jobs.json").write_text(json.dumps(all_jobs, indent=1))


def directives(script):
    found = {}
    for line in pathlib.Path(script).read_text().splitlines():
        if line.startswith("#SBATCH --"):
            name, _, value = line[len("#SBATCH --"):].partition("=")
            found[name] = value
    return found


def indices(array):
    for part in array.partition("%")[0].split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def run_task(script, asked, job, index):
    log = asked["output"].replace("%A", str(job)).replace("%j", str(job)).replace("%a", str(index))
    task = {"SLURM_ARRAY_TASK_ID": str(index), "SLURM_JOB_NODELIST": "fake"}
    with open(log, "a", encoding="utf-8") as file:
        return subprocess.run(["bash", script], stdout=file, stderr=file, env={**os.environ, **task},
                              check=False).returncode


def sbatch(words):
    script, asked = words[-1], directives(words[-1])
    name = asked["job-name"]
    with open(FOLDER / "calls.txt", "a", encoding="utf-8") as file:
        file.write(" ".join(words) + "\n")
    heeded = {key: value for key, value in os.environ.items() if key.startswith(("SBATCH_", "SQUEUE_"))}
    (FOLDER / "variables.json").write_text(json.dumps(heeded))
    for wish in FOLDER.glob("refuse-*"):
        if wish.name[len("refuse-"):] in name:
            sys.exit(wish.read_text().strip())
    known = jobs()
    job = 1 + max([100] + [int(each["id"].split("_")[0]) for each in known])
    tasks = [f"{job}_{index}" for index in indices(asked["array"])] if "array" in asked else [str(job)]
    runs = (FOLDER / "mode").read_text() == "run"
    added = []
    for task in tasks:
        state = "PENDING"
        if runs:
            state = "FAILED" if run_task(script, asked, job, task.rpartition("_")[2]) else "COMPLETED"
        added.append({"id": task, "name": name, "state": state, "reason": "None" if runs else "Priority",
                      "user": str(os.geteuid())})
    keep(known + added)
    if (FOLDER / "lost").exists():
        sys.exit((FOLDER / "lost").read_text())
    print(job)


def is_asked_for(job):
    """By squeue's --user and --name, lists both."""
    asked = dict(word[2:].split("=", 1) for word in sys.argv[1:] if "=" in word)
    return all(job[key] in asked[key].split(",") for key in ("user", "name") if key in asked)


def squeue(_):
    if (FOLDER / "down").exists():
        (FOLDER / "asked").touch()
        time.sleep(float((FOLDER / "down").read_text() or 0))
        sys.exit("slurm_load_jobs error: Unable to contact slurm controller (connect failure)")
    if os.environ.get("SQUEUE_PARTITION", "main") != "main":
        return
    for each in filter(is_asked_for, jobs()):
        print("|".join((each["id"], each["name"], each["state"], each["reason"])))


def srun(words):
    asked = dict(word[2:].partition("=")[::2] for word in words if word.startswith("--"))
    program = next(i for i, word in enumerate(words) if not word.startswith("-"))
    os.execvp("mpiexec", ["mpiexec", "-n", asked["ntasks"], *words[program:]])


if __name__ == "__main__":
    {"sbatch": sbatch, "squeue": squeue, "srun": srun, "sinfo": lambda _: print("main\nshort")}[
        pathlib.Path(sys.argv[0]).name](sys.argv[1:])
