// SPDX-License-Identifier: BSD-3-Clause
// Context attention in the second space: compiled, but not run, since it needs other ranks, and
// these memory that the host can read.
#include "validation/unit/reference/trainer/second_space/fenced.hpp"
// Fenced kernels first, so that the templates find them.
#include "reference/model/context/gathered_attention.cpp"
#include "reference/model/context/ring_attention.cpp"
#include "reference/model/context/shared_attention.cpp"

namespace shardstone::reference {

template class SharedAttention<float, Fenced>;
template class SharedAttention<bf16, Fenced>;
template class SharedAttention<fp16, Fenced>;

namespace {

template class RingAttention<float, Fenced>;
template class RingAttention<bf16, Fenced>;
template class RingAttention<fp16, Fenced>;
template class GatheredAttention<float, Fenced>;
template class GatheredAttention<bf16, Fenced>;
template class GatheredAttention<fp16, Fenced>;

}  // namespace

}  // namespace shardstone::reference
