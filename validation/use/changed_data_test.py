# SPDX-License-Identifier: BSD-3-Clause
"""Shards that change under a training: changed_data_test.py BEHAVIOUR SHARDSTONE MPIEXEC

Nothing is trained on that was not verified, and what changed is named with its place; what holds the
same bytes is no failure.
"""
import os
import shutil

from command import expect, main
from killed_runs import record_in, start_and_see

TRAIN = "train --model nano --data tok --global-batch 6 --eval-sequences 6 --log-every 1 --json r.json"
SHARD = "tok/train-00000.tok"
CHECK = "the data stayed what they were"
STEP_LINE = r"^ +\d+ +\d+\.\d{4} +\d"
CHECK_FAILED = 1
HEADER, TOKENS = 64, 90000


def prepare(place):
    shutil.rmtree(place.path("tok"), ignore_errors=True)
    place.path("r.json").unlink(missing_ok=True)
    place.path("r.json.failures.jsonl").unlink(missing_ok=True)
    place.succeeds("data synthetic --out tok --tokens 100000 --shard-size 1M")
    return place.path(SHARD)


def change_during(place, ranks, options, change):
    """Changes the shard of a training that is under way; its code and what it said on stderr."""
    shard = prepare(place)
    job = start_and_see(place, f"{TRAIN} {options}", ranks, STEP_LINE, 3, pipe_bytes=4096)
    change(shard)
    out, err = job.communicate(timeout=200)
    return job.returncode, out, err


def truncate(shard):
    os.truncate(shard, HEADER + TOKENS)


def overwrite(shard):
    """As a bad disk does: size and time stay."""
    status = shard.stat()
    with open(shard, "r+b") as file:
        file.write(b"\0" * status.st_size)
    os.utime(shard, ns=(status.st_atime_ns, status.st_mtime_ns))


def replace(shard):
    other = shard.with_name("other")
    other.write_bytes(b"\0" * shard.stat().st_size)
    other.rename(shard)


def append(shard):
    with open(shard, "ab") as file:
        file.write(b"more")


def ends_at_once(place, change, said):
    """The tokens that a rank needs are not there: it says so, and the job ends."""
    for ranks in (0, 1, 3):
        code, out, err = change_during(place, ranks, "--steps 1000000", change)
        expect(code == CHECK_FAILED, f"a changed shard on {ranks} ranks ends with {CHECK_FAILED}: {code}", err)
        lines = [line for line in err.splitlines() if "changed while it was used" in line]
        expect(0 < len(lines) <= max(1, ranks), f"who sees it says it once: {lines}", err)
        for line in lines:
            # A rank may look while the change is being made, before its time was set back.
            last = said[-1] in line or "it was written to at " in line
            expect(f"'{SHARD}'" in line and last and all(words in line for words in said[:-1]),
                   f"{said} is said", err)
            expect(ranks < 2 or "rank " in line, "with the rank", err)
        expect("r.json.journal" not in place.files(), "the record took the journal's place")
        record = record_in(place, "r.json")
        expect("changed while it was used" in record["verification"][-1]["detail"], "the record has the reason",
               record["verification"])


def truncated(place):
    ends_at_once(place, truncate, (f"it ends at offset {HEADER + TOKENS}",
                                   f"its size went from {HEADER + 2 * TOKENS} to {HEADER + TOKENS} bytes"))


def overwritten(place):
    ends_at_once(place, overwrite, ("bytes from offset", "are not those that were verified",
                                    "its size, time and inode are what they were"))


def seen_when_looked_at(place):
    """What no rank needs any more, since the old file is open or it lies behind the end, is found after
    an evaluation and at the end; the record says so."""
    for change, ranks, steps, every, said in (
            (replace, 0, 600, 1000000, "it is another file now"),
            (replace, 3, 1000000, 20, "it is another file now"),
            (append, 0, 1000000, 20, f"it goes on at offset {HEADER + 2 * TOKENS}"),
            (append, 3, 300, 1000000, f"it goes on at offset {HEADER + 2 * TOKENS}")):
        code, out, err = change_during(place, ranks, f"--steps {steps} --eval-every {every}", change)
        expect(code == CHECK_FAILED, f"{change.__name__} on {ranks} ranks: {code}", out[-2000:] + err)
        lines = [line for line in err.splitlines() if "changed while it was used" in line]
        expect(len(lines) == 1 and said in lines[0] and f"'{SHARD}'" in lines[0], f"one line says '{said}'", err)
        failed = {c["name"]: c["detail"] for c in record_in(place, "r.json")["verification"]
                  if not c["passed"]}
        expect(said in failed[CHECK], f"the record says it: {failed}")
        expect(("the run was complete" in failed) == (steps > every), f"and how far it came: {failed}")
        expect("changed while it was used" in place.path("r.json.failures.jsonl").read_text(),
               "the failure is kept")
        place.refuses("report r.json --out page.html", "r.json")


def copy(shard):
    other = shard.with_name("other")
    shutil.copyfile(shard, other)
    other.rename(shard)


def same_bytes_are_accepted(place):
    """The text of steps that is not read yet holds up the run until the shard is changed."""
    for change, ranks, said in ((os.utime, 0, "holds the same bytes, but it was written to at"),
                                (os.utime, 3, "holds the same bytes, but it was written to at"),
                                (copy, 0, "holds the same bytes, but it is another file now"),
                                (lambda shard: shard.chmod(0o600), 0, "verified when they were opened"),
                                (lambda shard: shard.unlink(), 0, "was removed meanwhile"),
                                (lambda shard: shard.unlink(), 3, "was removed meanwhile")):
        steps = 300 if ranks else 600
        code, out, err = change_during(place, ranks, f"--steps {steps} --eval-every 100", change)
        expect(code == 0, f"'{said}' is no failure on {ranks} ranks: {code}", out[-2000:] + err)
        found = {c["name"]: c for c in record_in(place, "r.json")["verification"]}[CHECK]
        expect(found["passed"] and said in found["detail"], f"it is accepted and said: {found}")


main({each.__name__: each for each in (truncated, overwritten, seen_when_looked_at, same_bytes_are_accepted)})
