# SPDX-License-Identifier: BSD-3-Clause
"""Paced studies on the shaped links of the virtual cluster, through Slurm: paced_scaling_test.py CLUSTER
SHARDSTONE [STUDY...]. At 8, 16 and 32 ranks a step takes what the cost model says within 10 %, also where ranks
are dealt to the nodes in turn. A description of links is valid for as many ranks per core as it was calibrated with,
and 32 ranks on two cores take sixty times as long for a message inside a node as 8: so links are calibrated first with
8, 16 and 32 ranks, before any step is taken. How many intervals for 32 ranks, predicted from 8 and 16, hold is printed
only. The verdict beside each is that of `scale`, which judges nothing where Slurm's daemons took more than 5 % of the
cores. The cost model's own interval is about what the description predicts, as wide as it was off at 8 and 16; that of
the model scaled by the rates at 8 and 16 is predicted from these."""
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "use"))
# pylint: disable=wrong-import-position
from command import HERE, Place, expect
from slurm_cluster import Slurm

NAME = f"paced{os.getpid()}"
STUDY = """about = "one of the ten"
command = "train"
ranks = [{ranks}]
{placement}
[stop]
repetitions = 3
minutes = 5
[fixed]
model = "tiny"
steps = 6
cluster = "{links}"
{options}
"""
WEAK, STRONG = 'global-batch = "{2*ranks}"', "global-batch = 64"
DATA, ZERO_3 = 'plan = "dp={ranks}"', 'plan = "dp={ranks},zero=3"'
TENSOR, PIPELINE = 'plan = "tp=4,dp={ranks/4}"', 'plan = "pp=2,dp={ranks/2}"\nmicro-batch = 1'
TEN = {
    "dp-weak": (DATA, WEAK), "dp-strong": (DATA, STRONG),
    "zero1-weak": ('plan = "dp={ranks},zero=1"', WEAK),
    "zero3-weak": (ZERO_3, WEAK), "zero3-strong": (ZERO_3, STRONG),
    "tp-weak": (TENSOR, WEAK), "tp-strong": (TENSOR, STRONG),
    "pp-weak": (PIPELINE, WEAK), "pp-strong": (PIPELINE, STRONG),
    "hierarchical-weak": (DATA, WEAK, 'all-reduce = "hierarchical:ring/ring"'),
}
# Not among them: what a flat ring pays for ranks that are dealt to the nodes in turn.
CYCLIC = {"cyclic-ring": (DATA, WEAK), "cyclic-hierarchical": TEN["hierarchical-weak"]}
RANKS = (8, 16, 32)
MODELS = ("the cost model", "the cost model, scaled")
MOST_OFF = 0.10


def calibrate(place, slurm):
    """The path of the descriptions, with {ranks} in it, of links measured by as many."""
    for ranks in RANKS:
        said = slurm.call("exec", "head", "srun", "--mpi=pmi2", "-N", "4", f"--ntasks-per-node={ranks // 4}", place.program, "calibrate",
                          "--op", "broadcast", "--largest", "1M", "--output", str(place.path(f"links-{ranks}.toml")),
                          limit_s=700)
        expect(said.returncode == 0, f"links are calibrated by {ranks} ranks", said.stderr)
        print("\n".join(line for line in said.stdout.splitlines() if line.startswith("#")), flush=True)
    return str(place.path("links-{ranks}.toml"))


def run_study(place, slurm, name, links):
    """Rows by ranks of the tables of `shardstone scale` over the study's records."""
    placement = 'placement = "cyclic"' if name in CYCLIC else ""
    study = STUDY.format(ranks=", ".join(map(str, RANKS)), placement=placement, links=links,
                         options="\n".join({**TEN, **CYCLIC}[name]))
    place.path(f"{name}.toml").write_text(study)
    place.succeeds(f"submit {name}.toml --site site.toml --out {name}")
    slurm.wait(600)
    place.succeeds(f"scale {name}/points --json {name}.json --force")
    tables = {}
    record = json.loads(place.path(f"{name}.json").read_text())
    for table in record["derived"] + record["samples"]:
        columns = {c["name"]: c.get("texts") or c.get("numbers") for c in table["columns"]}
        tables[table["name"]] = [dict(zip(columns, row)) for row in zip(*columns.values())]
    return tables


def off_by(row):
    """Measured over predicted step, minus one."""
    return row["split_step_s"] / row["predicted_s"] - 1


def fits_of(tables):
    return [row for row in tables["scaling_fits"] if row["model"] in MODELS]


def report(name, tables):
    """Prints what was found; returns the points."""
    for row in tables["scaling"]:
        print(f"{name:18} {row['ranks']:3.0f} ranks  measured {row['split_step_s']:7.4f} s  predicted "
              f"{row['predicted_s']:7.4f} s  {100 * off_by(row):+6.2f} %", flush=True)
    for fit in fits_of(tables):
        print(f"{name:18}  32 ranks  {fit['measured_tokens_per_s']:.0f} tokens/s; {fit['model']}: "
              f"{fit['tokens_per_s_low']:.0f} to {fit['tokens_per_s_high']:.0f}: "
              f"{'holds' if fit['holds'] else 'MISSED'} (verdict: {fit['verdict']})", flush=True)
    return tables["scaling"]


def main(cluster, shardstone, *names):
    place = Place(shardstone, "mpiexec")
    site = (HERE.parents[1] / "jobs/sites/virtual.toml").read_text()
    old = '["../virtual_cluster/cluster", "exec", "head"]'
    expect(old in site, "the site reaches Slurm through the virtual cluster")
    place.path("site.toml").write_text(site.replace(old, f'["{cluster}", "exec", "--name", "{NAME}", "head"]'))
    rows, held = [], {model: [] for model in MODELS}
    with Slurm(cluster, NAME) as slurm:
        links = calibrate(place, slurm)
        for name in names or [*TEN, *CYCLIC]:
            tables = run_study(place, slurm, name, links)
            rows += report(name, tables)
            for fit in fits_of(tables) if name in TEN else []:
                held[fit["model"]].append(fit["holds"])
    worst = max(rows, key=lambda row: abs(off_by(row)))
    expect(abs(off_by(worst)) <= MOST_OFF, f"all steps are within {MOST_OFF:.0%} of the prediction", worst)
    for model, all_held in held.items():
        print(f"{model}: {sum(all_held):.0f} of {len(all_held)} intervals hold")


main(*sys.argv[1:])
