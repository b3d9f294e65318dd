#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`shardstone step` prints figures that follow from one another and from the sizes it was given.

    SHARDSTONE_BINARY=build/release/bin/shardstone step_command_test.py
"""
import os
import re
import subprocess
import unittest

UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
# N of the FLOP count: but for the position embedding, which is in no product.
NANO = {"layers": 2, "channels": 32, "parameters": 2 * (12 * 32**2 + 13 * 32) + 256 * 32 + 2 * 32}


class Printed:
    def __init__(self, *options):
        command = [os.environ.get("SHARDSTONE_MPIEXEC", "mpiexec"), "-n", "2",
                   os.environ["SHARDSTONE_BINARY"], "step", "--model", "nano", *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr + done.stdout
        self.text = done.stdout

    def number(self, pattern):
        found = re.search(pattern, self.text, re.MULTILINE)
        assert found, (pattern, self.text)
        return float(found.group(1)) * UNITS.get(found.group(2) if found.re.groups > 1 else "s")

    def seconds(self, part):
        return self.number(rf"^ +{part} +([\d.]+) (\w+)")


class StepCommand(unittest.TestCase):
    def test_figures_follow_from_one_another(self):
        for batch, sequence, iterations in ((1, 64, 3), (3, 16, 5)):
            printed = Printed("-b", str(batch), "-s", str(sequence), "-n", str(iterations))
            step_s, tokens = printed.seconds("step"), batch * sequence
            near = 0.01 * max(1.0, tokens / step_s)
            rate = printed.number(r"^([\d.]+) tokens/s")
            self.assertAlmostEqual(rate, tokens / step_s, delta=near)
            flop = 6 * NANO["parameters"] + 6 * NANO["layers"] * NANO["channels"] * sequence
            gflop_s = printed.number(r"and ([\d.]+) GFLOP/s per rank")
            self.assertAlmostEqual(gflop_s, flop * rate * 1e-9, delta=0.051 + 0.01 * gflop_s)
            peak = printed.number(r"peak of ([\d.]+) GFLOP/s")
            self.assertAlmostEqual(printed.number(r"([\d.]+) % MFU"), 100 * gflop_s / peak,
                                   delta=0.11)
            self.assertEqual(printed.number(r"median of (\d+) iterations"), iterations)
            self.assertIn("2 rank(s)", printed.text)

    def test_parts_are_of_the_step(self):
        printed = Printed("-n", "5")
        parts = [printed.seconds(part) for part in ("forward", "backward", "AdamW", "zeroing")]
        # Forward and backward take most of it, backward the more; medians need not add up.
        self.assertGreater(parts[1], parts[0])
        self.assertGreater(parts[0], parts[3])
        self.assertLess(max(parts), 1.05 * printed.seconds("step"))

    def test_the_loss_falls_from_that_of_a_uniform_guess(self):
        printed = Printed("-n", "5")
        first, last = (printed.number(rf"loss {pattern}") for pattern in
                       (r"([\d.]+) to", r"[\d.]+ to ([\d.]+)"))
        self.assertAlmostEqual(first, 5.545, delta=0.1)  # ln 256
        self.assertLess(last, first)
        self.assertIn("passed", printed.text)


if __name__ == "__main__":
    unittest.main(verbosity=2)
