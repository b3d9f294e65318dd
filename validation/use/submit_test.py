# SPDX-License-Identifier: BSD-3-Clause
"""Studies at sites, without Slurm: submit_test.py BEHAVIOUR SHARDSTONE MPIEXEC"""
import json
import os
import re
import shutil
import signal
import time

from command import ROOT, SmallDisk, expect, main
from studies import POINTS, SITE, STUDY, hashes, states, write_study

RUN = "submit small.toml --out runs"


def list_shows_every_file(place):
    """Of an installed tree, to which a study and a site are added as one file each."""
    place.path("bin").mkdir()
    program = shutil.copy(place.program, place.path("bin"))
    for kind in ("studies", "sites"):
        shutil.copytree(ROOT / "jobs" / kind, place.path("share") / "shardstone" / kind)
    place.program = str(program)
    before = place.succeeds("submit --list").out
    for name in ("scaling-weak", "scaling-strong", "collectives", "precision", "layouts", "local",
                 "virtual", "slurm-gpu"):
        expect(re.search(rf"^  {name} +\S+", before, re.MULTILINE), f"'{name}' is listed", before)
    place.path("share/shardstone/studies/mine.toml").write_text(STUDY)
    place.path("share/shardstone/sites/home.toml").write_text(SITE.replace("no real site", "my own"))
    after = place.succeeds("submit --list").out
    added = [line.split(maxsplit=1) for line in after.splitlines() if line not in before.splitlines()]
    expect(added == [["mine", "a small study"], ["home", "my own"]], f"the new ones are: {added}", after)
    dry = place.succeeds("submit mine --site home --dry-run")
    expect("4 of 4 points would be submitted" in dry.out, "and can be used", dry)


def dry_run_writes_nothing(place):
    write_study(place)
    dry = place.succeeds(f"{RUN} --dry-run")
    command = rf"^mpiexec -n 2 -bind-to none {place.program} train --global-batch 4 --model nano --plan dp=2 " \
              rf"--steps 4 --json {place.folder}/runs/points/ranks-2_run-2/record.json --force$"
    expect(re.search(command, dry.out, re.MULTILINE), "it prints each command line", dry)
    for site in ("virtual", "slurm-gpu"):
        dry = place.succeeds(f"submit scaling-weak --site {site} --dry-run")
        for words in ("#SBATCH --nodes=4\n#SBATCH --ntasks=32\n", "#SBATCH --array=0-4",
                      "plan dp=16", "\"$shardstone\" report ", "15 of 15 points would be submitted"):
            expect(words in dry.out, f"at {site} it prints '{words}'", dry)
    expect(place.files() == ["small.toml"], f"nothing was written: {place.files()}")


def a_study_is_run_here(place):
    """To the end, with its report; a second call has nothing to do."""
    write_study(place)
    outcome = place.succeeds(RUN)
    expect(states(outcome) == dict.fromkeys(POINTS, "done"), "every point is done", outcome)
    page = place.path("runs/report.html").read_text()
    expect(page.count("dp=2") > 0, "the report shows the runs")
    verified = place.run("verify runs")
    expect(re.search(r"^5 of 5 files are good", verified.out, re.MULTILINE), "all of it is verified", verified)
    before, made = hashes(place, "runs"), place.path("runs/report.html").stat().st_mtime_ns
    again = place.succeeds(RUN)
    expect(hashes(place, "runs") == before and place.path("runs/report.html").stat().st_mtime_ns == made,
           "a second call changes nothing", again)
    dry = place.succeeds(f"{RUN} --dry-run")
    expect(dry.out == "0 of 4 points would be run; nothing was written\n", "nor would another", dry)
    table, _, report = place.succeeds(f"{RUN} --status").out.rpartition("report: ")
    expect(table in again.out, "the table is that of --status", again)
    expect(report == f"{place.folder}/runs/report.html\n", f"which also tells the report: {report}")
    os.utime(place.path("runs/points") / POINTS[3] / "record.json")
    place.succeeds(RUN)
    expect(place.path("runs/report.html").stat().st_mtime_ns > made, "a report older than one record is made again")


def broken_records_are_run_again(place):
    """Truncated, altered, incomplete, of another revision, empty: none counts; the whole ones stay."""
    write_study(place)
    place.succeeds(RUN)
    files = [place.path("runs/points") / point / "record.json" for point in POINTS]
    whole = files[0].read_bytes()
    job = place.start("train --model nano --global-batch 4 --steps 100000 --json part.json")
    time.sleep(3)
    job.send_signal(signal.SIGTERM)
    job.communicate()
    breaks = (lambda: files[1].write_bytes(whole[:-30]), lambda: files[1].write_bytes(b""),
              lambda: files[1].write_bytes(whole.replace(b"7", b"8", 1)),
              lambda: shutil.copy(place.path("part.json"), files[1]), files[1].unlink)
    for spoil in breaks:
        spoil()
        before = hashes(place, "runs")
        status = place.run(f"{RUN} --status")
        expected = {**dict.fromkeys(POINTS, "done"), POINTS[1]: "failed"}
        expect(status.code == 1 and states(status) == expected, "it counts as failed", status)
        outcome = place.succeeds(RUN)
        after = hashes(place, "runs")
        changed = [point for point in POINTS if before.get(point) != after.get(point)]
        expect(changed == [POINTS[1]], f"run again are: {changed}", outcome)


def failures_are_told(place):
    """A point that fails: why, and where; the others are run, and the exit code is 1."""
    write_study(place, STUDY.replace("[fixed]", "[fixed]\nmemory-limit = \"1M\"").replace("4\nsteps", "64\nsteps"))
    place.path("runs").mkdir()
    refused = place.run(RUN)
    expect(refused.code == 2 and "memory" in refused.err, "what a dry run refuses is refused before", refused)
    write_study(place, STUDY.partition("[fixed]")[0].replace("train", "validate interconnect") +
                "[fixed]\naccept = \"nowhere/pod.toml\"\n")
    outcome = place.run(RUN)
    expect(outcome.code == 1 and set(states(outcome).values()) == {"failed"}, "all failed", outcome)
    line = rf"^{POINTS[2]} .*exit code 2: shardstone: .*nowhere.* \[{place.folder}/runs/points/{POINTS[2]}/stderr\]$"
    expect(re.search(line, outcome.out, re.MULTILINE), "each line says why and where", outcome)


def verdicts_are_shown(place):
    """A validation that is done and fails the machine is told from one that passes."""
    place.path("pod.toml").write_text("[[limit]]\nquantity = 'latency between nodes'\nstatistic = 'median'\n"
                                      "size = '8'\nlimit = 1e-9\nunit = 's'\n")
    write_study(place, f"""about = "acceptance"
command = "validate interconnect"
ranks = [2]
[stop]
repetitions = 1
minutes = 5
[fixed]
accept = "{place.path('pod.toml')}"
part = "pairs"
sizes = "8"
budget = 1
ranks-per-node = 1
""")
    outcome = place.run(RUN)
    expect(set(states(outcome).values()) == {"done"}, "it is done", outcome)
    # Beside other tests a machine is too busy for a limit to be broken for sure.
    verdict = r"done +(disturbed .*; )?exit code (1: FAIL|7: INCONCLUSIVE): .*: latency between nodes of rank \d.*, limit 1e-09 s"
    expect(re.search(verdict, outcome.out), "and says how it ended", outcome)
    again, status = place.run(RUN), place.run(f"{RUN} --status")
    expect([outcome.code, again.code, status.code] == [1, 1, 1], "a machine that fails is no success", status)
    hint = f"remove the folder of the point, and submit again: rm -r {place.folder}/runs/points/"
    expect(hint in status.out, "and how it is tested again is told", status)


def folders_are_recognised(place):
    """One that another study, site or program made, or that is no such folder, is refused in one line."""
    write_study(place)
    place.succeeds(RUN)
    write_study(place, STUDY.replace("steps = 4", "steps = 3"))
    place.refuses(RUN, "another study .line 11: 'steps = 4' then, 'steps = 3' now., and point ranks-1_run-1 would run "
                       "'.*--steps 3' instead of '.*--steps 4' .*: name another folder with --out, or remove this one")
    write_study(place)
    local = (ROOT / "jobs/sites/local.toml").read_text()
    place.path("near.toml").write_text(local + "ranks_per_node = 2\n")
    place.refuses(f"{RUN} --site near.toml", "another site")
    manifest = place.path("runs/submit.json")
    manifest.write_text(re.sub(r'"revision": "[^"]*"', '"revision": "0"', manifest.read_text()))
    place.refuses(RUN, "another program .revision 0 then")
    place.path("other").mkdir()
    place.path("other/notes.txt").write_text("mine")
    place.refuses("submit small.toml --out other", "holds other files")
    place.refuses("submit small.toml --out a%b", "no folder with spaces")
    expect(place.path("other/notes.txt").read_text() == "mine", "and left alone")


def full_disks_are_named(place):
    with SmallDisk(place, "64k") as disk:
        write_study(place)
        disk.fill()
        outcome = place.run("submit small.toml --out small/runs")
        expect(outcome.code in (2, 6) and outcome.err.count("\n") == 1 and "No space left" in outcome.err,
               "a full disk is named in one line", outcome)
        disk.empty()
        outcome = place.run("submit small.toml --out small/runs")
        expect(outcome.code == 1 and "MiB" in outcome.out, "too little room is why each point failed", outcome)


def typing_errors_are_one_line(place):
    """Before anything is written: of a study's options, its plan, its command."""
    for what, instead, words in (
            ("steps = 4", "stesp = 4", "ranks-1_run-1: unknown option '--stesp'; did you mean '--steps'"),
            ("steps = 4", "steps = \"x\"", "ranks-1_run-1: --steps"),
            ("dp={ranks}", "dp=2", "plan dp=2 has 2 ranks, and the point 1"),
            ("dp={ranks}", "dp={ranks/2}", "1 is not divisible by 2"),
            ("nano", "nanno", "nanno"), ("\"train\"", "\"trian\"", "unknown subcommand 'trian'; did you mean"),
            ("\"train\"", "\"report\"", "report"), ("global-batch = 4", "global-batch = 5", "5"),
            ("[1, 2]", "[0]", "small.toml: ranks = .0.: give an array of whole numbers, 1 to 1000000"),
            ("[1, 2]", "[2, 2]", "small.toml: ranks = .2, 2.: give numbers of ranks, each larger than the one before"),
            ("about = \"a small study\"", "", "small.toml: about is missing: give a line on what the study answers")):
        write_study(place, STUDY.replace(what, instead))
        place.refuses(RUN, words)
    expect(place.files() == ["small.toml"], f"nothing was written: {place.files()}")


def the_folder_tells_what_made_it(place):
    """Its submit.json names study, site and program."""
    write_study(place)
    place.succeeds(RUN)
    told = json.loads(place.path("runs/submit.json").read_text())
    expect(told["study"] == "small" and told["site"] == "local" and told["points"] == 4 and
           os.path.samefile(told["program"], place.program), f"submit.json tells: {told}")


if __name__ == "__main__":
    main({each.__name__: each for each in (
        list_shows_every_file, dry_run_writes_nothing, a_study_is_run_here, broken_records_are_run_again,
        failures_are_told, verdicts_are_shown, folders_are_recognised, full_disks_are_named, typing_errors_are_one_line,
        the_folder_tells_what_made_it)})
