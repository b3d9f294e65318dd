// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <thread>
#include <type_traits>
#include <vector>

#include "collectives/reduction/reduction.hpp"
#include "kernels/base/element_type.hpp"
#include "kernels/base/random.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {

/// What `rank` contributes to a run: numbers whose sum depends on the order, so that equal bits
/// prove it. Every run has its own: nothing that another one left behind is right.
template <class T>
std::vector<T> random_vector(int rank, std::int64_t count, int run = 0) {
    const RandomStream random(5 + static_cast<std::uint64_t>(run),
                              static_cast<std::uint64_t>(rank));
    std::vector<T> data;
    for (std::int64_t i = 0; i < count; ++i) {
        data.push_back(T(static_cast<float>(random.normal(static_cast<std::uint64_t>(i)))));
    }
    return data;
}

/// What all ranks end with.
template <class T>
std::vector<T> sum_in_rank_order(collectives::Reduction reduction, std::int64_t count,
                                 int run = 0) {
    using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
    std::vector<Wide> wide;
    for (int rank = 0; rank < world().size(); ++rank) {
        const auto next = random_vector<T>(rank, count, run);
        if (rank == 0) wide.assign(next.size(), Wide{});
        for (std::size_t i = 0; i < next.size(); ++i) {
            const auto value = static_cast<Wide>(next[i]);
            if (rank == 0) wide[i] = value;
            if (rank > 0 && reduction == collectives::Reduction::sum) wide[i] += value;
            if (rank > 0 && reduction == collectives::Reduction::max)
                wide[i] = std::max(wide[i], value);
            if (rank > 0 && reduction == collectives::Reduction::min)
                wide[i] = std::min(wide[i], value);
        }
    }
    std::vector<T> result;
    for (const Wide value : wide) result.push_back(T(value));
    return result;
}

template <class T>
bool same_bits(const T* a, const T* b, std::int64_t count) {
    return count == 0 || std::memcmp(a, b, static_cast<std::size_t>(count) * sizeof(T)) == 0;
}
template <class T>
bool same_bits(const T* a, const std::vector<T>& b) {
    return same_bits(a, b.data(), std::ssize(b));
}

/// A vector, or a sum of vectors, for another run without drawing it anew: powers of two scale both
/// without rounding.
inline std::vector<float> scaled_for(int run, std::vector<float> vector) {
    constexpr std::array scales{1.0F, 2.0F, 4.0F, 0.5F, 8.0F};
    const float scale = scales[static_cast<std::size_t>(run) % scales.size()];
    for (float& element : vector) element *= scale;
    return vector;
}

/// Waits a random time now and then, so that ranks arrive in ever different orders.
inline void random_pause(int round) {
    const RandomStream random(7, static_cast<std::uint64_t>(world().rank()));
    const auto dice = random.below(8, static_cast<std::uint64_t>(round));
    if (dice == 0) std::this_thread::sleep_for(std::chrono::microseconds(300));
    if (dice == 1) std::this_thread::yield();
}

}  // namespace shardstone::validation
