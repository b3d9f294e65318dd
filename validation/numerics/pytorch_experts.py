# SPDX-License-Identifier: BSD-3-Clause
"""Experts in place of a block's MLP (`shardstone train --experts E`), in torch's own operators.

The derivative is autograd's: what is chosen, what the capacity lets through and the shares f of the choices
are constants to it.
"""
import math

import torch


def has_experts(about):
    """Records and exports that are older than experts, or without, need not name them."""
    return (about.get("experts") or 1) > 1


def slots_of(about, sequence):
    """How many positions of a sequence an expert takes."""
    even = about["top_k"] * sequence / about["experts"]
    return math.ceil(min(about["capacity"] * even * (1 - 1e-12), sequence))


def accepted_choices(about, p):
    """1 where a position (B, T) uses an expert (E), and 1 where it wants to."""
    # A stable order: of equal ones the first.
    chosen = p.sort(dim=2, descending=True, stable=True).indices[:, :, :about["top_k"]]
    wanted = torch.nn.functional.one_hot(chosen, about["experts"]).sum(dim=2)
    if not about["capacity"]:
        return wanted, wanted
    # A position wants an expert at most once, so that the positions before it are all that is before it.
    before = wanted.cumsum(dim=1) - wanted
    return wanted * (before < slots_of(about, p.shape[1])), wanted


def mixture(about, router, mlps, x):
    """What the experts make of x (B, T, C), and what is added to the sum of the losses of its sequences."""
    experts, length = about["experts"], x.shape[1]
    logits = torch.nn.functional.linear(x, router)
    p = logits.softmax(dim=2)
    accepted, wanted = accepted_choices(about, p.detach())
    gates = p * accepted
    out = sum(gates[:, :, e, None] * mlp(x) for e, mlp in enumerate(mlps))
    shares = wanted.sum(dim=1) / (length * about["top_k"])
    balance = length * experts * (shares * p.mean(dim=1)).sum()
    z = logits.logsumexp(dim=2).square().sum()
    return out, about["balance_loss"] * balance + about["router_z_loss"] * z
