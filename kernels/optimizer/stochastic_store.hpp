// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "kernels/base/stochastic_rounding.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/host.hpp"

namespace shardstone {

/// narrow_stochastically() as a kernel.
inline void store_stochastically(HostQueue, std::uint64_t seed, std::uint64_t stream,
                                 std::int64_t first, std::span<const float> from,
                                 std::span<bf16> to) {
    narrow_stochastically(seed, stream, first, from, to);
}
void store_stochastically(CudaQueue queue, std::uint64_t seed, std::uint64_t stream,
                          std::int64_t first, Cuda::Span<const float> from, Cuda::Span<bf16> to);

}  // namespace shardstone
