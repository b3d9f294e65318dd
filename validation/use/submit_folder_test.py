# SPDX-License-Identifier: BSD-3-Clause
"""Who and what else comes to a study's folder: submit_folder_test.py BEHAVIOUR SHARDSTONE MPIEXEC"""
import json
import shutil

from command import expect, main
from studies import SITE, FakeSlurm

RUN = "submit small.toml --site site.toml --out runs"


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


main({each.__name__: each for each in (
    another_name_is_refused, jobs_of_a_colleague_count, what_submit_decides_is_refused)})
