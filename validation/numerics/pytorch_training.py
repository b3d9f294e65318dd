#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Trains in PyTorch what `shardstone train` has trained, and compares the loss of every step.

    pytorch_training.py RECORD.json DATA [--plant [WHAT]]

RECORD is of `train --data DATA --precision fp64 --json RECORD.json`, in any layout. Data, their order and
the initial weights are made by data_order.py, from the written rules alone; model, gradients and AdamW are
torch's own, in FP64; the learning rate and the clipping are written here once more. Exit code 0 when every
loss is within 1e-6 nats, 1 when not, 77 when PyTorch is missing. --plant adds a thousandth to beta2, or to
WHAT of the experts' options, which has to be seen.

Seen: 2e-15 nats over 30 steps of `nano`, on one rank and on eight; the other beta2 4e-4. Of four experts the
oracle of validation/oracle: 6e-15, other options 4e-4 to 1e-3. The bound is what both may be off by and still
follow the same rules.
"""
import argparse
import json
import math
import pathlib
import sys

try:
    import torch

    from data_order import Shards, initial_weights
    from pytorch_experts import has_experts
    from pytorch_oracle import gpt_loss
except ImportError as missing:
    print(f"skipped: PyTorch cannot be imported ({missing})")
    sys.exit(77)

MOST_NATS = 1e-6


def shapes_of(run):
    """Of all tensors, by name: (outputs, inputs) of layers."""
    channels = run["channels"]
    shapes = {"token_embedding.weight": (run["vocabulary"], channels),
              "position_embedding.weight": (run["context"], channels)}
    layers = {"attention.qkv": (3 * channels, channels), "attention.projection": (channels, channels)}
    mlps = [f"experts.{e}" for e in range(run["experts"])] if has_experts(run) else ["mlp"]
    for mlp in mlps:
        layers[mlp + ".expansion"] = (4 * channels, channels)
        layers[mlp + ".projection"] = (channels, 4 * channels)
    for block in range(run["layers"]):
        for name, shape in layers.items():
            shapes[f"blocks.{block}.{name}.weight"] = shape
            shapes[f"blocks.{block}.{name}.bias"] = shape[:1]
        if has_experts(run):
            shapes[f"blocks.{block}.router.weight"] = (run["experts"], channels)
    for norm in [f"blocks.{b}.norm{n}" for b in range(run["layers"]) for n in (1, 2)] + ["final_norm"]:
        shapes[norm + ".weight"] = shapes[norm + ".bias"] = (channels,)
    return shapes


def rate_of(run, step):
    """Linear warm-up, then half a cosine down to the least rate."""
    if step < run["warmup_steps"]:
        return run["peak_rate"] * step / run["warmup_steps"]
    if run["rate_shape"] == "constant":
        return run["peak_rate"]
    least = run["least_rate"]
    progress = (step - run["warmup_steps"]) / (run["steps"] - run["warmup_steps"])
    return least + (run["peak_rate"] - least) * (1 + math.cos(math.pi * progress)) / 2


def optimizer_of(run, weights):
    groups = [{"params": [w for w in weights.values() if w.dim() > 1], "weight_decay": run["weight_decay"]},
              {"params": [w for w in weights.values() if w.dim() == 1], "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=0.0, betas=(run["beta1"], run["beta2"]), eps=1e-8)


def clip(weights, limit):
    """Scales all gradients so that their common norm is `limit` at most."""
    norm = math.sqrt(sum(w.grad.square().sum().item() for w in weights.values()))
    if limit is None or norm <= limit:
        return
    for weight in weights.values():
        weight.grad *= limit / norm


def losses_of(run, text):
    """Yields the mean loss of every step."""
    weights = {name: torch.tensor(initial_weights(name, shape, run["layers"], run["seed"]),
                                  dtype=torch.float64, requires_grad=True)
               for name, shape in shapes_of(run).items()}
    optimizer = optimizer_of(run, weights)
    for step in range(1, run["steps"] + 1):
        tokens, targets = text.batch(step, run["global_batch"], run["sequence"], run["seed"],
                                     run["shortest"] or 0)
        optimizer.zero_grad()
        loss, objective = gpt_loss(run, weights, torch.from_numpy(tokens), torch.from_numpy(targets))
        objective.backward()
        clip(weights, run["clip"])
        for group in optimizer.param_groups:
            group["lr"] = rate_of(run, step)
        optimizer.step()
        yield loss.item()


def refuse(what):
    print(f"pytorch_training.py: {what}", file=sys.stderr)
    sys.exit(2)


def read_record(path):
    """The configuration and the losses."""
    record = json.loads(path.read_text())
    run = record["configuration"]
    for key, wanted in (("optimizer", "adamw"), ("precision", "fp64"), ("frozen", None)):
        if run.get(key) != wanted:
            refuse(f"'{path}': {key} is {run.get(key)}; this follows {wanted} only")
    steps = next(table for table in record["samples"] + record["derived"] if table["name"] == "steps")
    return run, next(c["numbers"] for c in steps["columns"] if c["name"] == "loss")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("record", type=pathlib.Path)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--plant", nargs="?", const="beta2", help="which option is another",
                        choices=("beta2", "capacity", "balance_loss", "router_z_loss"))
    given = parser.parse_args()
    torch.set_num_threads(1)
    run, ours = read_record(given.record)
    if given.plant:
        if run.get(given.plant) is None:
            refuse(f"'{given.record}' has no {given.plant} to change")
        run[given.plant] += 0.001
    theirs = losses_of(run, Shards(given.data))
    worst = max(abs(mine - other) for mine, other in zip(ours, theirs, strict=True))
    verdict = "within" if worst <= MOST_NATS else "NOT within"
    print(f"PyTorch {torch.__version__}, {run['model']}, plan {run['plan']}, {run['steps']} steps: losses "
          f"{verdict} {MOST_NATS:g} nats (largest difference {worst:.2g})")
    return 0 if worst <= MOST_NATS else 1


if __name__ == "__main__":
    sys.exit(main())
