# SPDX-License-Identifier: BSD-3-Clause
"""Who and what else comes to a study's folder: submit_folder_test.py BEHAVIOUR SHARDSTONE MPIEXEC"""
import json
import os
import shutil

from command import expect, main, one_line_with
from studies import POINTS, SITE, STUDY, FakeSlurm, hashes, states, write_study

RUN = "submit small.toml --site site.toml --out runs"
HERE = "submit small.toml --out runs"
WHOLE = dict.fromkeys(POINTS, "done")


def another_name_is_refused(place):
    """Of the same study: its jobs would have other names, and run beside those that are queued."""
    slurm = FakeSlurm(place)
    place.succeeds(RUN)
    slurm.calls()
    shutil.copy(place.path("small.toml"), place.path("other.toml"))
    for line in ("", " --status", " --dry-run"):
        place.refuses(RUN.replace("small", "other") + line, "runs' was made of a study called 'small', and this one "
                      "is called 'other': give its file that name again, or name another folder with --out")
    expect(slurm.calls() == [], "nothing is submitted a second time")
    expect("nothing to submit" in place.succeeds(RUN).out, "under its own name it goes on")


def jobs_of_a_colleague_count(place):
    """Who submits the study in the same folder submits nothing that another user has queued."""
    slurm = FakeSlurm(place)
    place.succeeds(RUN)
    slurm.calls()
    (slurm.folder / "jobs.json").write_text(json.dumps([each | {"user": "4711"} for each in slurm.jobs()]))
    outcome = place.succeeds(RUN)
    expect(slurm.calls() == [] and "nothing to submit" in outcome.out, "no point is submitted twice", outcome)
    slurm.set_states(t101_1="CANCELLED", t103="CANCELLED")
    place.succeeds(RUN)
    expect(slurm.calls() == ["--parsable ranks-1.sbatch", "--parsable --dependency=afterany:101:102:104 report.sbatch"],
           "what the other's jobs left is submitted, and the report waits for both")


def what_submit_decides_is_refused(place):
    """Of a site's options for sbatch: before anything is written, also where the name is cut short."""
    FakeSlurm(place)
    for option, named in (("--job-name=other", "--job-name"), ("--array=0-0", "--array"), ("--qos=x -J other", "-J")):
        place.path("site.toml").write_text(SITE + f"sbatch_options = [\"--exclusive=user\", \"{option}\"]\n")
        for line in ("", " --status", " --dry-run"):
            place.refuses(RUN + line, rf"site.toml: sbatch_options = .*{option}'.: give it without {named}: "
                          "'shardstone submit' decides on that, by the study and the site's other keys")
    expect(not place.path("runs").exists(), "nothing was written")


def obstruct(point, record):
    """With what is no file, wherever a run writes one; perhaps beside a record that does not count."""
    shutil.rmtree(point)
    for name in ("record.json", "record.refused", "record.json.journal", "stderr", "exit_code", "command",
                 "time_limit"):
        (point / name / "deep").mkdir(parents=True)
    if record:
        shutil.rmtree(point / "record.json")
        (point / "record.json").write_text("{}")
    os.mkfifo(point / "stdout")
    (point / "notes").mkdir()


def obstacles_are_removed(place):
    """From the folders of points that are to run, with Slurm and without; a file for a folder is named."""
    slurm = FakeSlurm(place, "run")
    for line in (RUN, "submit small.toml --out here"):
        place.succeeds(line)
        point = place.path(line.split()[-1]) / "points" / POINTS[2]
        for record in (False, True):
            obstruct(point, record)
            expect(place.run(f"{line} --status", timeout_s=60).code == 1, "it does not count")
            outcome = place.run(line, timeout_s=120)
            expect(states(place.succeeds(f"{line} --status")) == WHOLE, "the study is finished", outcome)
            expect((point / "stdout").is_file() and (point / "notes").is_dir(), "and anything else is left alone")
        shutil.rmtree(point)
        point.touch()
        outcome = place.run(line)
        expect(outcome.code == 2 and f"points/{POINTS[2]}' is in the way of a point's folder: remove it" in outcome.err,
               "it says what to remove", outcome)
        point.unlink()
        place.succeeds(line)
    expect(len(slurm.calls()) == 3 + 3 * 2, "no other point was submitted again")


def lost_answers_are_found_out(place):
    """Of an sbatch that queued the job and did not hear so: the same command again submits what is left."""
    slurm = FakeSlurm(place)
    lost = slurm.folder / "lost"
    lost.write_text("sbatch: error: Batch job submission failed: Socket timed out on send/recv operation")
    outcome = place.run(RUN)
    expect(outcome.code == 2 and one_line_with(
        "ranks-1.sbatch: sbatch got no answer: .*Socket timed out on send/recv operation: the job may be queued all "
        "the same: the same command again finds out", outcome.err), "it says so", outcome)
    lost.unlink()
    slurm.calls()
    place.succeeds(RUN)
    expect(slurm.calls() == ["--parsable ranks-2.sbatch", "--parsable --dependency=afterany:101:102 report.sbatch"],
           "what was queued is not submitted again")


def a_study_grows(place):
    """More repetitions, ranks and minutes go on in its folder: what is done counts, what is queued stays."""
    slurm = FakeSlurm(place)
    place.succeeds(RUN)
    slurm.calls()
    grown = STUDY.replace("repetitions = 2", "repetitions = 3").replace("[1, 2]", "[1, 2, 4]")
    write_study(place, grown.replace("minutes = 5", "minutes = 9"))
    status = place.run(f"{RUN} --status")
    expect(status.code == 7 and list(states(status).values()) == (["queued"] * 2 + ["missing"]) * 2 + ["missing"] * 3,
           "the status knows the new points", status)
    place.succeeds(RUN)
    expect(slurm.calls() == ["--parsable ranks-1.sbatch", "--parsable ranks-2.sbatch", "--parsable ranks-4.sbatch",
                             "--parsable --dependency=afterany:101:102:104:105:106 report.sbatch"],
           "the report waits for all")
    for ranks, tasks in ((1, "2"), (2, "2"), (4, "0-2")):
        script = place.path(f"runs/scripts/ranks-{ranks}.sbatch").read_text()
        expect(f"#SBATCH --array={tasks}\n" in script and "#SBATCH --time=9\n" in script,
               f"only what is new on {ranks} ranks is submitted", script)

    here = "submit small.toml --out here"
    write_study(place)
    place.succeeds(here)
    before = hashes(place, "here")
    write_study(place, STUDY.replace("repetitions = 2", "repetitions = 3"))
    dry = place.succeeds(f"{here} --dry-run")
    expect("2 of 6 points would be run" in dry.out, "two are new", dry)
    expect(list(states(place.succeeds(here)).values()) == ["done"] * 6, "and are run")
    after = hashes(place, "here")
    expect(len(after) == 6 and before.items() <= after.items(), "the records of the others stay as they are")
    place.succeeds("verify here")
    write_study(place)
    place.refuses(here, "another study .line 5: 'repetitions = 3' then, 'repetitions = 2' now., and point "
                        "ranks-1_run-3 is not in it .more ranks, repetitions or minutes could be added.: name another")


def a_status_tells_whether_to_wait(place):
    """Also between two points of a study without Slurm, when none of them runs."""
    write_study(place)
    place.path("runs").mkdir()
    place.path("runs/.lock").touch()
    for before, code in (("flock runs/.lock ", 7), ("", 1)):
        status = place.shell(f"{before}$S {HERE} --status")
        expect(status.code == code and set(states(status).values()) == {"missing"}, f"it ends with {code}", status)


def a_status_without_a_folder_says_so(place):
    """Such as in another directory than that where the study was submitted."""
    write_study(place)
    place.path("elsewhere").mkdir()
    for line, folder in (("$S submit small.toml --status", "small-local"), (f"$S {HERE} --status", "runs"),
                         ("cd elsewhere && $S submit ../small.toml --status", "elsewhere/small-local")):
        status = place.shell(line)
        said = f"there is no folder {place.folder}/{folder} yet, so nothing was submitted to it: "
        expect(status.code == 1 and status.out.count("\n") == 1 and status.out.startswith(said),
               "it says that there is none", status)
    expect(place.files() == ["elsewhere", "small.toml"], "and makes none")


def odd_folders_are_named(place):
    """The root of all for a study's, and one where the report would be."""
    FakeSlurm(place, "run")
    for line in ("", " --dry-run", " --status"):
        place.refuses("submit small.toml --out /" + line, "'/' holds other files and no submit.json: name another")
    place.succeeds(RUN)
    report = place.path("runs/report.html")
    report.unlink()
    report.mkdir()
    told = place.succeeds(f"{RUN} --status").out.splitlines()[-1]
    expect(told.startswith("report: none yet"), f"a folder is no report: {told}")
    place.refuses(RUN, "no report was made: .*runs/report.html'")
    report.rmdir()
    place.succeeds(RUN)
    expect(report.is_file(), "once it is gone the report is made")


main({each.__name__: each for each in (
    another_name_is_refused, jobs_of_a_colleague_count, what_submit_decides_is_refused, obstacles_are_removed,
    lost_answers_are_found_out, a_study_grows, a_status_tells_whether_to_wait, a_status_without_a_folder_says_so,
    odd_folders_are_named)})
