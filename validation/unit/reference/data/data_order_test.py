#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""reference/data/README.md is true: validation/numerics/data_order.py, written from it alone, names
the sequences, the held-out windows and the initial weights that the program takes.

    SHARDSTONE_BINARY=build/release/bin/shardstone data_order_test.py
"""
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "numerics"))
import data_order  # noqa: E402

numpy = data_order.numpy
PROGRAM = os.environ["SHARDSTONE_BINARY"]
SCRIPT = pathlib.Path(data_order.__file__)


def output_of(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


class Rules(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix="data_order_")
        cls.folder = pathlib.Path(cls.scratch.name)
        # Ten shards to train on, the last one shorter, and two that are held out.
        output_of(PROGRAM, "data", "synthetic", "--out", cls.folder / "text", "--tokens", "22000",
                  "--symbols", "50", "--order", "1", "--shard-size", "4096")

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def test_the_program_takes_the_sequences_of_the_rule(self):
        for words in ("--sequence 9", "--sequence 33 --seed 81985529216486895 --steps 3",
                      "--sequence 700 --global-batch 40", "--sequence 2047",
                      "--sequence 12 --shortest 3 --step 1000 --steps 2"):
            words = words.split()
            expected = output_of(sys.executable, "-B", SCRIPT, self.folder / "text", *words)
            self.assertGreater(expected.count("\n"), 16)
            got = output_of(PROGRAM, "data", "order", self.folder / "text", "--tokens", *words)
            self.assertEqual(got.splitlines(), expected.splitlines(), words)

    def test_training_starts_from_the_sequences_and_weights_of_the_rule(self):
        """With all but the embeddings' products gone the loss of untrained weights would be ln V; the
        first step's loss, in FP64 from the rule's weights and sequences, is that of the program."""
        record = self.folder / "run.json"
        output_of(PROGRAM, "train", "--data", self.folder / "text", "--model", "nano", "--steps",
                  "1", "--sequence", "24", "--global-batch", "4", "--seed", "5",
                  "--eval-sequences", "6", "--json", record)
        tables = {table["name"]: {column["name"]: column.get("numbers")
                                  for column in table["columns"]}
                  for table in json.loads(record.read_text())["derived"]}
        text = data_order.Shards(self.folder / "text")
        model = Gpt(layers=2, heads=2, channels=32, vocabulary=256, context=64, seed=5)
        inputs, targets = text.batch(step=1, global_batch=4, sequence=24, seed=5)
        self.assertAlmostEqual(tables["steps"]["loss"][0], model.loss(inputs, targets), delta=1e-6)
        inputs, targets = text.batch(step=2, global_batch=4, sequence=24, seed=5)
        self.assertNotAlmostEqual(tables["steps"]["loss"][0], model.loss(inputs, targets), delta=1e-4)

    def test_held_out_windows_are_those_of_the_rule(self):
        """A rate of nearly nothing: the evaluation after the step is that of the initial weights."""
        text = data_order.Shards(self.folder / "text")
        model = Gpt(layers=2, heads=2, channels=32, vocabulary=256, context=64, seed=1)
        for evaluated in (1, 3, 1000):
            record = self.folder / f"eval-{evaluated}.json"
            output_of(PROGRAM, "train", "--data", self.folder / "text", "--model", "nano", "--steps",
                      "1", "--sequence", "40", "--global-batch", "1", "--eval-sequences", evaluated,
                      "--lr", "1e-12", "--json", record)
            tables = {table["name"]: {column["name"]: column.get("numbers")
                                      for column in table["columns"]}
                      for table in json.loads(record.read_text())["derived"]}
            inputs, targets = text.held_out(evaluated, 40)
            self.assertAlmostEqual(tables["evaluations"]["validation_loss"][0],
                                   model.loss(inputs, targets), delta=1e-6)

    def test_initial_weights_are_those_of_the_rule(self):
        for seed in (1, 0x123456789ABCDEF):
            folder = self.folder / f"export-{seed}"
            output_of(PROGRAM, "export", "--model", "nano", "--seed", seed, "--out", folder)
            about = json.loads((folder / "tensors.json").read_text())
            data = (folder / "tensors.bin").read_bytes()
            compared = 0
            for entry in about["tensors"]:
                if not entry["name"].startswith("weight/"):
                    continue
                name, shape = entry["name"][len("weight/"):], entry["shape"]
                ours = numpy.frombuffer(data, dtype="<f4", count=math.prod(shape),
                                        offset=entry["first"]).reshape(shape)
                expected = data_order.initial_weights(name, shape, about["layers"], seed)
                different = numpy.count_nonzero(ours.view("u4") != expected.view("u4"))
                self.assertEqual(different, 0, f"{name} with seed {seed}, of {ours.size}")
                compared += ours.size
            self.assertGreater(compared, 30000)

    def test_philox_gives_the_published_numbers(self):
        """Random123 1.09, tests/kat_vectors."""
        words = data_order.philox(0x299F31D0A4093822, 0x0370734413198A2E, [0x85A308D3243F6A88])
        self.assertEqual([int(word[0]) for word in words],
                         [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1])


class Gpt:
    """GPT-2 forward in FP64 from the initial weights of the rule."""

    def __init__(self, layers, heads, channels, vocabulary, context, seed):
        self.layers, self.heads, self.channels = layers, heads, channels
        shapes = {"token_embedding.weight": (vocabulary, channels),
                  "position_embedding.weight": (context, channels)}
        for layer in range(layers):
            block = f"blocks.{layer}."
            shapes[block + "attention.qkv.weight"] = (3 * channels, channels)
            shapes[block + "attention.projection.weight"] = (channels, channels)
            shapes[block + "mlp.expansion.weight"] = (4 * channels, channels)
            shapes[block + "mlp.projection.weight"] = (channels, 4 * channels)
        self.weights = {name: data_order.initial_weights(name, shape, layers, seed).astype(float)
                        for name, shape in shapes.items()}

    @staticmethod
    def norm(x):
        centred = x - x.mean(axis=-1, keepdims=True)
        return centred / numpy.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-5)

    def attention(self, x, block):
        batch, sequence, _ = x.shape
        q, k, v = (y.reshape(batch, sequence, self.heads, -1).transpose(0, 2, 1, 3) for y in
                   numpy.split(x @ self.weights[block + "attention.qkv.weight"].T, 3, axis=2))
        scores = q @ k.transpose(0, 1, 3, 2) / math.sqrt(self.channels // self.heads)
        scores = numpy.where(numpy.tri(sequence, dtype=bool), scores, -numpy.inf)
        shares = numpy.exp(scores - scores.max(axis=-1, keepdims=True))
        mixed = shares / shares.sum(axis=-1, keepdims=True) @ v
        mixed = mixed.transpose(0, 2, 1, 3).reshape(batch, sequence, self.channels)
        return mixed @ self.weights[block + "attention.projection.weight"].T

    def mlp(self, x, block):
        h = x @ self.weights[block + "mlp.expansion.weight"].T
        h = 0.5 * h * (1 + numpy.tanh(math.sqrt(2 / math.pi) * (h + 0.044715 * h**3)))
        return h @ self.weights[block + "mlp.projection.weight"].T

    def loss(self, inputs, targets):
        tokens = self.weights["token_embedding.weight"]
        x = tokens[inputs] + self.weights["position_embedding.weight"][:inputs.shape[1]]
        for layer in range(self.layers):
            block = f"blocks.{layer}."
            x = x + self.attention(self.norm(x), block)
            x = x + self.mlp(self.norm(x), block)
        logits = self.norm(x) @ tokens.T
        top = logits.max(axis=-1, keepdims=True)
        sums = top[..., 0] + numpy.log(numpy.exp(logits - top).sum(axis=-1))
        chosen = numpy.take_along_axis(logits, numpy.maximum(targets, 0)[..., None], -1)[..., 0]
        return float((sums - chosen)[targets >= 0].mean())


if __name__ == "__main__":
    unittest.main(verbosity=2)
