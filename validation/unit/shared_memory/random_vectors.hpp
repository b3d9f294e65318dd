// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "kernels/base/element_type.hpp"
#include "kernels/base/random.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {

/// What `rank` contributes: numbers whose sum depends on the order, so that equal bits prove it.
template <class T>
std::vector<T> random_vector(int rank, std::int64_t count) {
    const RandomStream random(5, static_cast<std::uint64_t>(rank));
    std::vector<T> data;
    for (std::int64_t i = 0; i < count; ++i) {
        data.push_back(T(static_cast<float>(random.normal(static_cast<std::uint64_t>(i)))));
    }
    return data;
}

template <class T>
bool same_bits(const T* a, const std::vector<T>& b) {
    return b.empty() || std::memcmp(a, b.data(), b.size() * sizeof(T)) == 0;
}

/// Waits a random time now and then, so that ranks arrive in ever different orders.
inline void random_pause(int round) {
    const RandomStream random(7, static_cast<std::uint64_t>(world().rank()));
    const auto dice = random.below(8, static_cast<std::uint64_t>(round));
    if (dice == 0) std::this_thread::sleep_for(std::chrono::microseconds(300));
    if (dice == 1) std::this_thread::yield();
}

}  // namespace shardstone::validation
