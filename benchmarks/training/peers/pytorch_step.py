#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times training steps of GPT-2 in PyTorch on one core or one GPU; called by `run`.

    pytorch_step.py [--device D] [--model M] [--compile] [--bf16] [--steps N] [--batch B] [--sequence T]

The model of `shardstone step`, with what PyTorch does best: its own causal attention, fused AdamW,
gradients dropped instead of zeroed, and with --compile one graph for forward and backward. --bf16
multiplies in BF16 by torch.autocast, weights and optimizer stay FP32. Prints tokens/s of every step
after the first two, on a GPU from one synchronisation to the next.
"""
import argparse
import time

import torch
from torch.nn import functional

VOCABULARY, CONTEXT = 50257, 1024
SIZES = {"gpt2-124m": (12, 12, 768), "gpt2-1558m": (48, 25, 1600)}  # layers, heads, channels


class Block(torch.nn.Module):
    def __init__(self, heads, channels):
        super().__init__()
        self.heads, self.channels = heads, channels
        self.norm1 = torch.nn.LayerNorm(channels)
        self.qkv = torch.nn.Linear(channels, 3 * channels)
        self.projection = torch.nn.Linear(channels, channels)
        self.norm2 = torch.nn.LayerNorm(channels)
        self.expansion = torch.nn.Linear(channels, 4 * channels)
        self.contraction = torch.nn.Linear(4 * channels, channels)

    def forward(self, x):
        batch, sequence, _ = x.shape
        q, k, v = (y.view(batch, sequence, self.heads, -1).transpose(1, 2)
                   for y in self.qkv(self.norm1(x)).split(self.channels, dim=2))
        heads = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.projection(heads.transpose(1, 2).reshape(batch, sequence, self.channels))
        wide = functional.gelu(self.expansion(self.norm2(x)), approximate="tanh")
        return x + self.contraction(wide)


class Gpt(torch.nn.Module):
    def __init__(self, layers, heads, channels):
        super().__init__()
        self.tokens = torch.nn.Embedding(VOCABULARY, channels)
        self.positions = torch.nn.Embedding(CONTEXT, channels)
        self.blocks = torch.nn.ModuleList(Block(heads, channels) for _ in range(layers))
        self.norm = torch.nn.LayerNorm(channels)
        for parameter in self.parameters():
            if parameter.dim() == 2:
                torch.nn.init.normal_(parameter, std=0.02)

    def forward(self, tokens, targets):
        x = self.tokens(tokens) + self.positions.weight[:tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        logits = functional.linear(self.norm(x), self.tokens.weight)
        return functional.cross_entropy(logits.view(-1, VOCABULARY), targets.view(-1))


def options():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--model", choices=SIZES, default="gpt2-124m")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--bf16", action="store_true")
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--sequence", type=int, default=256)
    return parser.parse_args()


def main():
    arguments = options()
    on_gpu = arguments.device == "cuda"
    torch.set_num_threads(1)
    torch.manual_seed(1)
    with torch.device(arguments.device):
        model = Gpt(*SIZES[arguments.model])
        shape = (arguments.batch, arguments.sequence)
        tokens, targets = (torch.randint(VOCABULARY, shape) for _ in range(2))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    step = torch.compile(model) if arguments.compile else model
    first = last = None
    for number in range(arguments.steps + 2):
        begin_s = time.perf_counter()
        with torch.autocast(arguments.device, dtype=torch.bfloat16, enabled=arguments.bf16):
            loss = step(tokens, targets)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        if on_gpu:
            torch.cuda.synchronize()
        took_s = time.perf_counter() - begin_s
        last = loss.item()
        first = last if first is None else first
        if number >= 2:
            print(f"{arguments.batch * arguments.sequence / took_s:.2f} tokens/s", flush=True)
    assert last < first, f"the loss went from {first} to {last}"


if __name__ == "__main__":
    main()
