// SPDX-License-Identifier: BSD-3-Clause
// The two kinds of context-parallel attention, by their access to other ranks' keys and values.
#pragma once

#include "reference/model/attention.hpp"

namespace shardstone::reference {

/// Keys and values circulate around a ring of the ranks that share the sequences, while every rank
/// attends to those that it has; in the backward pass their gradients circulate with them, back to
/// their owner (Liu et al. 2023, "Ring Attention with Blockwise Transformers"). Sent by each of P
/// ranks for a micro-batch of B sequences and own channels HD, with M the most positions of a rank:
/// forward (P - 1) M B 2HD elements of the storage type, backward the same plus as many Reals; with
/// recomputation, the forward volume once more. Memory does not grow with P.
const AttentionKind& ring_attention();

/// Keys and values of all ranks are gathered, their gradients reduce-scattered, before and after
/// the whole attention (Dubey et al. 2024, "The Llama 3 Herd of Models", section 3.3.2). With a
/// ring, if P divides T: forward (P - 1)/P T B 2HD elements of the storage type, backward the same
/// plus as many Reals; with recomputation, the forward volume once more. Needs memory for the keys
/// and values of all positions, and for their gradients, once.
const AttentionKind& gathered_attention();

}  // namespace shardstone::reference
