# SPDX-License-Identifier: BSD-3-Clause
"""Studies through Slurm, or what `submit` takes for it (fake_slurm.py): submit_slurm_test.py BEHAVIOUR
SHARDSTONE MPIEXEC"""
import os
import re
import shutil
import stat
import subprocess
import sys

from command import ROOT, SKIPPED, expect, main
from studies import POINTS, SITE, STUDY, FakeSlurm, hashes, states, steady_rows

RUN = "submit small.toml --site site.toml --out runs"
WHOLE = dict.fromkeys(POINTS, "done")


def arrays(slurm):
    """Of the tasks that Slurm knows: by name of the job without the folder's key, the ids."""
    found = {}
    for each in slurm.jobs():
        study, _, rest = each["name"].split(".")
        found.setdefault(f"{study}.{rest}", []).append(each["id"])
    return found


def every_point_is_a_task(place):
    """One array per number of ranks, and the report after both; each task runs its own point."""
    slurm = FakeSlurm(place, "run")
    outcome = place.succeeds(RUN)
    expect(slurm.calls() == ["--parsable ranks-1.sbatch", "--parsable ranks-2.sbatch",
                             "--parsable --dependency=afterany:101:102 report.sbatch"], "in this order", outcome)
    expect(arrays(slurm) == {"small.ranks-1": ["101_0", "101_1"], "small.ranks-2": ["102_0", "102_1"],
                             "small.report": ["103"]}, f"these jobs: {arrays(slurm)}", outcome)
    expect({each["state"] for each in slurm.jobs()} == {"COMPLETED"}, "all went well", outcome)
    expect(states(place.succeeds(f"{RUN} --status")) == WHOLE, "all points are done")
    expect(place.path("runs/report.html").exists(), "there is a report")
    log = place.path("runs/logs/ranks-2.102_1.log").read_text()
    expect("ranks-2_run-2: begins on fake" in log and "ends with 0" in log, "a log per task", log)
    place.succeeds("submit small.toml --out here")
    expect(steady_rows(place, "runs") == steady_rows(place, "here"), "the rows are those of a local study")
    again = place.succeeds(RUN)
    expect(slurm.calls() == [] and "nothing to submit" in again.out, "a second call submits nothing", again)


def only_what_is_missing_is_submitted(place):
    """Not what is done, waits or runs."""
    slurm = FakeSlurm(place, "run")
    place.succeeds(RUN)
    slurm.calls()
    before = hashes(place, "runs")
    place.path("runs/points/ranks-1_run-2/record.json").write_text("{}")
    place.path("runs/points/ranks-2_run-1/record.json").unlink()
    place.path("runs/points/ranks-2_run-2/record.json").unlink()
    slurm.set_states(t102_0="REQUEUED", t102_1="PREEMPTED")
    status = place.run(f"{RUN} --status")
    expect(list(states(status).values()) == ["done", "failed", "queued", "failed"], "as they stand", status)
    expect(status.code == 7, "while one is queued, the study is undecided", status)
    slurm.mode("hold")
    outcome = place.succeeds(RUN)
    expect(arrays(slurm)["small.ranks-1"] == ["101_0", "101_1", "104_1"] and
           arrays(slurm)["small.ranks-2"] == ["102_0", "102_1", "105_1"], f"{arrays(slurm)}", outcome)
    expect(slurm.calls()[-1] == "--parsable --dependency=afterany:102:104:105 report.sbatch",
           "the report waits for what is under way, too", outcome)
    again = place.succeeds(RUN)
    expect(slurm.calls() == [] and "nothing to submit" in again.out, "no point is submitted twice", again)
    slurm.set_states(t102_0="NODE_FAIL", t104_1="TIMEOUT", t105_1="CANCELLED")
    status = place.run(f"{RUN} --status")
    expect(status.code == 1, "once nothing is under way, it has failed", status)
    for words in ("job 102_0 NODE_FAIL: ", "job 104_1 TIMEOUT: ", "job 105_1 CANCELLED: "):
        expect(words in status.out, f"the reason has '{words}'", status)
    slurm.mode("run")
    place.succeeds(RUN)
    expect(states(place.succeeds(f"{RUN} --status")) == WHOLE, "the next call finishes the study")
    after = hashes(place, "runs")
    expect(after[POINTS[0]] == before[POINTS[0]], "what was done is not run again")


def time_limits_are_told(place):
    """Whatever Slurm calls a job that it ended at its limit, and when it has forgotten it."""
    slurm = FakeSlurm(place, "run")
    place.succeeds(RUN)
    place.path("runs/points/ranks-2_run-1/record.json").unlink()
    place.path("runs/points/ranks-2_run-2/record.json").write_text("{}")
    said = "slurmstepd-node1: error: *** {} ON node1 CANCELLED AT 2026-11-25T21:01:49 DUE TO TIME LIMIT ***\n"
    place.path("runs/points/ranks-2_run-1/exit_code").write_text("137\n")
    place.path("runs/points/ranks-2_run-1/stderr").write_text(
        said.format("STEP 102.0") + "srun: error: node2: tasks 2-3: Killed\n")
    log = place.path("runs/logs/ranks-2.102_1.log")
    begins, ends = log.read_text().splitlines(keepends=True)
    log.write_text(begins + said.format("JOB 102") + ends)
    slurm.set_states(t102_0="FAILED", t102_1="TIMEOUT")
    for first, second in (("job 102_0 FAILED: ", "job 102_1 TIMEOUT: "), ("", "")):
        status = place.run(f"{RUN} --status")
        expect(list(states(status).values()) == ["done", "done", "failed", "failed"], "two have failed", status)
        for point, job, file in (("ranks-2_run-1", first, "points/ranks-2_run-1/stderr"),
                                 ("ranks-2_run-2", second, "logs/ranks-2.102_1.log")):
            line = rf"^{point} +1 +failed +{job}ended by the time limit: \[stop\] of the study has minutes = 5, .* \[.*/{file}\]$"
            expect(re.search(line, status.out, re.MULTILINE), f"{point} says why", status)
        (slurm.folder / "jobs.json").unlink(missing_ok=True)


def one_at_a_time_is_a_chain(place):
    slurm = FakeSlurm(place)
    place.path("site.toml").write_text(SITE + "at_once = 1\n")
    place.succeeds(RUN)
    expect(slurm.calls() == ["--parsable ranks-1.sbatch", "--parsable --dependency=afterany:101 ranks-2.sbatch",
                             "--parsable --dependency=afterany:101:102 report.sbatch"], "arrays follow each other")
    expect("#SBATCH --array=0-1%1\n" in place.path("runs/scripts/ranks-2.sbatch").read_text(), "and tasks do")


def restarted_tasks_begin_anew(place):
    """A task that Slurm starts again runs its point if it had not been done, and else does nothing."""
    slurm = FakeSlurm(place, "run")
    place.succeeds(RUN)
    script, before = place.path("runs/scripts/ranks-2.sbatch"), hashes(place, "runs")

    def restart():
        done = subprocess.run(["bash", script], env={**os.environ, "SLURM_ARRAY_TASK_ID": "1"},
                              capture_output=True, text=True, check=False)
        expect(done.returncode == 0, "the task ends well", done.stdout + done.stderr)
        return done.stdout

    expect("was done before" in restart() and hashes(place, "runs") == before, "a done point stays")
    record = place.path("runs/points/ranks-2_run-2/record.json")
    record.write_bytes(record.read_bytes()[:-9])
    place.path("runs/points/ranks-2_run-2/record.json.journal").write_text("half a line")
    restart()
    expect(states(place.succeeds(f"{RUN} --status")) == WHOLE, "a broken one is run")
    expect(hashes(place, "runs")[POINTS[2]] == before[POINTS[2]], "and no other")


def slurm_refuses_in_one_line(place):
    """What sbatch says is quoted; what was submitted before is not submitted again."""
    slurm = FakeSlurm(place)
    failed = "sbatch: error: Batch job submission failed: "
    for text, words in (
            (f"sbatch: error: invalid partition specified: man\n{failed}Invalid partition name specified",
             "Invalid partition name specified: partition = 'main' of site site: there are main, short"),
            (f"{failed}Requested node configuration is not available", "correct gpus_per_node"),
            (f"{failed}Invalid account or account/partition combination specified", "set SBATCH_ACCOUNT"),
            (f"{failed}Something else", "Something else: correct site site")):
        slurm.refuse("ranks-2", text)
        outcome = place.run(RUN)
        expect(outcome.code == 2 and outcome.err.count("\n") == 1 and words in outcome.err, words, outcome)
        expect("runs/scripts/ranks-2.sbatch: sbatch refuses it: " in outcome.err, "it names the script", outcome)
    slurm.accept()
    slurm.calls()
    place.succeeds(RUN)
    expect(slurm.calls() == ["--parsable ranks-2.sbatch", "--parsable --dependency=afterany:101:102 report.sbatch"],
           "what was accepted before is not submitted again")
    (slurm.folder / "down").touch()
    for line in (RUN, f"{RUN} --dry-run"):
        place.refuses(line, "nothing is submitted: squeue does not say what is queued: .*slurm controller")
    place.refuses(RUN.replace("runs", "another"), "nothing is submitted: squeue does not say what is queued")
    expect(not place.path("another").exists(), "where nothing is submitted no folder is left")


def missing_tools_are_named(place):
    """No sbatch, no module, no program before sbatch."""
    os.environ["PATH"] = "/nowhere"
    FakeSlurm(place, tools=())
    place.refuses(RUN, "no 'sbatch' on the PATH: run this on a login node, or with --site local")
    place.refuses("submit small.toml --out here", "no 'mpiexec' on the PATH")
    here = f"client_host = \"{os.uname().nodename}\"\n"
    place.path("site.toml").write_text(SITE + "client_prefix = [\"no-such-wrapper\"]\n" + here)
    place.refuses(RUN, "no 'sbatch' on the PATH")  # for here it is not needed
    os.environ["PATH"] = f"{place.path('programs')}:/usr/bin:/bin"
    place.path("site.toml").write_text(SITE + "client_prefix = [\"no-such-wrapper\"]\n")
    place.refuses(RUN, "client_prefix of site site: there is no program 'no-such-wrapper'")
    for tool in ("sbatch", "squeue"):
        program = place.path("programs") / tool
        program.write_text("#!/bin/sh\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
    place.path("site.toml").write_text(SITE + "modules = [\"mpich/4\"]\n")
    place.refuses(RUN, "module 'mpich/4' of site site cannot be loaded here .*: correct 'modules'")
    expect(not place.path("runs").exists(), "nothing was written")


def plain_scripts_run(place):
    """The one script for who wants to edit it: from $SHARDSTONE, into a folder beside it, and again."""
    FakeSlurm(place)
    place.path("small.sbatch").write_text(place.succeeds("submit small.toml --site site.toml --sbatch").out)
    run = "SHARDSTONE=$S bash small.sbatch"
    outcome = place.shell(run)
    expect(outcome.code == 0 and list(hashes(place, "small")) == POINTS, "it runs every point", outcome)
    expect(place.path("small/report.html").exists(), "and makes the report", outcome)
    before = hashes(place, "small")
    place.path("small/points/ranks-1_run-2/record.json").unlink()
    outcome = place.shell(run)
    after = hashes(place, "small")
    expect([point for point in POINTS if before[point] != after[point]] == ["ranks-1_run-2"],
           "again it runs what is missing", outcome)
    place.path("small/points/ranks-2_run-1/exit_code").write_text("1\n")
    outcome = place.shell(run)
    expect(outcome.code == 1 and "ranks-2_run-1: its record is good, and says what failed" in outcome.out and
           "submit again" not in outcome.out, "a verdict of FAIL is a result, and the code of the job", outcome)
    point = place.path("small/points/ranks-2_run-1")
    (point / "exit_code").write_text("7\n")
    outcome = place.shell(run)
    expect(outcome.code == 7 and f"says what is undecided; to test again, remove its folder first: rm -r '{point}'"
           in outcome.out, "what is undecided has a code of its own, and a way on", outcome)
    (point / "exit_code").unlink()
    outcome = place.shell(run)
    expect(outcome.code == 0 and "ranks-2_run-1: begins on" in outcome.out and (point / "exit_code").exists(),
           "without the code of its run a record is no success", outcome)
    refused = place.shell("PATH=/usr/bin:/bin bash small.sbatch")
    expect(refused.code == 2 and re.search("put shardstone on the PATH", refused.err), "without the program", refused)


def plain_scripts_end_long_runs(place):
    """Each after as long as one run may take, so that those after it have their turn."""
    FakeSlurm(place)
    place.path("small.toml").write_text(STUDY.replace("steps = 4", "steps = 1000000"))
    text = place.succeeds("submit small.toml --site site.toml --sbatch").out
    expect(" 5m " in text and "#SBATCH --time=30\n" in text, "minutes of a run, and of all", text)
    place.path("small.sbatch").write_text(text.replace(" 5m ", " 4s "))
    outcome = place.shell("SHARDSTONE=$S bash small.sbatch")
    expect(outcome.code == 1, "the job did not go well", outcome)
    for point in POINTS:
        expect(f"{point}: ends with 124" in outcome.out and f"{point}: was ended after 5 minutes" in outcome.out,
               f"{point} had its turn", outcome)


def shipped_studies(place):
    listed = place.succeeds("submit --list").out.partition("Sites")[0]
    return re.findall(r"^  (\S+)", listed, re.MULTILINE)


def committed_scripts_are_current(place):
    """jobs/slurm is what the program makes of the studies that come with it."""
    made = {f"{study}.sbatch": place.succeeds(f"submit {study} --site slurm-gpu --sbatch").out
            for study in shipped_studies(place)}
    committed = {file.name: file.read_text() for file in (ROOT / "jobs/slurm").iterdir()}
    differing = sorted(name for name in made.keys() | committed.keys() if made.get(name) != committed.get(name))
    expect(made and not differing, f"{differing} differ: jobs/slurm/NAME.sbatch is the output of "
                                   "'shardstone submit NAME --site slurm-gpu --sbatch'")
    expect("--rails 8" in committed["acceptance.sbatch"], "each of the 8 NICs of its nodes is tested for acceptance")


def scripts_pass_shellcheck(place):
    """Those of jobs/slurm, and those that are submitted, with modules and NICs."""
    if shutil.which("shellcheck") is None:
        print("no shellcheck")
        sys.exit(SKIPPED)
    FakeSlurm(place)
    place.succeeds(RUN)
    more = "nics = [\"a:1\", \"b:1\"]\n[environment]\nWORDS = \"two words\"\nQUOTE = \"it's\"\n"
    place.path("site.toml").write_text(SITE + more)
    place.succeeds("submit small.toml --site site.toml --out more")
    scripts = [*(ROOT / "jobs/slurm").iterdir(), *place.folder.glob("*/scripts/*.sbatch")]
    expect(len(scripts) >= 11, f"{len(scripts)} scripts")
    checked = subprocess.run(["shellcheck", *scripts], capture_output=True, text=True, check=False)
    expect(checked.returncode == 0, "shellcheck finds nothing", checked.stdout)


main({each.__name__: each for each in (
    every_point_is_a_task, only_what_is_missing_is_submitted, time_limits_are_told, one_at_a_time_is_a_chain,
    restarted_tasks_begin_anew, slurm_refuses_in_one_line, missing_tools_are_named, plain_scripts_run,
    plain_scripts_end_long_runs, committed_scripts_are_current, scripts_pass_shellcheck)})
