// SPDX-License-Identifier: BSD-3-Clause
// The two ways of context-parallel attention to get at the keys and values of the other ranks.
#pragma once

#include "reference/model/attention.hpp"

namespace shardstone::reference {

/// Keys and values go round a ring of the ranks that share the sequences, while every rank attends
/// to those that it has; going backward their gradients follow them round, and home (Liu et al.
/// 2023, "Ring Attention with Blockwise Transformers"). Sent by each of P ranks for a micro-batch
/// of B sequences and own channels HD, with M the most positions of a rank: forward (P - 1) M B 2HD
/// elements of the storage type, backward the same and as many Reals; recomputed, the forward
/// pass's once more. Memory does not grow with P.
const AttentionKind& ring_attention();

/// Keys and values of all ranks are gathered, their gradients reduced and scattered, before and
/// after all of the attention (Dubey et al. 2024, "The Llama 3 Herd of Models", section 3.3.2).
/// With a ring, where P divides T: forward (P - 1)/P T B 2HD elements of the storage type, backward
/// the same and as many Reals; recomputed, the forward pass's once more. Takes memory for the keys
/// and values of all positions, and for their gradients, once.
const AttentionKind& gathered_attention();

}  // namespace shardstone::reference
