# SPDX-License-Identifier: BSD-3-Clause
"""Studies through a real Slurm, on the virtual cluster: slurm_study_test.py BEHAVIOUR CLUSTER SHARDSTONE.
Whatever happens to a study, the same command finishes it, with the rows of an undisturbed one."""
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "use"))
# pylint: disable=wrong-import-position
from command import Place, SmallDisk, expect, one_line_with
from slurm_cluster import Slurm
from studies import states, steady_rows

NAME = f"study{os.getpid()}"
# On two nodes from four ranks on, so that a lost node or a slow link meets it.
STUDY = """about = "a small study"
command = "train"
ranks = [2, 4]
[stop]
repetitions = 2
minutes = MINUTES
[fixed]
model = "nano"
plan = "dp={ranks}"
global-batch = 4
steps = STEPS
"""
SITE = """about = "the virtual cluster"
scheduler = "slurm"
launcher = "srun"
launcher_options = ["--mpi=pmi2"]
partition = "main"
nodes = 4
ranks_per_node = 2
cores_per_node = 8
gpus_per_node = 8
at_once = 1
binding = "none"
client_prefix = ["CLUSTER", "exec", "--name", "NAME", "head"]
"""
RUN = "submit small.toml --site site.toml --out runs"
FIRST_OF_TWO_NODES = "ranks-4_run-1"


def task_of(place, point):
    """The job and task of a point, once it runs."""
    end_s = time.monotonic() + 60
    while time.monotonic() < end_s:
        status = place.run(f"{RUN} --status")
        for line in status.out.splitlines():
            words = line.split()
            if words and words[0] == point and words[2] == "running":
                return words[4]
        time.sleep(0.3)
    sys.exit(f"NOT TRUE: {point} runs within a minute\n{status}")


def begin(place, cluster, steps, more="", minutes=10):
    """The cluster and the study, which has run undisturbed: for that, even a busy machine has time."""
    place.path("small.toml").write_text(STUDY.replace("STEPS", str(steps)).replace("MINUTES", str(minutes)) + more)
    place.path("site.toml").write_text(SITE.replace("CLUSTER", cluster).replace("NAME", NAME))
    whole = place.run("submit small.toml --out whole", timeout_s=500)
    expect(whole.code == 0, "the study runs here", whole)
    return Slurm(cluster, NAME)


def expect_finished(place, slurm):
    slurm.wait()
    status = place.run(f"{RUN} --status")
    expect(set(states(status).values()) == {"done"}, "every point is done", status)
    expect(steady_rows(place, "runs") == steady_rows(place, "whole"), "the rows are those of an undisturbed study")
    expect(place.path("runs/report.html").exists(), "there is a report")


def finish_again(place, slurm, failed, word):
    """One point failed, of which --status says why; the same command finishes the study."""
    slurm.wait()
    status = place.run(f"{RUN} --status")
    lost = [point for point, state in states(status).items() if state != "done"]
    expect(lost == failed and word in status.out, f"{failed} failed with '{word}': {lost}", status)
    again = place.succeeds(RUN)
    expect(again.out.count("job ") == 2 and "1 of 2 points" in again.out, "only that is submitted, and the report",
           again)
    expect_finished(place, slurm)


def undisturbed(place, cluster):
    with begin(place, cluster, 20) as slurm:
        place.succeeds(RUN)
        expect_finished(place, slurm)
        expect("nothing to submit" in place.succeeds(RUN).out, "then there is nothing to do")


def cancelled(place, cluster):
    # 400 steps could be over between two looks at a busy queue.
    with begin(place, cluster, 1000) as slurm:
        place.succeeds(RUN)
        slurm.head("scancel", task_of(place, "ranks-2_run-2"))
        finish_again(place, slurm, ["ranks-2_run-2"], "CANCELLED")


def out_of_time(place, cluster, stop):
    """Ranks of one node are stopped, with nobody who takes them for stalled, until the time limit comes. Slow
    links would do, but Slurm's own messages go over them, and it would lose the nodes; and the next
    point must not be met, which begins as soon as the nodes are free."""
    with begin(place, cluster, 300, "stall-after = \"off\"\n", minutes=1) as slurm:
        place.succeeds(RUN)
        task_of(place, FIRST_OF_TWO_NODES)
        slurm.call("exec", "node2", "bash", "-c",
                   f"until ranks=$(pgrep -x shardstone); do sleep 0.1; done; kill -STOP $ranks; {stop}", limit_s=200)
        finish_again(place, slurm, [FIRST_OF_TWO_NODES], "ended by the time limit")


# Slurm continues the ranks, asks them to end, and kills those that have not ended 5 s later.
HEARD = "while kill -0 $ranks; do sleep 0.2; done"
NOT_HEARD = "while kill -STOP $ranks; do sleep 0.01; done"


def node_lost(place, cluster, fault):
    """Slurm starts the task again on other nodes."""
    with begin(place, cluster, 2000) as slurm:
        place.succeeds(RUN)
        task = task_of(place, FIRST_OF_TWO_NODES)
        slurm.call(fault, "node2")
        slurm.wait()
        shown = slurm.head("scontrol", "show", "job", task)
        if set(states(place.run(f"{RUN} --status")).values()) != {"done"}:
            place.succeeds(RUN)
        expect_finished(place, slurm)
        expect("Restarts=1" in shown or fault == "kill-slurmd", "the task was started again", shown)


def preempted(place, cluster):
    """By a job of a partition that comes first: Slurm starts the task again, nobody else has to."""
    with begin(place, cluster, 1000) as slurm:
        place.succeeds(RUN)
        task = task_of(place, FIRST_OF_TWO_NODES)
        slurm.head("sbatch", "--partition=urgent", "--nodes=4", "--exclusive", "--output=/dev/null", "--wrap=sleep 8")
        slurm.wait()
        shown = slurm.head("scontrol", "show", "job", task)
        expect("Restarts=1" in shown, "the task was started again", shown)
        expect_finished(place, slurm)


def refused(place, cluster):
    """What Slurm refuses, or what is missing for it, is one line with what to do."""
    with SmallDisk(place, "1m") as disk, begin(place, cluster, 2) as slurm:
        site = place.path("site.toml").read_text()
        for what, instead, words in (("\"main\"", "\"mian\"", "nvalid partition.*: there are .*main"),
                                     ("cores_per_node = 8", "cores_per_node = 640", "correct gpus_per_node"),
                                     ("binding", "modules = [\"none-such\"]\nbinding", "module 'none-such'")):
            place.path("site.toml").write_text(site.replace(what, instead))
            place.shell("rm -rf runs")
            place.refuses(RUN, words)
        # Of what uses them: a training on cores asks for none.
        place.path("on_gpus.toml").write_text('about = "on GPUs"\ncommand = "train"\nranks = [2]\n[stop]\n'
                                              "repetitions = 1\nminutes = 1\n[fixed]\n"
                                              'model = "nano"\nplan = "dp=2"\nglobal-batch = 4\ndevice = "cuda"\n')
        place.path("site.toml").write_text(site.replace("gpus_per_node = 8", "gpus_per_node = 64"))
        place.refuses(RUN.replace("small.toml", "on_gpus.toml").replace("--out runs", "--out on_gpus"),
                      "correct gpus_per_node = 64")
        place.path("site.toml").write_text(site.partition("client_prefix")[0])
        os.environ["PATH"], path = "/nowhere", os.environ["PATH"]
        place.refuses(RUN, "no 'sbatch' on the PATH: run this on a login node, or with --site local")
        os.environ["PATH"] = path
        place.path("site.toml").write_text(site)
        full_disk_is_told(place, slurm, disk)


def full_disk_is_told(place, slurm, disk):
    """Before anything is submitted; where records find no room only later, of each point."""
    run = RUN.replace("--out ", "--out small/")
    disk.fill()
    outcome = place.run(run)
    expect(outcome.code != 0 and one_line_with("small/runs.*: No space left", outcome.err), "a full disk is one line",
           outcome)
    expect(not slurm.head("squeue", "--noheader").strip(), "nothing was submitted")
    disk.empty()
    place.succeeds(run)
    slurm.wait()
    status = place.run(f"{run} --status")
    points = [line for line in status.out.splitlines() if line.startswith("ranks-")]
    expect(set(states(status).values()) == {"failed"} and sum("less than 16 MiB" in line for line in points) == 4,
           "too little room is why each point failed", status)


def main():
    behaviour, cluster, program = sys.argv[1:4]
    place = Place(program, "mpiexec")
    {"undisturbed": undisturbed, "cancelled": cancelled, "refused": refused, "preempted": preempted,
     "out_of_time": lambda *given: out_of_time(*given, HEARD),
     "killed_at_the_limit": lambda *given: out_of_time(*given, NOT_HEARD),
     "node_crashed": lambda *given: node_lost(*given, "crash"),
     "slurmd_killed": lambda *given: node_lost(*given, "kill-slurmd")}[behaviour](place, cluster)
    print(f"{behaviour}: holds")


main()
