// SPDX-License-Identifier: BSD-3-Clause
// Random inputs on a grid so coarse that 64-bit integers hold their sums over ranks exactly.
#include "benchmarks/collectives/accuracy/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/error.hpp"
#include "kernels/base/random.hpp"

namespace shardstone::benchmarks {

namespace {

constexpr std::uint64_t seed = 2027;
constexpr double most_ranks = 1023.0;
constexpr double largest_integer = 0x1p20;

/// All inputs and sums of floats are multiples of this; of integers, of 1.
double unit_of(ElementType type) {
    return is_integer(type) ? 1.0 : 0x1p-53;
}

/// Half the range: sums that were rounded up on the way stay inside it, too.
double most_ranks_of(ElementType type) {
    return dispatch(type, [](auto zero) {
        using Traits = element_traits<decltype(zero)>;
        if constexpr (Traits::is_integer) {
            return most_ranks;
        } else {
            return std::min(most_ranks, Traits::largest / 2);
        }
    });
}

}  // namespace

SumInputs::SumInputs(ElementType type, int size) : type_(type), size_(size) {
    require(size <= most_ranks_of(type), [&] {
        return fmt::format("the accuracy of {} sums is known up to {:.0f} ranks, not {}: use fewer",
                           to_string(type), most_ranks_of(type), size);
    });
}

double SumInputs::value(int rank, std::int64_t i) const {
    const RandomStream random(seed, static_cast<std::uint64_t>(rank));
    const double uniform = random.uniform(static_cast<std::uint64_t>(i));
    return dispatch(type_, [&](auto zero) {
        using T = decltype(zero);
        using Wide = arithmetic_of<T>;
        const double scaled = element_traits<T>::is_integer
                                  ? std::floor((2.0 * uniform - 1.0) * largest_integer)
                                  : uniform;
        return static_cast<double>(static_cast<Wide>(T(static_cast<Wide>(scaled))));
    });
}

void SumInputs::fill(void* buffer, std::int64_t count, int rank) const {
    dispatch(type_, [&](auto zero) {
        using T = decltype(zero);
        auto* const data = static_cast<T*>(buffer);
        for (std::int64_t i = 0; i < count; ++i) {
            data[i] = T(static_cast<arithmetic_of<T>>(value(rank, i)));
        }
    });
}

std::vector<SumInputs::Exact> SumInputs::sums(std::int64_t count) const {
    const double unit = unit_of(type_);
    std::vector<Exact> all;
    for (std::int64_t i = 0; i < count; ++i) {
        std::int64_t units = 0;
        for (int rank = 0; rank < size_; ++rank) {
            units += static_cast<std::int64_t>(value(rank, i) / unit);
        }
        const auto high = static_cast<double>(units);
        const auto low = static_cast<double>(units - static_cast<std::int64_t>(high));
        all.push_back({high * unit, low * unit});
    }
    return all;
}

}  // namespace shardstone::benchmarks
