// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "kernels/base/stochastic_rounding.hpp"
#include "kernels/optimizer/update_factors.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/host.hpp"

namespace shardstone {

/// Random numbers of a rounding: see narrow_stochastically().
struct RoundingNumbers {
    std::uint64_t seed, stream;
    std::int64_t first;
};

/// narrow_stochastically() as a kernel, unless the factors skip the update.
inline void store_stochastically(HostQueue, const RoundingNumbers& numbers,
                                 const FactorsAt& factors, std::span<const float> from,
                                 std::span<bf16> to) {
    if (factors.skips()) return;
    narrow_stochastically(numbers.seed, numbers.stream, numbers.first, from, to);
}
void store_stochastically(CudaQueue queue, const RoundingNumbers& numbers, const FactorsAt& factors,
                          Cuda::Span<const float> from, Cuda::Span<bf16> to);

}  // namespace shardstone
