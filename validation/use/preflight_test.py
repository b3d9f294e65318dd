# SPDX-License-Identifier: BSD-3-Clause
"""What is seen before anything runs: preflight_test.py BEHAVIOUR SHARDSTONE MPIEXEC

A machine that will not do is named at once, not after hours.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import time
import uuid

from command import ROOT, expect, main, one_line_with
from memory_group import MemoryGroup, skip

# With a description, so that nothing is calibrated first.
SWEEP = f"collectives --algorithm ring -b 4 -e 4 -n 10 --cluster {ROOT / 'jobs/clusters/cpu-virtual-4x4.toml'}"
LARGE_SWEEP = "collectives --algorithm ring -b 384M -e 384M -n 6 --in-place yes"
LARGE_TRAINING = "train --model gpt2-350m --steps 1 --global-batch 2"


def skip_with_sanitizers(place, why):
    if b"__asan_init" in pathlib.Path(place.program).read_bytes():
        skip(f"this program is built with sanitizers, {why}")


def group_limit_is_named(place):
    """In a group of 1 GiB what needs more is refused, as is what does not start at all."""
    with MemoryGroup(1 << 30) as group:
        name = f"{group.limit} of cgroup /.*{group.folder.name}"
        for line in (LARGE_SWEEP, LARGE_TRAINING):
            outcome = group.run(place, f"{place.launcher} -n 2 $S {line}")
            expect(outcome.code == 2, f"'{line}' in 1 GiB ends with 2", outcome)
            expect(one_line_with(name, outcome.err), f"'{line}' says which limit it is", outcome)


def limits_of_the_shell_are_named(place):
    skip_with_sanitizers(place, "which need more than these limits for themselves")
    for line in (LARGE_SWEEP, LARGE_TRAINING):
        for limit, name in (("-v", "RLIMIT_AS"), ("-d", "RLIMIT_DATA")):
            outcome = place.shell(f"ulimit {limit} 1000000; $S {line}")
            expect(outcome.code == 2, f"'{line}' under ulimit {limit} ends with 2", outcome)
            expect(one_line_with(name, outcome.err), f"'{line}' under ulimit {limit} names it", outcome)


def tightest_limit_kib(place, line):
    """Under which this runs; under the one before it is refused, and nothing of it crashes."""
    said = {}
    for limit in range(300000, 1000000, 8000):
        said[limit] = place.shell(f"ulimit -v {limit}; timeout -s KILL 20 $S {line}")
        if said[limit].code == 0:
            expect(one_line_with("RLIMIT_AS.* is the least", said[limit - 8000].err), f"{limit - 8000} kiB is refused",
                   said[limit - 8000])
            return limit
    return expect(False, f"'{line}' runs under some ulimit -v", said)


def tight_limits_end_at_once(place):
    """A library's thread that tries again and again to map memory must not hold up the end."""
    skip_with_sanitizers(place, "which need more than these limits for themselves")
    limit = tightest_limit_kib(place, "train --model nano --global-batch 4 --steps 1")
    large = "collectives -b 64M -e 64M --op all_reduce --algorithm ring --cluster cpu-virtual-4x4"
    for line in ("train --model gpt2-124m --steps 1", large):
        for threads in ("", "OPENBLAS_NUM_THREADS=2"):
            outcome = place.shell(f"ulimit -v {limit}; {threads} timeout -s KILL 20 $S {line}")
            expect(outcome.code == 2, f"'{threads} {line}' under ulimit -v {limit} ends with 2", outcome)


def what_slurm_gave_is_named(place):
    os.environ["SLURM_MEM_PER_NODE"] = "1024"
    place.refuses(LARGE_SWEEP, r"SLURM_MEM_PER_NODE", 2)
    place.refuses(LARGE_TRAINING, r"SLURM_MEM_PER_NODE", 2)


def a_nodes_memory_is_for_all_its_ranks(place):
    """What is enough for one rank, and for two, is not for four."""
    os.environ["SLURM_MEM_PER_NODE"] = "40"
    place.succeeds(SWEEP, 2)
    place.refuses(SWEEP, r"rank \d on \S+: only 10 MiB of memory are left for each rank \(SLURM_MEM_PER_NODE\)", 4)


def objects_before_the_check(place):
    """Everything of ours that runs until a lesser CPU is refused."""
    build = pathlib.Path(place.program).parents[1]
    found = [next(build.glob(f"{library}/CMakeFiles/*.dir/{source}.o"), None)
             for library, source in (("collectives", "session/refuse_cpu.cpp"), ("kernels", "base/cpu_check.cpp"))]
    if None in found or not shutil.which("objdump"):
        skip("no objects of this build, or no objdump")
    return found


def cpu_check_is_for_any_cpu(place):
    """Instructions of AVX and later have a v before their names; those on bits are few."""
    later = re.compile(r"^(v\w+|andn|bextr|bls\w+|tzcnt|lzcnt|bzhi|pdep|pext|rorx|mulx|s[ah][lr]x|shlx|popcnt|movbe)$")
    for file in objects_before_the_check(place):
        text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", file], capture_output=True, text=True,
                              check=True).stdout
        names = {line.split("\t")[1].split()[0] for line in text.splitlines() if line.count("\t") >= 1}
        expect(len(names) > 10, f"{file} is disassembled", text)
        expect(not [name for name in names if later.match(name)], f"{file} needs no later CPU", sorted(names))


def cpu_check_comes_first(place):
    """Of all constructors: the one of priority 101, which is in no other file."""
    skip_with_sanitizers(place, "which begin before everything else")
    if not shutil.which("readelf"):
        skip("no readelf")
    def read(*options):
        return subprocess.run(["readelf", "-W", *options, place.program], capture_output=True, text=True,
                              check=True).stdout
    array = re.search(r"\.init_array\s+INIT_ARRAY\s+([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+)", read("-S"))
    begin, size = (int(word, 16) for word in array.groups())
    first = re.search(rf"^0*{begin:x} .*RELATIVE\s+([0-9a-f]+)", read("-r"), re.MULTILINE)
    symbol = re.search(rf"^\s*\d+: 0*{first[1]} .* (\S+)$", read("-s"), re.MULTILINE)
    expect(size > 8 * 10, "there are other constructors", array[0])
    expect(symbol and "refuse_cpu" in symbol[1], "the check is the first of them", symbol)


def lesser_cpu_is_named(place):
    """On an emulated CPU of 2008, alone and as one of two ranks."""
    emulator = os.environ.get("SHARDSTONE_QEMU", "qemu-x86_64")
    if os.uname().machine != "x86_64" or not shutil.which(emulator):
        skip("no qemu-x86_64 (Debian's package qemu-user), nor $SHARDSTONE_QEMU")
    lesser = f"{emulator} -cpu Nehalem $S --version"
    alone = place.shell(lesser)
    if alone.code == 0:
        skip("this program was built for a CPU of 2008")
    features = r"this CPU has no avx.*-DSHARDSTONE_ARCH=x86-64-v2"
    expect(alone.code == 2 and one_line_with(features, alone.err), "what is missing is said alone", alone)
    for other in ("--version", "collectives --algorithm ring -b 4 -e 4 -n 10"):
        mixed = place.shell(f"timeout 60 {place.launcher} -n 1 $S {other} : -n 1 {lesser}")
        expect(re.search(rf"^shardstone: rank 1 on \S+: {features}", mixed.err, re.MULTILINE),
               "rank and node are named", mixed)
        expect(mixed.code not in (0, 124), "the job ends, and not well", mixed)


def few_descriptors_are_named(place):
    """A limit that may be raised is; one that may not and leaves no room for files is refused."""
    place.succeeds(SWEEP, 2)
    outcome = place.shell(f"ulimit -Sn 32; {place.launcher} -n 2 $S {SWEEP}")
    expect(outcome.code == 0 and "ulimit" not in outcome.err, "a soft limit is raised", outcome)
    outcome = place.shell(f"ulimit -n 28; $S {SWEEP}")
    expect(outcome.code == 2 and re.search(r"rank 0 on \S+: may have 28 files open.*raise ulimit -n", outcome.err),
           "rank, node and limit are named", outcome)


class ThreadGroup:
    """A cgroup of so many threads; where there may be none, the test is skipped."""

    def __init__(self, most):
        for top in ("/sys/fs/cgroup/pids", "/sys/fs/cgroup"):
            self.folder = pathlib.Path(top) / f"shardstone-{uuid.uuid4().hex}"
            try:
                self.folder.mkdir()
                (self.folder / "pids.max").write_text(str(most))
                return
            except OSError:
                if self.folder.is_dir():
                    self.folder.rmdir()
        skip("no right to make a cgroup of threads")

    def __enter__(self):
        return self.folder

    def __exit__(self, *_):
        for _ in range(100):
            try:
                return self.folder.rmdir()
            except OSError:
                time.sleep(0.05)  # what was killed is still ending
        return None


def limits_of_threads_are_named(place):
    """Alone and with others: one line that says what there is too few of, never what errno says alone."""
    for ranks, most in ((0, 1), (2, 4)):
        with ThreadGroup(most) as folder:
            launch = f"exec {place.launcher} -n {ranks} " if ranks else "exec "
            outcome = place.shell(f"echo $BASHPID > {folder}/cgroup.procs && export OPENBLAS_NUM_THREADS=1 && "
                                  f"{launch}$S {SWEEP}")
            expect(outcome.code not in (0, 70), f"{most} threads for {ranks} ranks are too few", outcome)
            expect(re.search(rf"no thread can be started \(.*pids.max of cgroup /\S*{folder.name} is {most}", outcome.err),
                   f"{ranks} ranks say which limit it is", outcome)


def small_group_is_refused(place):
    skip_with_sanitizers(place, "which need more than these limits for themselves")
    with MemoryGroup(24 << 20) as group:
        outcome = group.run(place, f"$S {SWEEP}")
        expect(outcome.code == 2 and re.search(rf"rank 0 on \S+: only .*{group.limit} of cgroup", outcome.err),
               "too little for any run is said", outcome)


def full_disks_are_refused(place):
    """Where no output has room; one that has none beside one that has is warned of."""
    small = place.path("small")
    small.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", small], check=False).returncode:
        skip("no right to mount a small disk")
    try:
        place.refuses(f"{SWEEP} --json small/r.json", r"small/r.json' is on a disk with 8 MiB left", 2)
        place.refuses("train --model nano --steps 1 --export small/a/b", "small/a/b/tensors.bin' is on a disk")
        expect(not any(small.iterdir()), "no folder remains of what was refused")
        outcome = place.succeeds(f"{SWEEP} --hdf5 small/r.h5 --json r.json", 2)
        expect(outcome.err.count("warning: 'small/r.h5' is on a disk") == 1, "it is said once", outcome)
    finally:
        subprocess.run(["umount", "-l", small], check=True)


def small_files_are_refused(place):
    """MPI would end by an error of its own that does not name the limit; without MPI there is none."""
    for ranks in ("", f"{place.launcher} -n 2 "):
        outcome = place.shell(f"ulimit -f 3000; {ranks}$S {SWEEP}")
        expect(outcome.code == 2 and outcome.err.count("shardstone:") == 1
               and "files may grow to 2.93 MiB (ulimit -f), and MPI makes one of up to 5 MiB" in outcome.err,
               "one line names the limit", outcome)


def full_shared_memory_is_refused(place):
    """Before MPI would look for room in it for most of a minute."""
    for options, words in (("size=4m", r"/dev/shm has 4 MiB left, and 2 ranks on this node share 10 MiB in it"),
                           ("size=64m,ro", "/dev/shm is read-only, and 2 ranks")):
        begin = time.monotonic()
        outcome = place.shell("unshare -m bash -c 'mount --make-rprivate / && mount -t tmpfs -o "
                              f"{options} tmpfs /dev/shm && echo mounted && exec {place.launcher} -n 2 $S {SWEEP}'")
        if "mounted" not in outcome.out:
            skip("no right to mount a small disk")
        expect(outcome.code == 2 and outcome.err.count("shardstone: rank 0 on ") == 1
               and outcome.err.count("shardstone:") == 1 and re.search(words, outcome.err), f"{options}: one line", outcome)
        expect(time.monotonic() - begin < 5, f"at once, not after {time.monotonic() - begin:.0f} s")


def leftovers_are_cleared(place):
    """What a killed run left in /dev/shm goes at the next run, and its record says so. In the /dev/shm of all
    that may be a run of another test, so where this user may it is one of the test's own."""
    left = f"/dev/shm/ucx_shm_posix_{uuid.uuid4().hex[:8]}"
    place.path("script").write_text(
        f"trap 'rm -f {left}' EXIT; rm -f r.json; echo x > {left} && touch -d @0 {left} && "
        "sleep 10.1 && "  # its last change of state, which nobody can set back
        f"ls {left} && {place.launcher} -n 2 $S {SWEEP} --json r.json && [ ! -e {left} ]")
    own = "mount --make-rprivate / && mount -t tmpfs tmpfs /dev/shm && echo mounted && exec bash script"
    outcome = place.shell(f"unshare -m bash -c '{own}'")
    is_own = "mounted" in outcome.out
    for _ in range(0 if is_own else 5):
        outcome = place.shell("bash script")
        if counted_leftovers(place) >= 1:
            break
    if not is_own and left not in outcome.out:
        skip("in five tries the runs of other tests were first to clear it")
    expect(outcome.code == 0, "it is gone", outcome)
    expect(counted_leftovers(place) >= 1, "the record counts it", outcome)


def counted_leftovers(place):
    """Of the record, where one was written."""
    record = place.path("r.json")
    return json.loads(record.read_text())["environment"].get("leftovers_cleared", 0) if record.exists() else 0


def counters_that_rise_are_named(place):
    """Errors of a network device (a false one, in a view of the system of its own) fail the run; drops
    are only recorded."""
    device = "/sys/class/net/eth9"
    before = (f"mount --make-rprivate / && mount -t tmpfs tmpfs /sys/class/net && mkdir -p {device}/statistics "
              f"{device}/device && cd /sys/class/net && echo 1 > eth9/statistics/COUNTER")
    rising = ("(n=1; while sleep 0.02; do echo $((n += 1)) > next && mv next eth9/statistics/COUNTER; done) & "
              "rises=$!; trap 'kill $rises' EXIT")
    for counter, fails in (("rx_errors", True), ("rx_dropped", False)):
        script = f"{before}; {rising}; cd {place.folder} && {place.launcher} -n 2 $S {SWEEP} --json r.json --force"
        place.path("script").write_text(script.replace("COUNTER", counter))
        outcome = place.shell("unshare -m bash script")
        if "unshare:" in outcome.err or "mount:" in outcome.err:
            skip("no right to a view of the system of its own")
        record = json.loads(place.path("r.json").read_text())
        seen = [each for each in record["environment"]["health"] if each["counter"] == f"eth9 {counter}"]
        expect(len(seen) == 1 and seen[0]["after"] > seen[0]["before"] and seen[0]["fails"] == fails,
               "the record has before and after", record["environment"].get("health"))
        failed = [each["name"] for each in record["verification"] if not each["passed"]]
        expect(failed == (["the nodes' health"] if fails else []), f"{counter} fails: {fails}", failed)
        expect(outcome.code == (1 if fails else 0), f"so does the run with {counter}", outcome)
        said = rf"FAILED: the nodes' health \(\S+: eth9 {counter} went from \d+ to \d+\)"
        expect(bool(re.search(said, outcome.err)) == fails, "node and counter are named", outcome)


BEHAVIOURS = {f.__name__: f for f in (
    group_limit_is_named, limits_of_the_shell_are_named, tight_limits_end_at_once, what_slurm_gave_is_named,
    a_nodes_memory_is_for_all_its_ranks, cpu_check_is_for_any_cpu, cpu_check_comes_first, lesser_cpu_is_named, few_descriptors_are_named,
    limits_of_threads_are_named, small_group_is_refused, full_disks_are_refused, small_files_are_refused, full_shared_memory_is_refused, leftovers_are_cleared,
    counters_that_rise_are_named)}

if __name__ == "__main__":
    main(BEHAVIOURS)
