// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

#include "kernels/tensor/host.hpp"

namespace shardstone {

/// Calls f(row) for every row in [0, rows), in any order and possibly concurrently. Returns when
/// all are done. Reductions belong inside f: Kokkos' own are scalar on CPUs.
template <class F>
void for_each_row(HostQueue, std::int64_t rows, const F& f) {
    using Policy =
        Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace, Kokkos::IndexType<std::int64_t>>;
    Kokkos::parallel_for(Policy(0, rows), f);
    Kokkos::DefaultHostExecutionSpace().fence();
}

/// Elements per call of an elementwise body: small enough to distribute work among threads, large
/// enough that the cost of the call is negligible.
inline constexpr std::int64_t elements_per_block = 4096;

/// Calls f(begin, end) for blocks that cover [0, elements) exactly once; f loops over its block, so
/// that the compiler can vectorise a plain loop.
template <class F>
void for_each_block(HostQueue queue, std::int64_t elements, const F& f) {
    const std::int64_t blocks = (elements + elements_per_block - 1) / elements_per_block;
    for_each_row(queue, blocks, [=](std::int64_t block) {
        const std::int64_t begin = block * elements_per_block;
        f(begin, std::min(begin + elements_per_block, elements));
    });
}

}  // namespace shardstone
