# SPDX-License-Identifier: BSD-3-Clause
"""What records say of the options of `shardstone train`: the value in force, defaults included."""
import re

from train_runs import Options, shell, train

TWO = {"--plan": "dp=2"}
STAGES = {"--plan": "pp=2", "--micro-batches": 4}
CONTEXT = {"--plan": "cp=2"}
EXPERTS = {"--experts": 4}
PACED = {"--reproducible": False, "--eval-sequences": False}

# Of each option: what it is beside, on how many ranks, its key; value without it, word, value with it.
RECORDED = {
    "--model": ({}, 1, "model", "nano", "tiny", "tiny"),
    "--layers": ({}, 1, "layers", 2, 3, 3),
    "--heads": ({}, 1, "heads", 2, 4, 4),
    "--channels": ({}, 1, "channels", 32, 48, 48),
    "--vocabulary": ({}, 1, "vocabulary", 256, 300, 300),
    "--context": ({}, 1, "context", 64, 96, 96),
    "--experts": ({}, 1, "experts", 1, 4, 4),
    "--top-k": (EXPERTS, 1, "top_k", 1, 2, 2),
    "--capacity": (EXPERTS, 1, "capacity", 0, 1.25, 1.25),
    "--balance-loss": (EXPERTS, 1, "balance_loss", 0.01, 0.5, 0.5),
    "--router-z-loss": (EXPERTS, 1, "router_z_loss", 0.001, 0.5, 0.5),
    "--global-batch": ({}, 1, "global_batch", 8, 12, 12),
    "--micro-batch": ({}, 1, "micro_batch", 1, 4, 4),
    "--micro-batches": ({}, 1, "micro_batches", 8, 2, 2),
    "--shortest": ({}, 1, "shortest", None, 5, 5),
    "--sequence": ({}, 1, "sequence", 32, 24, 24),
    "--steps": ({}, 1, "steps", 4, 3, 3),
    "--seed": ({}, 1, "seed", 1, 7, 7),
    "--eval-every": ({}, 1, "eval_every", None, 2, 2),
    "--eval-sequences": ({}, 1, "eval_sequences", 4, 0, None),
    "--plan": ({}, 2, "plan", "dp=2", "tp=2", "tp=2"),
    "--schedule": (STAGES, 2, "schedule", "1f1b", "gpipe", "gpipe"),
    "--chunks": ({**STAGES, "--schedule": "interleaved", "--layers": 8, "--chunks": 2}, 2, "chunks",
                 2, 4, 4),
    "--stage-layers": (STAGES, 2, "stage_layers", None, "1,1", [1, 1]),
    "--scatter-gather": ({"--plan": "tp=2,pp=2", "--micro-batches": 4}, 4, "scatter_gather",
                         False, None, True),
    "--context-order": (CONTEXT, 2, "context_order", "zigzag", "blocks", "blocks"),
    "--context-attention": (CONTEXT, 2, "context_attention", "ring", "all-gather", "all-gather"),
    "--recompute": ({}, 1, "recompute", "none", "full", "full"),
    "--freeze": ({}, 1, "frozen", None, "blocks.0", ["blocks.0"]),
    "--precision": ({}, 1, "precision", "fp32", "bf16", "bf16"),
    "--gradient-wire": ({**TWO, "--reproducible": False}, 2, "gradient_wire", "full", "bf16", "bf16"),
    "--loss-scale": ({"--precision": "fp16"}, 1, "loss_scale", 65536, 512, 512),
    "--scale-growth": ({"--precision": "fp16"}, 1, "scale_growth", 200, 3, 3),
    "--inject-overflow": ({"--precision": "fp16"}, 1, "inject_overflow", None, "2:0", "2:0"),
    "--optimizer": ({}, 1, "optimizer", "adamw", "lamb", "lamb"),
    "--lr": ({}, 1, "learning_rate", 1e-3, 0.25, 0.25),
    "--lr-shape": ({}, 1, "rate_shape", "cosine", "constant", "constant"),
    "--min-lr": ({}, 1, "least_rate", 1e-4, 3e-4, 3e-4),
    "--scale-rate": ({"--base-batch": 4, "--scale-rate": "linear"}, 1, "rate_scaling", "linear",
                     "sqrt", "sqrt"),
    "--base-batch": ({"--base-batch": 4, "--scale-rate": "linear"}, 1, "base_batch", 4, 2, 2),
    "--warmup": ({}, 1, "warmup_steps", 1, 2, 2),
    "--weight-decay": ({}, 1, "weight_decay", 0.1, 0.3, 0.3),
    "--beta1": ({}, 1, "beta1", 0.9, 0.5, 0.5),
    "--beta2": ({}, 1, "beta2", 0.95, 0.5, 0.5),
    "--momentum": ({"--optimizer": "lars"}, 1, "momentum", 0.9, 0.5, 0.5),
    "--trust": ({"--optimizer": "lars"}, 1, "trust", 0.001, 0.1, 0.1),
    "--clip": ({}, 1, "clip", 1.0, 0, None),
    "--all-reduce": (TWO, 2, "all_reduce", "ring", "mpi", "mpi"),
    "--bucket-size": (TWO, 2, "bucket_bytes", 20 << 10, "1M", 1 << 20),
    "--no-overlap": (TWO, 2, "overlap", True, None, False),
    "--device": ({}, 1, "device", "cpu", "cpu", "cpu"),  # the other needs a GPU
    "--graphs": ({}, 1, "graphs", None, False, None),  # likewise
    "--tf32": ({}, 1, "tf32", None, False, None),  # likewise
    "--pace": (PACED, 1, "pace_gflop_per_s", None, 2, 2),
    "--pace-memory": ({**PACED, "--pace": 78}, 1, "pace_memory_gb_per_s",
                      78e9 * (2.0 / 156.0) * 1e-9, 3, 3),
    "--pace-input": ({**PACED, "--pace": 78}, 1, "pace_input_ms", 0, 3, 3),
    "--pace-slow": ({**PACED, "--pace": 78}, 1, "pace_slow", None, "0:1.5", "0:1.5"),
    "--reproducible": ({}, 1, "reproducible", True, False, False),
}
# What means nothing without another option, and that other one.
NEEDY = {
    "--loss-scale 2": ("--precision bf16", "a --precision that scales the loss"),
    "--scale-growth 2": ("--precision fp16-static", "--precision fp16, whose scale grows"),
    "--beta1 0.5": ("--optimizer sgd", "--optimizer adamw, lamb"),
    "--beta2 0.5": ("--optimizer lars", "--optimizer adamw, lamb"),
    "--momentum 0.5": ("--optimizer adamw", "--optimizer momentum, nesterov, lars"),
    "--trust 0.5": ("--optimizer lamb", "--optimizer lars"),
    "--min-lr 0.5": ("--lr-shape constant", "--lr-shape cosine"),
    "--top-k 2": ("--experts 1", "--experts 2 or more"),
    "--top-k 1": ("--experts 1", "--experts 2 or more"),
    "--capacity 1.25": ("--experts 1", "--experts 2 or more"),
    "--balance-loss 0.5": ("--experts 1", "--experts 2 or more"),
    "--router-z-loss 0.5": ("--experts 1", "--experts 2 or more"),
    "--pace-memory 3": ("--steps 1", "--pace"),
    "--pace-input 3": ("--steps 1", "--pace"),
    "--pace-slow 0:2": ("--steps 1", "--pace"),
    "--context-order blocks": ("--plan dp=1", "a plan with cp=2 or more"),
    "--context-attention ring": ("--plan dp=1", "a plan with cp=2 or more"),
}
FOLLOWS = {"data", "parameters", "peak_rate"}


class OptionsOfTheRecord(Options):
    def test_every_option_changes_its_record(self):
        for flag, (beside, ranks, key, before, word, after) in RECORDED.items():
            plain = train(beside, ranks=ranks).configuration
            given = train({**beside, flag: word}, ranks=ranks).configuration
            self.assertEqual((plain[key], given[key]), (before, after), flag)

    def test_no_option_is_left_out(self):
        _, text_of_help, _ = shell(["train", "--help"])
        groups = re.split(r"^(?=\S.*:$)", text_of_help, flags=re.MULTILINE)
        where_it_goes = ("OPTIONS:", "Prediction", "Output")
        of_the_run = {flag for group in groups if not group.startswith(where_it_goes)
                      for flag in re.findall(r"^ +(--[a-z0-9-]+)", group, re.MULTILINE)}
        # A record has the data's hash; the others change no number.
        others = {"--data", "--memory-limit", "--stall-after", "--force"}
        self.assertEqual(of_the_run - others, set(RECORDED))
        keys = set(train({}).configuration)
        self.assertEqual(keys - FOLLOWS, {row[2] for row in RECORDED.values()})

    def test_what_means_nothing_is_refused(self):
        for given, (beside, needed) in NEEDY.items():
            code, _, errors = shell(["train", "--model", "nano", *given.split(), *beside.split()])
            self.assertEqual(code, 2, errors)
            self.assertIn(f"{given} means nothing without {needed}", errors)
