# SPDX-License-Identifier: BSD-3-Clause
"""`submit` does nothing twice, and nothing else than what was asked: submit_guards_test.py BEHAVIOUR SHARDSTONE
MPIEXEC"""
import json
import os
import re
import shutil

from command import ROOT, expect, main
from studies import POINTS, SITE, STUDY, FakeSlurm, hashes, states, write_study

RUN = "submit small.toml --site site.toml --out runs"
HERE = "submit small.toml --out runs"
WHOLE = dict.fromkeys(POINTS, "done")


def submits_nothing(place, slurm, line, claim):
    slurm.calls()
    outcome = place.succeeds(line)
    expect(slurm.calls() == [] and "nothing to submit" in outcome.out, claim, outcome)
    return outcome


def variables_of_the_user_change_nothing(place):
    """With SQUEUE_PARTITION squeue hides jobs, and SBATCH_PARTITION outweighs the script's; the account stays."""
    slurm = FakeSlurm(place)
    os.environ.update(SQUEUE_PARTITION="urgent", SBATCH_PARTITION="urgent", SBATCH_ACCOUNT="physics")
    place.succeeds(RUN)
    submits_nothing(place, slurm, RUN, "no point is submitted twice")
    seen = json.loads((slurm.folder / "variables.json").read_text())
    expect(seen == {"SBATCH_ACCOUNT": "physics"}, f"sbatch gets the account alone: {seen}")


def a_folder_without_runs_is_made_anew(place):
    """With the site or study that was corrected as told; one with a job or a record is not."""
    slurm = FakeSlurm(place)
    slurm.refuse("ranks-1", "sbatch: error: Batch job submission failed: Invalid partition name specified")
    place.path("site.toml").write_text(SITE.replace('"main"', '"man"'))
    place.refuses(RUN, "partition = 'man' of site site: there are main, short")
    slurm.accept()
    slurm.refuse("ranks-2", "sbatch: error: Batch job submission failed: Something else")
    place.path("site.toml").write_text(SITE)
    expect("ranks-2.sbatch: sbatch refuses it" in place.run(RUN).err, "one array is queued, the other refused")
    place.path("site.toml").write_text(SITE + "cores_per_node = 4\n")
    place.refuses(RUN, "runs' was made with another site")
    here, local = f"{RUN} --out here".replace(" --out runs", ""), (ROOT / "jobs/sites/local.toml").read_text()
    place.path("site.toml").write_text(local + 'launcher_options = ["--no-such-option"]\n')
    expect(place.run(here).code == 1, "every run fails")
    place.path("site.toml").write_text(local)
    expect(states(place.succeeds(here)) == WHOLE, "corrected, it goes on in the same folder")
    place.path("site.toml").write_text(local + "nodes = 1\n")
    place.refuses(here, "here' was made with another site")


def a_folder_by_another_path_is_the_same(place):
    """By a symbolic link, and after a move: what is queued and what is done stays so."""
    slurm = FakeSlurm(place)
    place.succeeds(RUN)
    place.path("link").symlink_to("runs")
    submits_nothing(place, slurm, RUN.replace("runs", "link"), "a link leads to the same jobs")
    place.path("runs").rename(place.path("moved"))
    submits_nothing(place, slurm, RUN.replace("runs", "moved"), "a moved folder keeps its jobs")
    place.path("site.toml").write_text(SITE + "at_once = 2\n")
    slurm.mode("run")
    place.succeeds(RUN)
    place.path("runs").rename(place.path("elsewhere"))
    status = place.succeeds(RUN.replace("runs", "elsewhere") + " --status")
    expect(states(status) == WHOLE, "a moved folder keeps its records", status)


def many_at_once_submit_once(place):
    """Also into a folder in which another call has begun to write."""
    slurm = FakeSlurm(place)
    place.path("runs/points").mkdir(parents=True)
    place.path("runs/.study.toml.1-2.tmp").touch()
    jobs = [place.start(RUN) for _ in range(6)]
    said = [job.communicate(timeout=120) for job in jobs]
    expect([job.returncode for job in jobs] == [0] * 6, "all end well", said)
    expect(len(slurm.calls()) == 3, "two arrays and a report are submitted", said)
    expect(sum("nothing to submit" in out for out, _ in said) == 5, "the others find them", said)


def records_of_other_points_do_not_count(place):
    """Of other ranks, of another option, of another repetition; under Slurm the task runs the point anew."""
    slurm = FakeSlurm(place, "run")
    place.succeeds(RUN)
    before, points = hashes(place, "runs"), place.path("runs/points")
    for point in (POINTS[1], POINTS[2]):
        shutil.copy(points / POINTS[0] / "record.json", points / point / "record.json")
    status = place.run(f"{RUN} --status")
    expect(list(states(status).values()) == ["done", "failed", "failed", "done"], "two do not count", status)
    line = rf"^{POINTS[2]} .* its record is of another run: \S+ train --global-batch 4 .* on 1 rank \[.*\]$"
    expect(re.search(line, status.out, re.MULTILINE), "the line says what it is of", status)
    place.succeeds(RUN)
    after = hashes(place, "runs")
    expect(states(place.succeeds(f"{RUN} --status")) == WHOLE, "the next call finishes the study")
    changed = [point for point in POINTS if before[point] != after[point]]
    expect(changed == POINTS[1:3], f"run again are: {changed}")
    expect(len(slurm.calls()) == 6, "as two arrays and a report, twice")


def damaged_files_are_named(place):
    """Of the folder, and an empty study."""
    write_study(place)
    place.succeeds(HERE)
    manifest = place.path("runs/submit.json")
    whole = manifest.read_text()
    for text in ("", whole[:20], "[]", "{}", '{"revision": 1, "key": 2}'):
        manifest.write_text(text)
        for line in (HERE, f"{HERE} --status", f"{HERE} --dry-run"):
            place.refuses(line, "runs/submit.json' is damaged: .*: restore it, or name another folder with --out")
    manifest.write_text(whole)
    place.path("runs/study.toml").write_text("")
    place.refuses(HERE, "runs/study.toml' is damaged: it is empty: restore it")
    place.path("runs/study.toml").write_text(STUDY)
    expect(states(place.succeeds(HERE)) == WHOLE, "restored, it goes on")
    write_study(place, "")
    place.refuses(HERE, "small.toml: about is missing: give a line on what the study answers")


def the_report_is_told(place):
    """Where it is, whether runs have ended since, which job makes it, and why that did not."""
    slurm = FakeSlurm(place)
    place.succeeds(RUN)

    def told():
        outcome = place.run(f"{RUN} --status")
        return outcome.out.splitlines()[-1]

    expect(told() == "report: none yet; job 103 PENDING (Priority)", told())
    (slurm.folder / "jobs.json").unlink()
    slurm.mode("run")
    place.succeeds(RUN)
    report = place.path("runs/report.html")
    expect(told() == f"report: {report}", told())
    os.utime(report, (1, 1))
    expect(told().startswith(f"report: {report}, older than 4 of the records; job 103 COMPLETED"), told())
    report.unlink()
    slurm.set_states(t103="PENDING")
    submits_nothing(place, slurm, RUN, "all points are done")
    expect(not report.exists(), "a job that waits is to make the report, and nobody else")
    log = place.path("runs/logs/report.103.log")
    log.write_text("shardstone: out of luck\nslurmstepd: error: *** JOB 103 ON n1 CANCELLED ***\n")
    slurm.set_states(t103="FAILED")
    expect(told() == f"report: none yet; job 103 FAILED: shardstone: out of luck [{log}]", told())
    (slurm.folder / "jobs.json").unlink()
    expect(told() == f"report: none yet: shardstone: out of luck [{log}]", "also when Slurm has forgotten it")
    log.write_text("Findings\n\nReport: runs/report.html\n")
    expect(told() == f"report: none yet: it was made, and is there no more: Report: runs/report.html [{log}]", told())
    log.write_text("")
    expect(told() == f"report: none yet: '{log}' holds nothing: it was killed at once, or nothing could be written",
           told())


def what_is_held_holds_nothing_up(place):
    """A task that Slurm holds, of a point that is done, nor a report that waits for it."""
    slurm = FakeSlurm(place, "run")
    place.succeeds(RUN)
    place.path("runs/report.html").unlink()
    jobs = slurm.jobs()
    for each in jobs:
        if each["id"] == "101_0":
            each.update(state="PENDING", reason="launch failed requeued held")
        if each["id"] == "103":
            each.update(state="PENDING", reason="Dependency")
    (slurm.folder / "jobs.json").write_text(json.dumps(jobs))
    status = place.succeeds(f"{RUN} --status")
    expect("done     " in status.out and "101_0 PENDING (launch failed requeued held) is of no more use: 'scancel 101_0' "
           "takes it away" in status.out, "the status names it", status)
    slurm.calls()
    place.succeeds(RUN)
    expect(place.path("runs/report.html").exists() and slurm.calls() == [], "the report is made")
    place.path(f"runs/points/{POINTS[1]}/record.json").unlink()
    slurm.mode("hold")
    place.succeeds(RUN)
    expect(slurm.calls() == ["--parsable ranks-1.sbatch", "--parsable --dependency=afterany:104 report.sbatch"],
           "and what is run again does not wait for it")


def a_lost_status_is_told(place):
    """Whether or not all points are done."""
    write_study(place)
    for code in (1, 0):
        expect(place.run(f"{HERE} --status").code == code, f"otherwise it ends with {code}")
        lost = place.shell("$S submit small.toml --out runs --status >/dev/full")
        expect(lost.code == 6 and "cannot write to stdout" in lost.err, "it ends with 6", lost)
        if code:
            place.succeeds(HERE)


def names_of_nics_are_no_commands(place):
    FakeSlurm(place, "run")
    place.path("site.toml").write_text(SITE + 'nics = ["$(touch hacked)", "a; touch hacked"]\n')
    place.succeeds(RUN)
    expect(not list(place.folder.rglob("hacked")), "no name of a NIC is run")
    record = json.loads(place.path("runs/points/ranks-1_run-1/record.json").read_text())
    given = record["environment"]["variables"].get("UCX_NET_DEVICES")
    expect(given == "$(touch hacked)", f"UCX gets it as it is: {given}")


def values_are_checked_before(place):
    """Also of trainings that are paced and explained, on the ranks of each point."""
    paced = STUDY + "pace = 20\nexplain = true\n"
    for what, instead, words in (
            ("batch = 4", "batch = 5", "ranks-2_run-1: .*5"),
            ("plan = \"dp={ranks}\"\nglobal-batch = 4", "global-batch = 3", "ranks-2_run-1: a global batch of 3"),
            ("dp={ranks}", "dp=1", "ranks-2_run-1: plan dp=1 has 1 rank, and the point 2"),
            ("nano", "nosuch", "ranks-1_run-1: .*nosuch"),
            ("steps = 4", "steps = 4\nlayers = 0", "layers"),
            ("steps = 4", "steps = 4\nall-reduce = \"nosuch\"", "nosuch"),
            ("steps = 4", "steps = 4\nbucket-size = 0", "--bucket-size"),
            ("steps = 4", "steps = 0", "--steps 0: give at least 1"), ("steps = 4", "steps = -3", "--steps"),
            ("steps = 4", "steps = 4\nlr = -1", "-1"), ("steps = 4", "steps = 4\ndata = \"nowhere\"", "nowhere"),
            ("steps = 4", "steps = 4\npace-slow = \"1:2\"", "ranks-1_run-1: --pace-slow 1:2: there are ranks 0 to 0"),
            ("steps = 4", "steps = 4\ncluster = \"nowhere.toml\"", "nowhere.toml"),
            ("steps = 4", "steps = 4\ncluster = \"small.toml\"", "small.toml")):
        write_study(place, paced.replace(what, instead))
        place.refuses(HERE, words)
    sweep = STUDY.partition("[fixed]")[0].replace("train", "collectives") + "[fixed]\n"
    for options, words in (('op = "nosuch"', "nosuch"), ('b = "1M"\ne = "1K"', "1K"), ("root = 1", "--root 1"),
                           ('op = "broadcast"\nroot = 1', "ranks-1_run-1: --root 1: give a rank from 0 to 0"),
                           ('cluster = "nowhere.toml"', "nowhere.toml"), ("list = true", "--list")):
        write_study(place, sweep + options + "\n")
        place.refuses(HERE, words)
    write_study(place, sweep.replace("collectives", "overlap") + "rounds = 2\n")
    place.refuses(HERE, "ranks-1_run-1: a single rank has nothing to communicate")
    for options in ("", "pace = 20\n", "explain = true\n", "pace = 20\nexplain = true\npace-slow = \"0:2\"\n"):
        write_study(place, STUDY + options)
        place.succeeds(f"{HERE} --dry-run")
    write_study(place, STUDY.replace("plan = \"dp={ranks}\"\n", ""))
    place.succeeds(f"{HERE} --dry-run")


def submits_own_options_are_refused(place):
    """Of a study, and of a site."""
    write_study(place, STUDY + 'hdf5 = "x"\n')
    place.refuses(HERE, "small.toml: fixed.hdf5 = 'x': give nothing: 'shardstone submit' sets it for every run")
    write_study(place)
    place.path("site.toml").write_text(SITE + '[options.train]\njson = "x"\n')
    place.refuses(RUN, "site.toml: options.train.json = 'x': give nothing: 'shardstone submit' sets it")


def files_that_runs_write_are_refused(place):
    """Each of those options, however it is given: every run would write the same file."""
    head = STUDY.partition("[fixed]")[0]
    trained, looked = STUDY.replace("dp={ranks}", "dp=2").replace("[1, 2]", "[2]"), head.replace("train", "topology")
    for study, option in ((trained + 'trace = "x"\n', "--trace"), (trained + 'export = "x"\n', "--export"),
                          (trained + '[[case]]\nname = "a"\ntrace = "x"\n', "--trace"),
                          (trained + '[vary]\nexport = ["x", "y"]\n', "--export"),
                          (looked + '[fixed]\nout = "x"\n', "--out"), (looked + '[fixed]\no = "x"\n', "--out"),
                          (head.replace("train", "study pipeline") + '[fixed]\ntimeline = "x"\n', "--timeline")):
        write_study(place, study)
        for how in ("", " --dry-run"):
            place.refuses(HERE + how, f"small: ranks-.*: {option} names one file or folder that every run would write")
    write_study(place)
    place.path("site.toml").write_text(SITE + '[options.train]\ntrace = "x"\n')
    place.refuses("submit small.toml --site site.toml --sbatch", "--trace names one file")


def options_of_a_site_reach_their_command(place):
    """Of a command with two words as well; none is lost by a word too many or a letter too few."""
    local, here = (ROOT / "jobs/sites/local.toml").read_text(), f"{HERE} --site site.toml --dry-run"
    write_study(place, STUDY.replace('"train"', '" validate   interconnect "').partition("[fixed]")[0])
    place.path("site.toml").write_text(local + '[options."validate interconnect"]\nbudget = 7\n')
    expect("validate interconnect --budget 7 --json" in place.succeeds(here).out, "a command of two words has its own")
    for command in ("train --json x", "train --model nano", "train -h"):
        write_study(place, STUDY.replace('"train"', f'"{command}"'))
        place.refuses(here, f"small.toml: command = '{command}': give the subcommand alone, and its options in .fixed.")
    write_study(place)
    for named, advice in (("trian", "; did you mean 'train'.$"), ("simulate", ": name one of "),
                          ("validate", ": name one of .*, validate interconnect")):
        place.path("site.toml").write_text(local + f"[options.{named}]\nlr = 1\n")
        for line in (here, here.replace("dry-run", "status"), here.replace(" --dry-run", "")):
            place.refuses(line, f"site site: options of '{named}': no command that runs on ranks .*{advice}")


main({each.__name__: each for each in (
    variables_of_the_user_change_nothing, a_folder_without_runs_is_made_anew, a_folder_by_another_path_is_the_same,
    many_at_once_submit_once,
    records_of_other_points_do_not_count, damaged_files_are_named, the_report_is_told,
    what_is_held_holds_nothing_up, a_lost_status_is_told,
    names_of_nics_are_no_commands, values_are_checked_before, submits_own_options_are_refused,
    files_that_runs_write_are_refused, options_of_a_site_reach_their_command)})
