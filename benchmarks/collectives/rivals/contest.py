# SPDX-License-Identifier: BSD-3-Clause
"""The contenders, and how one of them is run once."""
import json
import os
import resource
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import summary

AUTOMATIC = "auto"


@dataclass
class Contender:
    name: str
    library: str  # "" for ours, "memory" for the bound, "prototype" for what ours must not lose to
    command: list  # launcher and program
    setting: str = "-"
    environment: dict = field(default_factory=dict)


class Absent(Exception):
    """Why a contender cannot take part."""


def contenders(build, ranks, ours, largest):
    """Those that are built, and why the others are not: ([Contender], {name: reason})."""
    found = json.loads((build / "rivals.json").read_text())
    missing = {}
    launch = [found["launcher"], "-n", str(ranks)]
    # A rank that is moved leaves its share of the vectors in the other core's cache. Open MPI binds
    # by itself; MPICH is better off bound at some sizes and free at others; Gloo has a second thread
    # per rank, which must not share the rank's core.
    own_core = ranks <= os.cpu_count()
    bound = launch + (["-bind-to", "core"] if own_core else [])
    program = lambda name: str(build / "bin" / f"contender_{name}")
    cluster = build / f"rivals-{ranks}.toml"
    result = [Contender("memory", "memory", bound + [program("memory")])]
    result += [Contender(name, "", bound + [program("ours")], name,
                         {"SHARDSTONE_CLUSTER": str(cluster)} if name == AUTOMATIC else {})
               for name in ours]
    result += [Contender(name, "prototype", bound + [program("prototype")], name.split()[1])
               for name in summary.PROTOTYPES]
    if AUTOMATIC in ours:
        calibrate(bound + [str(build / "bin" / "shardstone")], cluster, largest)
    for where, prefix in [("", bound)] + ([(" unbound", launch)] if own_core else []):
        mpich = prefix + [program("mpich")]
        result += [Contender("mpich" + where, "MPICH", mpich),
                   Contender("mpich posix" + where, "MPICH", mpich, "-",
                             {"UCX_TLS": "posix,self"})]
    if found["openmpi_launcher"]:
        result += openmpi(Path(found["openmpi_launcher"]), program("openmpi"), ranks)
    else:
        missing["Open MPI"] = "not found when configuring: see unpack_openmpi"
    if found["gloo"]:
        result += [Contender(f"gloo {algorithm}", "Gloo", launch + [program("gloo")], algorithm)
                   for algorithm in ("ring", "bcube")]
    else:
        missing["Gloo"] = "not found when configuring: apt install libgloo-dev"
    return result, missing


def calibrate(prefix, cluster, largest):
    """What "auto" chooses by, measured afresh."""
    words = [*prefix, "calibrate", "--op", "all_reduce", "--largest",
             str(max(largest, 64)), "-o", str(cluster), "--force"]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)


def openmpi(launcher, program, ranks):
    """Shared memory with and without single copies, and the collectives in a shared segment."""
    prefix = launcher.parent.parent
    libraries = next(prefix.glob("lib*/**/libmpi.so.40")).parent
    # Under the address sanitizer Open MPI's own leaks would count as a failure of the program.
    environment = {"OPAL_PREFIX": str(prefix), "LD_LIBRARY_PATH": str(libraries),
                   "PMIX_MCA_pcompress": "^zlib", "ASAN_OPTIONS": "detect_leaks=0"}
    command = [str(launcher), "--allow-run-as-root", "--oversubscribe", "-n", str(ranks),
               "--mca", "pml", "ob1", "--mca", "btl", "vader,self"]
    if ranks > os.cpu_count():
        command += ["--mca", "mpi_yield_when_idle", "1"]
    variants = {"openmpi": [],
                "openmpi two copies": ["--mca", "btl_vader_single_copy_mechanism", "none"],
                "openmpi coll sm": ["--mca", "coll_sm_priority", "100"]}
    return [Contender(name, "Open MPI", command + words + [program], "-", environment)
            for name, words in variants.items()]


def busy_s():
    """Core seconds that this machine has been at work, or was kept from it, since it started."""
    with open("/proc/stat", encoding="ascii") as file:
        user, nice, system, _, _, irq, softirq, steal = map(int, file.readline().split()[1:9])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def wait_for_quiet(share, limit_s):
    """Returns once others take less than `share` of the cores, or after `limit_s`."""
    look_s = 0.3
    end_s = time.monotonic() + limit_s
    while time.monotonic() < end_s:
        before_s = busy_s()
        time.sleep(look_s)
        # One tick of the kernel's clock is its resolution, and this loop's own work.
        tick_s = 1 / os.sysconf("SC_CLK_TCK")
        if busy_s() - before_s <= max(share * look_s * os.cpu_count(), 2 * tick_s):
            return


def children_s():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run_once(contender, sizes, seconds):
    """Runs all sizes; returns what the program wrote, with the core seconds that others took."""
    folder = Path(tempfile.mkdtemp(prefix="rivals-", dir="/dev/shm"))
    try:
        (folder / "meeting").touch()
        words = [*contender.command, str(folder), str(seconds), contender.setting,
                 *map(str, sizes)]
        before_s = busy_s() - children_s()
        launch(words, {**os.environ, **contender.environment}, 120 + 20 * seconds * len(sizes))
        result = json.loads((folder / "result.json").read_text())
        result["others_core_s"] = max(0.0, round(busy_s() - children_s() - before_s, 3))
        return result
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def launch(words, environment, limit_s):
    """In a process group of its own, so that nothing is left behind when it is stopped."""
    with subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT, start_new_session=True) as process:
        try:
            output, _ = process.communicate(timeout=limit_s)
        except BaseException as error:
            os.killpg(process.pid, signal.SIGTERM)
            if isinstance(error, subprocess.TimeoutExpired):
                raise Absent(f"not finished after {limit_s:.0f} s") from error
            raise
    if process.returncode == 1:
        raise Absent("WRONG SUMS")
    if process.returncode != 0:
        lines = output.strip().splitlines() or ["no output"]
        said = [line for line in lines if line.startswith(("rival:", "shardstone:"))]
        raise Absent(f"exit code {process.returncode}: {(said or lines)[-1]}")
