# SPDX-License-Identifier: BSD-3-Clause
"""Who and what else comes to a study's folder: submit_folder_test.py BEHAVIOUR SHARDSTONE MPIEXEC"""
import shutil

from command import expect, main
from studies import FakeSlurm

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


main({each.__name__: each for each in (another_name_is_refused,)})
