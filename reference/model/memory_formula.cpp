// SPDX-License-Identifier: BSD-3-Clause
#include "reference/model/memory_formula.hpp"

#include <algorithm>

namespace shardstone::reference {

namespace {

/// Every tensor of the activations starts at a whole cache line of 16 floats.
std::int64_t padded(std::int64_t elements) {
    return (elements + 15) / 16 * 16;
}

/// With N = B T tokens, in elements:
///   per layer     N C (4 residual and head outputs and norms: norm1, heads, out; norm2, out = 5)
///                 + N 3C (qkv) + 2 N 4C (MLP before and after GELU)           = 16 N C
///                 + 4 N (mean and rstd of two norms) + N H (log-sum-exp of attention)
///   input         N C
///   head          N C + 2 N (norm), N V' (logits, V' = V up to whole lines), N (log-sum-exp)
///   backward      N C (residual) + N C (branch) + N 4C (wide) = 6 N C
///                 + 2 min(64, T) T (scores of one block of 64 queries and their gradient)
std::int64_t activation_elements(const GptConfig& config, std::int64_t batch,
                                 std::int64_t sequence) {
    const std::int64_t n = batch * sequence;
    const std::int64_t nc = padded(n * config.channels);
    const std::int64_t layer = 5 * nc + padded(3 * n * config.channels) +
                               2 * padded(4 * n * config.channels) + 4 * padded(n) +
                               padded(n * config.heads);
    const std::int64_t head = nc + 3 * padded(n) + n * padded(config.vocabulary);
    const std::int64_t backward = 2 * nc + padded(4 * n * config.channels) +
                                  padded(2 * std::min<std::int64_t>(64, sequence) * sequence);
    return config.layers * layer + nc + head + backward;
}

}  // namespace

template <class Real>
ModelMemory expected_memory(const GptConfig& config, std::int64_t micro_batch,
                            std::int64_t sequence) {
    constexpr auto element_bytes = static_cast<std::int64_t>(sizeof(Real));
    const std::int64_t token_copies = 2 * micro_batch * sequence;
    ModelMemory memory;
    memory.weights_bytes = config.parameter_count() * element_bytes;
    memory.gradients_bytes = memory.weights_bytes;
    memory.activations_bytes = activation_elements(config, micro_batch, sequence) * element_bytes +
                               token_copies * static_cast<std::int64_t>(sizeof(Token));
    return memory;
}

template ModelMemory expected_memory<float>(const GptConfig&, std::int64_t, std::int64_t);
template ModelMemory expected_memory<double>(const GptConfig&, std::int64_t, std::int64_t);

}  // namespace shardstone::reference
