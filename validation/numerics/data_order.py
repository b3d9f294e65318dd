#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Shards, the order of training data and the initial weights, from the rules that
reference/data/README.md gives and from nothing else: a PyTorch training can take its batches and its
first weights from here.

    data_order.py FOLDER --sequence 128 [--global-batch 16] [--seed 1] [--step 1] [--steps 1]
                         [--shortest 0]

prints what `shardstone data order FOLDER --tokens` prints. As a module:

    text = Shards("FOLDER")
    inputs, targets = text.batch(step=1, global_batch=16, sequence=128, seed=1)
    weights = initial_weights("blocks.0.mlp.expansion.weight", (256, 64), layers=2, seed=1)
    inputs, targets = text.held_out(evaluated=64, sequence=128)
"""
import argparse
import json
import pathlib
import struct
import sys

try:
    import numpy
except ImportError as missing:
    print(f"skipped: NumPy cannot be imported ({missing})")
    sys.exit(77)

MOST_SEQUENCES = 1 << 24


def stream_named(name):
    """FNV-1a of 64 bits."""
    number = 0xCBF29CE484222325
    for byte in name.encode():
        number = (number ^ byte) * 0x100000001B3 % 2**64
    return number


def philox(seed, stream, index):
    """Philox4x32-10: four arrays of 32-bit words for an array of indices."""
    low = numpy.uint64(0xFFFFFFFF)
    shift = numpy.uint64(32)
    index = numpy.asarray(index, dtype=numpy.uint64)
    words = [index & low, index >> shift, numpy.full_like(index, stream % 2**32),
             numpy.full_like(index, stream >> 32)]
    key = [seed % 2**32, seed >> 32]
    for _ in range(10):
        even = words[0] * numpy.uint64(0xD2511F53)
        odd = words[2] * numpy.uint64(0xCD9E8D57)
        words = [(odd >> shift) ^ words[1] ^ numpy.uint64(key[0]), odd & low,
                 (even >> shift) ^ words[3] ^ numpy.uint64(key[1]), even & low]
        key = [(key[0] + 0x9E3779B9) % 2**32, (key[1] + 0xBB67AE85) % 2**32]
    return words


def number_below(bound, seed, name, index):
    words = philox(seed, stream_named(name), [index])
    return ((int(words[0][0]) << 32 | int(words[1][0])) * bound) >> 64


def read_shard(path, vocabulary):
    data = path.read_bytes()
    magic, version, symbols, tokens, _, _, _ = struct.unpack("<8sIIQQ24sQ", data[:64])
    assert magic == b"SHARDTOK" and version == 1 and symbols == vocabulary, path
    found = numpy.frombuffer(data, dtype="<u2", offset=64)
    assert len(found) == tokens and (found < vocabulary).all(), path
    return found


class Shards:
    """A folder that `shardstone data prepare` or `data synthetic` wrote."""

    def __init__(self, folder):
        folder = pathlib.Path(folder)
        manifest = json.loads((folder / "manifest.json").read_text())
        assert manifest["format"] == "shardstone-tokens" and manifest["version"] == 1
        self.vocabulary = manifest["vocabulary"]
        self.names = [entry["file"] for entry in manifest["train"]]
        self.train, self.validation = ([read_shard(folder / entry["file"], self.vocabulary)
                                        for entry in manifest[part]]
                                       for part in ("train", "validation"))

    def place(self, step, sample, sequence, seed):
        """Shard and first token; steps count from 1, sequences from 0."""
        starts = [max(0, len(shard) - sequence) for shard in self.train]
        at = number_below(sum(starts), seed, "data/sequences",
                          (step - 1) * MOST_SEQUENCES + sample)
        shard = 0
        while at >= starts[shard]:
            at -= starts[shard]
            shard += 1
        return shard, at

    @staticmethod
    def length(step, sample, sequence, seed, shortest=0):
        """How many positions have a target."""
        if shortest == 0:
            return sequence
        return shortest + number_below(sequence - shortest + 1, seed, "data/lengths",
                                       (step - 1) * MOST_SEQUENCES + sample)

    def sequence(self, step, sample, sequence, seed, shortest=0):
        """Tokens and targets, -1 where nothing is to be predicted."""
        shard, first = self.place(step, sample, sequence, seed)
        tokens = self.train[shard][first:first + sequence + 1].astype(numpy.int64)
        targets = tokens[1:].copy()
        targets[self.length(step, sample, sequence, seed, shortest):] = -1
        return tokens[:-1], targets

    def batch(self, step, global_batch, sequence, seed=1, shortest=0):
        """(B, T) tokens and targets of a step."""
        rows = [self.sequence(step, sample, sequence, seed, shortest)
                for sample in range(global_batch)]
        return numpy.stack([row[0] for row in rows]), numpy.stack([row[1] for row in rows])

    def held_out(self, evaluated, sequence):
        """(B, T) tokens and targets that an evaluation takes: windows one behind the other in each
        shard, `evaluated` of them spread evenly if there are more."""
        windows = [shard[first:first + sequence + 1].astype(numpy.int64)
                   for shard in self.validation
                   for first in range(0, len(shard) - sequence, sequence)]
        evaluated = min(evaluated, len(windows))
        chosen = numpy.stack([windows[k * len(windows) // evaluated] for k in range(evaluated)])
        return chosen[:, :-1], chosen[:, 1:]


def normal_numbers(words):
    """Two arrays of FP32 normal numbers of two arrays of words (Box and Muller), every operation
    rounded to FP32."""
    f = numpy.float32
    # The radius: -2 ln u, u = m 2^e with sqrt(1/2) <= m < sqrt(2), ln m by its series.
    u = words[0].astype(f) * f(2.0**-32) + f(2.0**-33)
    m, e = numpy.frexp(u)
    small = m < f(0.70710677)
    m, e = numpy.where(small, m * f(2), m), numpy.where(small, e - 1, e)
    s = (m - f(1)) / (m + f(1))
    t = s * s
    series = f(1) / f(9)
    for n in (7, 5, 3, 1):
        series = f(1) / f(n) + t * series
    radius = numpy.sqrt(f(-2) * (e.astype(f) * f(0.69314718) + f(2) * (s * series)))
    # The angle: quarter turns and the rest, sine and cosine by their series.
    quarters = words[1].astype(numpy.uint32).view(numpy.int32).astype(f) * f(2.0**-30)
    nearest = numpy.rint(quarters)
    a = (quarters - nearest) * f(1.57079633)
    t = a * a
    sine = a * (f(1) - t * (f(1) / f(6) - t * (f(1) / f(120) - t * (f(1) / f(5040)))))
    cosine = f(1) - t * (f(0.5) - t * (f(1) / f(24) - t * (f(1) / f(720) - t * (f(1) / f(40320)))))
    turn = nearest.astype(int) % 4
    x = numpy.choose(turn, [cosine, -sine, -cosine, sine])
    y = numpy.choose(turn, [sine, cosine, -sine, -cosine])
    return radius * x, radius * y


def initial_weights(name, shape, layers, seed=1):
    """FP32 values of a tensor before the first step."""
    count = int(numpy.prod(shape))
    if name.endswith(".bias"):
        return numpy.zeros(shape, dtype=numpy.float32)
    if "norm" in name:
        return numpy.ones(shape, dtype=numpy.float32)
    words = philox(seed, stream_named(name), numpy.arange((count + 3) // 4))
    normal = numpy.stack(normal_numbers(words[:2]) + normal_numbers(words[2:]), axis=1)
    deviation = numpy.float32(0.02)
    if name.endswith(".projection.weight"):
        deviation /= numpy.sqrt(numpy.float32(2 * layers))
    return (deviation * normal.reshape(-1)[:count]).reshape(shape)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--sequence", type=int, default=128)
    parser.add_argument("--shortest", type=int, default=0)
    parser.add_argument("--global-batch", type=int, default=16)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--step", type=int, default=1)
    parser.add_argument("--steps", type=int, default=1)
    options = parser.parse_args()
    text = Shards(options.folder)
    print(f"{'step':>6} {'sequence':>8}  {'shard':<20} {'first token':>12} {'targets':>8}"
          "  tokens | targets")
    for step in range(options.step, options.step + options.steps):
        for sample in range(options.global_batch):
            rule = (step, sample, options.sequence, options.seed)
            shard, first = text.place(*rule)
            tokens, targets = text.sequence(*rule, options.shortest)
            print(f"{step:>6} {sample:>8}  {text.names[shard]:<20} {first:>12} "
                  f"{(targets >= 0).sum():>8}  {' '.join(map(str, tokens))} | "
                  f"{' '.join(map(str, targets))}")


if __name__ == "__main__":
    main()
