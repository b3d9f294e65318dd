# SPDX-License-Identifier: BSD-3-Clause
"""Options of `shardstone train` that say what is trained: model, batch and plan."""
from train_runs import Options, acts, shell, command_of, text, train


class OptionsOfTheModel(Options):
    @acts("--model")
    def test_model(self):
        self.assertEqual(train().parameters(), 2 * (12 * 32**2 + 13 * 32) + 320 * 32 + 2 * 32)
        self.assertGreater(train({"--model": "tiny"}).parameters(), 2 * train().parameters())

    @acts("--layers", "--channels", "--vocabulary", "--context")
    def test_sizes(self):
        plain = train().parameters()
        self.assertEqual(train({"--layers": 3}).parameters() - plain, 12 * 32**2 + 13 * 32)
        self.assertEqual(train({"--vocabulary": 259}).parameters() - plain, 3 * 32)
        self.assertEqual(train({"--context": 69}).parameters() - plain, 5 * 32)
        c = 48
        self.assertEqual(train({"--channels": c}).parameters(),
                         2 * (12 * c**2 + 13 * c) + 320 * c + 2 * c)

    @acts("--heads")
    def test_heads(self):
        other = train({"--heads": 4})
        self.assertEqual(other.parameters(), train().parameters())
        self.assertNotEqual(other.hashes(), train().hashes())


class OptionsOfTheBatch(Options):
    def tokens(self, run):
        return [round(rate * time) for rate, time in
                zip(run.steps("tokens_per_s"), run.steps("time_s"))]

    @acts("--data")
    def test_data(self):
        other = train({"--data": text(2)})
        self.assertNotEqual(other.steps("loss"), train().steps("loss"))
        self.assertIn("seed 2", other.output)

    @acts("--global-batch", "--sequence", "--steps")
    def test_sizes(self):
        self.assertEqual(self.tokens(train()), [8 * 32] * 4)
        self.assertEqual(self.tokens(train({"--global-batch": 6})), [6 * 32] * 4)
        self.assertEqual(self.tokens(train({"--sequence": 24})), [8 * 24] * 4)
        self.assertEqual(self.tokens(train({"--steps": 7})), [8 * 32] * 7)
        first = [train(c).steps("loss")[0] for c in
                 ({}, {"--global-batch": 6}, {"--sequence": 24})]
        self.assertEqual(len(set(first)), 3)

    @acts("--micro-batch", "--micro-batches")
    def test_micro_batch(self):
        passes = {1: 8, 2: 4, 4: 2}
        for size, count in passes.items():
            one = train({"--micro-batch": size})
            self.assertEqual(len(one.events("forward")), count * 4 * 4, f"--micro-batch {size}")
            other = train({"--micro-batches": count})
            self.assertEqual(other.hashes(), one.hashes(), f"--micro-batches {count}")
            self.assertEqual(other.memory("activations"), one.memory("activations"))
        # Context ranks have parts of the same sequences, expert ranks have sequences of their own.
        each = train({"--plan": "cp=2", "--global-batch": 4, "--micro-batches": 4}, ranks=2)
        self.assertEqual(each.configuration["micro_batch"], 1)
        for plan, experts, size in (("dp=2,cp=2", 1, 4), ("dp=2,ep=2", 2, 2)):
            whole = train({"--plan": plan, "--experts": experts, "--reproducible": False}, ranks=4)
            self.assertEqual(whole.configuration["micro_batch"], size, plan)

    @acts("--shortest")
    def test_shortest(self):
        padded, full = train({"--shortest": 5}), train({"--shortest": 32})
        self.assertNotEqual(padded.steps("loss")[0], train().steps("loss")[0])
        self.assertEqual(full.hashes(), train().hashes())
        self.assertIn(" tokens/s, padding included (", padded.output)
        self.assertNotIn("padding included", full.output)

    @acts("--seed")
    def test_seed(self):
        self.assertEqual(train({"--seed": 1}).hashes(), train().hashes())
        self.assertNotEqual(train({"--seed": 2}).steps("loss")[0], train().steps("loss")[0])
        # Of losses, of gradients and of parameters: each hash is of what it says.
        for ours, others in zip(train().hashes(), train({"--seed": 2}).hashes(), strict=True):
            self.assertNotEqual(ours, others)

    @acts("--eval-every")
    def test_eval_every(self):
        self.assertEqual(train().tables["evaluations"]["step"], [4])
        self.assertEqual(train({"--eval-every": 2, "--steps": 5}).tables["evaluations"]["step"],
                         [2, 4, 5])

    @acts("--eval-sequences")
    def test_eval_sequences(self):
        losses = [train({"--eval-sequences": n}).tables["evaluations"]["validation_loss"][-1]
                  for n in (1, 2, 4)]
        self.assertEqual(len(set(losses)), 3)
        self.assertNotIn("evaluations", train({"--eval-sequences": 0}).tables)


class OptionsOfThePlan(Options):
    @acts("--plan")
    def test_plan(self):
        """Each axis by what a rank holds: all weights, half of them, one of two blocks and the
        final norm or embeddings, a share under ZeRO."""
        whole = train().parameters()
        self.assertEqual(train({"--plan": "dp=2"}, ranks=2).parameters(), whole)
        self.assertEqual(train({"--plan": "dp=2"}, ranks=2).hashes(), train().hashes())
        self.assertLess(train({"--plan": "tp=2"}, ranks=2).parameters(), 0.6 * whole)
        self.assertLess(train({"--plan": "pp=2"}, ranks=2).parameters(), 0.8 * whole)
        plain = train({"--plan": "dp=2"}, ranks=2)
        sharded = {1: "optimizer", 2: "gradients", 3: "weights"}
        for stage, name in sharded.items():
            run = train({"--plan": f"dp=2,zero={stage}"}, ranks=2)
            below = train({"--plan": f"dp=2,zero={stage - 1}"}, ranks=2) if stage > 1 else plain
            self.assertNotEqual(run.memory(name), below.memory(name), f"zero={stage}")
        rows = [train({"--plan": f"tp=2,sp={sp}"}, ranks=2).memory("activations") for sp in (0, 1)]
        self.assertLess(rows[1], rows[0])

    @acts("--schedule")
    def test_schedule(self):
        """GPipe keeps all eight micro-batches, 1F1B as many as there are stages, two; beside them is
        what attention works with, which does not grow: a third of what 1F1B has, at this size."""
        kept = {name: train({"--plan": "pp=2", "--schedule": name}, ranks=2).memory("activations")
                for name in ("1f1b", "gpipe")}
        self.assertGreater(kept["gpipe"], 2.5 * kept["1f1b"])

    @acts("--chunks")
    def test_chunks(self):
        """Two chunks on two stages: three borders instead of one."""
        plan = {"--plan": "pp=2", "--layers": 4}
        one = train({**plan, "--schedule": "1f1b"}, ranks=2)
        two = train({**plan, "--schedule": "interleaved", "--chunks": 2}, ranks=2)
        self.assertEqual(len(two.events("send", "b")), 3 * len(one.events("send", "b")))

    @acts("--context-order", "--context-attention")
    def test_context(self):
        plan = {"--plan": "cp=2", "--micro-batch": 1}
        ring = train(plan, ranks=2)
        gathered = train({**plan, "--context-attention": "all-gather"}, ranks=2)
        blocks = train({**plan, "--context-order": "blocks"}, ranks=2)
        # Of each of 8 micro-batches, 2 blocks, 4 steps and 2 ranks: keys forward and back, then their
        # gradients; or two all-gathers and a reduce-scatter.
        each = 8 * 2 * 4 * 2

        def begun(run, words):
            return len([one for one in run.trace
                        if one["ph"] == "b" and one["name"].startswith(f"context {words}")])

        for run in (ring, blocks):
            self.assertEqual(begun(run, "shift of stored rows"), 2 * each)
            self.assertEqual(begun(run, "shift of real rows"), each)
        self.assertEqual(begun(gathered, "all-gather"), 2 * each)
        self.assertEqual(begun(gathered, "reduce-scatter"), each)
        # Other positions on a rank, in other order of its sums: equal losses, but not to the bit.
        for other in (gathered, blocks):
            self.assertNotEqual(other.hashes(), ring.hashes())
            for a, b in zip(other.steps("loss"), ring.steps("loss")):
                self.assertAlmostEqual(a, b, places=4)

    @acts("--scatter-gather")
    def test_scatter_gather(self):
        """Each of 8 micro-batches is gathered by the stage that receives it, in 4 steps."""
        plan = {"--plan": "tp=2,pp=2", "--eval-sequences": 0}
        for flag, gathers in ((False, 0), (None, 4 * 8)):
            run = train({**plan, "--scatter-gather": flag}, ranks=4)
            for rank in range(4):
                found = [event for event in run.trace if event["ph"] == "b" and event["pid"] == rank
                         and "all-gather of stage rows" in event["name"]]
                self.assertEqual(len(found), gathers, f"rank {rank}")

    @acts("--stage-layers")
    def test_stage_layers(self):
        block = 12 * 32**2 + 13 * 32
        plan = {"--plan": "pp=2", "--layers": 4}
        even = train(plan, ranks=2).parameters()
        for layers, more in (("1,3", -1), ("3,1", 1)):
            run = train({**plan, "--stage-layers": layers}, ranks=2)
            self.assertEqual(run.parameters() - even, more * block, layers)

    @acts("--recompute")
    def test_recompute(self):
        kept = {kind: train({"--recompute": kind}) for kind in ("none", "selective", "full")}
        sizes = [kept[kind].memory("activations") for kind in ("none", "selective", "full")]
        self.assertGreater(sizes[0], sizes[1])
        self.assertGreater(sizes[1], sizes[2])
        self.assertEqual(len({run.hashes() for run in kept.values()}), 1)

    @acts("--freeze")
    def test_freeze(self):
        norms = [train(c).steps("gradient_norm")[0] for c in
                 ({}, {"--freeze": "token_embedding"}, {"--freeze": "token_embedding,blocks.1."})]
        self.assertGreater(norms[0], norms[1])
        self.assertGreater(norms[1], norms[2])

    @acts("--memory-limit")
    def test_memory_limit(self):
        for words in ([], ["--dry-run"]):
            code, _, errors = shell(command_of({"--memory-limit": "100K"}) + words)
            self.assertEqual(code, 2)
            self.assertIn("limit of 100 KiB", errors)
        self.assertEqual(train({"--memory-limit": "64M"}).hashes(), train().hashes())
        small = {"--precision": "bf16"}  # whose peak is measured in more than that
        self.assertEqual(train(small | {"--memory-limit": "3M"}).hashes(), train(small).hashes())
