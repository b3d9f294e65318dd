#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Holds an export of Shardstone (`shardstone export --out FOLDER`) against PyTorch's autograd.

    pytorch_oracle.py FOLDER [--plant]

The same model is written here with torch's own operators and run in FP64 and, for an FP32 export, in
FP32. Of the loss and of every parameter's gradient it prints the relative distance to FP64 and whether
it is within its bound; exit code 0 when all are, 1 when not, 77 when PyTorch is missing (which CTest
takes for a skipped test). --plant spoils one gradient by a part in a thousand, to see it caught.

The bound. A sum of n terms errs by at most g(n) sum|terms|, g(n) = n u / (1 - n u), and typically by
sqrt(n) u sum|terms| (Higham 2002, 4.2; Higham and Mary 2019). How the errors of all sums of a pass add
up in a gradient is measured: e, the distance between PyTorch's FP32 and FP64 gradients, stands for the
typical case, so that the worst case of two computations is 2 sqrt(n) e, n the longest sum: the largest
of vocabulary, 4 C and B T. An FP64 export has u smaller by 2^-29, and so has its bound.

An export in BF16 or FP16 is held against PyTorch's own mixed precision, torch.autocast: e is the
distance between that and FP64, and ours may be twice as far from FP64 in any one tensor. With a BF16
residual stream PyTorch's is made BF16 where it begins, and stays so.
"""
import argparse
import functools
import json
import math
import pathlib
import sys

SKIPPED = 77
BAD_INPUT = 2


def refuse(message):
    print(f"pytorch_oracle.py: {message}", file=sys.stderr)
    sys.exit(BAD_INPUT)


def options():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--plant", action="store_true", help="spoil one gradient")
    given = parser.parse_args()
    for name in ("tensors.json", "tensors.bin"):
        if not (given.folder / name).is_file():
            refuse(f"'{given.folder / name}' is missing: give a folder that `shardstone export --out` "
                   "wrote")
    return given


if __name__ == "__main__":
    GIVEN = options()  # before PyTorch, which may be missing and takes seconds to come

try:
    import torch

    from pytorch_experts import has_experts, mixture
except ImportError as missing:
    print(f"skipped: PyTorch cannot be imported ({missing})")
    sys.exit(SKIPPED)

TYPES = {"f4": torch.float32, "f8": torch.float64, "u2": torch.int16, "i4": torch.int32}


def read_export(folder):
    about = json.loads((folder / "tensors.json").read_text())
    data = bytearray((folder / "tensors.bin").read_bytes())
    tensors = {}
    for entry in about["tensors"]:
        tensors[entry["name"]] = torch.frombuffer(
            data, dtype=TYPES[entry["type"]], count=math.prod(entry["shape"]),
            offset=entry["first"]).reshape(entry["shape"])
    # Tokens are unsigned 16-bit numbers.
    tensors["tokens"] = tensors["tokens"].long() & 0xFFFF
    tensors["targets"] = tensors["targets"].long()
    return about, tensors


def gpt_loss(about, weights, tokens, targets, stream=None):
    """GPT-2 (Radford et al. 2019): pre-norm blocks, GELU by tanh, tied head. The mean loss, and what is
    minimised: of a mixture of experts that has the routers' additions, over the same targets."""
    functional = torch.nn.functional
    channels, heads = about["channels"], about["heads"]
    batch, sequence = tokens.shape

    def norm(x, name):
        return functional.layer_norm(x, (channels,), weights[name + ".weight"],
                                     weights[name + ".bias"], 1e-5)

    def linear(x, name):
        return functional.linear(x, weights[name + ".weight"], weights[name + ".bias"])

    def attention(x, block):
        q, k, v = linear(x, block + "attention.qkv").split(channels, dim=2)
        q, k, v = (y.reshape(batch, sequence, heads, -1).transpose(1, 2) for y in (q, k, v))
        scores = q @ k.transpose(2, 3) / math.sqrt(channels // heads)
        future = torch.triu(torch.ones(sequence, sequence, dtype=torch.bool), diagonal=1)
        mixed = scores.masked_fill(future, -math.inf).softmax(dim=3) @ v
        return linear(mixed.transpose(1, 2).reshape(batch, sequence, channels),
                      block + "attention.projection")

    def mlp(x, name):
        wide = functional.gelu(linear(x, name + ".expansion"), approximate="tanh")
        return linear(wide, name + ".projection")

    def mlp_or_experts(x, block):
        if not has_experts(about):
            return mlp(x, block + "mlp"), 0.0
        experts = [functools.partial(mlp, name=f"{block}experts.{e}") for e in range(about["experts"])]
        return mixture(about, weights[block + "router.weight"], experts, x)

    additions = 0.0
    x = weights["token_embedding.weight"][tokens] + weights["position_embedding.weight"][:sequence]
    x = x if stream is None else x.to(stream)
    for layer in range(about["layers"]):
        block = f"blocks.{layer}."
        x = x + attention(norm(x, block + "norm1"), block)
        change, added = mlp_or_experts(norm(x, block + "norm2"), block)
        x = x + change
        additions = additions + added
    logits = functional.linear(norm(x, "final_norm"), weights["token_embedding.weight"])
    loss = functional.cross_entropy(logits.reshape(-1, about["vocabulary"]), targets.reshape(-1),
                                    ignore_index=-1)
    return loss, loss + additions / (targets >= 0).sum()


NARROW = {"bf16": torch.bfloat16, "bf16-stream": torch.bfloat16, "fp16": torch.float16}
STREAM = {"bf16-stream": torch.bfloat16}
ROUNDOFF = {torch.bfloat16: 2.0**-8, torch.float16: 2.0**-11, None: 2.0**-24}


def torch_gradients(about, tensors, dtype, products=None, stream=None):
    """Mean loss and gradients by autograd, in FP64 numbers; `products`: the type that autocast is to
    multiply in; `stream`: that of the residual stream, where it is another than `dtype`."""
    weights = {name[len("weight/"):]: values.detach().clone().to(dtype).requires_grad_()
               for name, values in tensors.items() if name.startswith("weight/")}
    with torch.autocast("cpu", dtype=products, enabled=products is not None):
        loss, objective = gpt_loss(about, weights, tensors["tokens"], tensors["targets"], stream)
    scale = 2.0**16 if products == torch.float16 else 1.0
    (objective * scale).backward()
    return loss.item(), {name: weight.grad.double() / scale for name, weight in weights.items()}


def check(about, tensors):
    """Yields name, distance relative to FP64, share of the bound."""
    fine_loss, fine = torch_gradients(about, tensors, torch.float64)
    narrow = NARROW.get(about["precision"])
    rough_loss, rough = torch_gradients(about, tensors, torch.float32, narrow,
                                        STREAM.get(about["precision"]))
    in_fp64 = tensors["weight/final_norm.weight"].dtype == torch.float64
    longest = max(about["vocabulary"], 4 * about["channels"], tensors["tokens"].numel())
    factor = 2.0 if narrow else 2 * math.sqrt(longest) * (2.0**-29 if in_fp64 else 1.0)
    # A loss is one number, whose error may vanish by chance: at least a unit roundoff of it.
    least = abs(fine_loss) * (2.0**-53 if in_fp64 else ROUNDOFF[narrow])
    distance = abs(about["loss"] - fine_loss)
    yield "loss", distance / abs(fine_loss), distance / max(factor * abs(rough_loss - fine_loss),
                                                            (1 if narrow else math.sqrt(longest))
                                                            * least)
    for name, expected in fine.items():
        ours = tensors["gradient/" + name].double()
        distance = (ours - expected).norm().item()
        # Nobody errs where all is zero: in an expert that no position chose.
        bound = max(factor * (rough[name] - expected).norm().item(), 1e-300)
        yield name, distance / max(expected.norm().item(), 1e-300), distance / bound


def main(given):
    torch.set_num_threads(1)
    try:
        about, tensors = read_export(given.folder)
    except (ValueError, KeyError, TypeError) as error:
        refuse(f"'{given.folder}' holds no whole export: {error!r}")
    if given.plant:
        tensors["gradient/blocks.0.norm1.weight"] = (
            tensors["gradient/blocks.0.norm1.weight"] * 1.001)
    worst = 0.0
    print(f"PyTorch {torch.__version__}, model {about['model']}, {about['precision']}")
    print(f"{'':44} {'to FP64':>10} {'of bound':>9}")
    for name, distance, share in check(about, tensors):
        print(f"{name:44} {distance:10.2e} {share:9.3f}{'' if share <= 1 else '  TOO FAR'}")
        worst = max(worst, share if share == share else math.inf)
    print(f"{'within' if worst <= 1 else 'NOT within'} the bound (worst {worst:.3f} of it)")
    return 0 if worst <= 1 else 1


if __name__ == "__main__":
    sys.exit(main(GIVEN))
