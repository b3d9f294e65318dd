# SPDX-License-Identifier: BSD-3-Clause
"""An installed tree works wherever it is moved to, and jobs/quickstart says what it does."""
import os
import re
import shutil
import stat
import tempfile
from pathlib import Path

from checks import expect, main, output_of

INSTALLED = ["bin/shardstone", "share/man/man1/shardstone.1", "share/doc/shardstone/LICENSE",
             "share/bash-completion/completions/shardstone", "share/doc/shardstone/README.md",
             "share/shardstone/clusters/dgx-h100-rails.toml", "share/shardstone/studies/scaling-weak.toml",
             "share/shardstone/sites/slurm-gpu.toml"]


def installed_tree_moves(program, build, source):
    with tempfile.TemporaryDirectory() as folder:
        first = Path(folder) / "first place"
        output_of("cmake", "--install", build, "--prefix", first)
        root = Path(folder) / "second"
        first.rename(root)
        for name in INSTALLED:
            expect((root / name).stat().st_size > 0, f"{name} is installed")
        moved = root / "bin/shardstone"
        expect(output_of(moved, "--version", cwd=folder) == output_of(program, "--version"),
               "the moved program runs")
        expect(output_of(moved, "man") == (root / INSTALLED[1]).read_text(), "its manual page")
        expect(output_of(moved, "completion", "bash") == (root / INSTALLED[3]).read_text(),
               "its completion")
        # A description that is only there shows that the program looks beside itself.
        clusters = root / "share/shardstone/clusters"
        shutil.copy(clusters / "dgx-h100-rails.toml", clusters / "only-in-the-moved-tree.toml")
        output_of(moved, "simulate", "--cluster", "only-in-the-moved-tree", "--ranks", "8", "-b", "1M",
                  "-e", "1M", "--algorithm", "ring", cwd=folder)
        paths = re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", output_of("readelf", "-d", moved))
        for path in ":".join(paths).split(":"):
            inside = [place for place in (build, first) if path.startswith(str(place))]
            expect(not inside, f"no library is looked for in the build tree: {path}")


def stand_in(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def quickstart_counts_its_stages(program, build, source):
    """With stand-ins for what takes time: the stages are counted to the last, and the PATH is said."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "a checkout"
        (root / "jobs").mkdir(parents=True)
        for name in ("quickstart", "setup"):
            shutil.copy(source / "jobs" / name, root / "jobs" / name)
        stand_in(root / "build/release/bin/shardstone", 'echo "ran: $*"\n')
        tools = Path(folder) / "tools"
        stand_in(tools / "cmake", "exit 0\n")
        stand_in(tools / "dpkg-query", "echo 'install ok installed'\n")
        stand_in(tools / "mpiexec", 'shift 2; exec "$@"\n')
        path = f"{tools}:{os.environ['PATH']}"
        text = output_of(root / "jobs/quickstart", env={**os.environ, "PATH": path})
        counted = [(int(stage), int(of)) for stage, of in re.findall(r"^\[(\d+)/(\d+)\]", text, re.M)]
        expect(counted == [(i + 1, len(counted)) for i in range(len(counted))] and counted,
               f"stages are counted from 1 to the last, not {counted}")
        expect(len(re.findall("^ran: ", text, re.M)) == len(counted), "each stage runs one command")
        report = re.findall(r"^ran: report (.*) --out", text, re.M)
        records = re.findall(r"^ran: .* --hdf5 (\S+)$", text, re.M)
        expect(report and report[0].split() == records, "the report is given every record")
        say = re.findall(r"^  (export PATH=.*)$", text, re.M)
        expect(len(say) == 1, f"one line tells the PATH: {text[-300:]}")
        found = output_of("bash", "-c", f"{say[0]}; command -v shardstone").strip()
        expect(found == str(root / "build/release/bin/shardstone"), f"the PATH line works: {found}")


if __name__ == "__main__":
    main({function.__name__: function for function in (installed_tree_moves,
                                                       quickstart_counts_its_stages)})
