// SPDX-License-Identifier: BSD-3-Clause
// Inputs whose reduction is exact in any order, so that a single wrong contribution shows.
#include "benchmarks/collectives/exact_inputs.hpp"

#include <algorithm>
#include <limits>

namespace shardstone::benchmarks {

namespace {

using collectives::Reduction;

constexpr std::int64_t most_values = 7;
/// Ways in which the values of the ranks go together; their sums differ.
constexpr std::int64_t phases = 31;

/// Every integer up to 1 / u, u the unit roundoff of round to nearest, is exact.
std::int64_t largest_exact_integer(ElementType type) {
    return dispatch(type, [](auto zero) -> std::int64_t {
        using T = decltype(zero);
        if constexpr (element_traits<T>::is_integer) {
            return std::numeric_limits<T>::max();
        } else {
            return static_cast<std::int64_t>(1.0 / element_traits<T>::unit_roundoff);
        }
    });
}

/// Quotients of sums up to half the largest exact integer differ by a unit in the last place or
/// more, so that rounding an average hides no difference.
std::int64_t room_for_sums(ElementType type, Reduction reduction) {
    const std::int64_t largest = largest_exact_integer(type);
    return reduction == Reduction::avg && !is_integer(type) ? largest / 2 : largest;
}

bool adds(Reduction reduction) {
    return reduction == Reduction::sum || reduction == Reduction::avg;
}

/// Numbers below `bound` without a pattern (the finaliser of SplitMix64: Steele, Lea and Flood,
/// OOPSLA 2014), so that no shift of the vector maps the values onto themselves.
std::int64_t mixed(std::int64_t key, std::int64_t bound) {
    auto x = static_cast<std::uint64_t>(key) + 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return static_cast<std::int64_t>((x ^ (x >> 31)) % static_cast<std::uint64_t>(bound));
}

}  // namespace

ExactInputs::ExactInputs(ElementType type, Reduction reduction, int size)
    : type_(type), reduction_(reduction), size_(size), values_(most_values), unit_(1), active_(1) {
    // An integer average cuts off what is below the number of ranks, so that is the unit.
    if (reduction == Reduction::avg && is_integer(type)) unit_ = size;
    if (adds(reduction)) {
        // Room for one contribution too many: a sum that is wrong by it is still exact, and shows.
        const std::int64_t room = room_for_sums(type, reduction) / unit_;
        values_ = std::clamp<std::int64_t>(room / (size_ + 1), 2, most_values);
        active_ = std::min(size_, room / values_ - 1);
    }
    idle_ = reduction == Reduction::min ? values_ + 1 : 0;
    for (std::int64_t phase = 0; phase < phases; ++phase) {
        for (std::int64_t turn = 0; turn < elements_to_see_all(); ++turn) {
            expected_.push_back(result(combined({phase, turn * active_})));
        }
    }
}

std::int64_t ExactInputs::elements_to_see_all() const noexcept {
    return (size_ + active_ - 1) / active_;
}

ExactInputs::ValueKey ExactInputs::place(std::int64_t position) const {
    return {mixed(position, phases), position % elements_to_see_all() * active_};
}

bool ExactInputs::takes_part(int rank, const ValueKey& place) const {
    return (rank - place.first + size_) % size_ < active_;
}

std::int64_t ExactInputs::value(int rank, const ValueKey& place) const {
    if (!takes_part(rank, place)) return unit_ * idle_;
    return unit_ * (1 + mixed(rank * phases + place.phase, values_));
}

std::int64_t ExactInputs::combined(const ValueKey& place) const {
    std::int64_t result = value(0, place);
    for (int rank = 1; rank < size_; ++rank) {
        const std::int64_t next = value(rank, place);
        if (adds(reduction_)) result += next;
        if (reduction_ == Reduction::max) result = std::max(result, next);
        if (reduction_ == Reduction::min) result = std::min(result, next);
    }
    return result;
}

/// As the type has it: an average is divided in its arithmetic and rounded.
double ExactInputs::result(std::int64_t combined) const {
    return dispatch(type_, [&](auto zero) {
        using T = decltype(zero);
        using Wide = arithmetic_of<T>;
        auto wide = static_cast<Wide>(combined);
        if (reduction_ == Reduction::avg) wide /= static_cast<Wide>(size_);
        return static_cast<double>(static_cast<Wide>(T(wide)));
    });
}

double ExactInputs::expected(const ValueKey& place) const {
    const std::int64_t turn = place.first / active_;
    return expected_[static_cast<std::size_t>(place.phase * elements_to_see_all() + turn)];
}

void ExactInputs::fill(void* buffer, std::int64_t count, int rank, std::int64_t first) const {
    dispatch(type_, [&](auto zero) {
        using T = decltype(zero);
        auto* const data = static_cast<T*>(buffer);
        for (std::int64_t i = 0; i < count; ++i) {
            data[i] = T(static_cast<arithmetic_of<T>>(value(rank, place(first + i))));
        }
    });
}

std::int64_t ExactInputs::wrong_elements(const void* buffer, std::int64_t count,
                                         std::int64_t first) const {
    return dispatch(type_, [&](auto zero) {
        using T = decltype(zero);
        const auto* const data = static_cast<const T*>(buffer);
        std::int64_t wrong = 0;
        for (std::int64_t i = 0; i < count; ++i) {
            const auto got = static_cast<double>(static_cast<arithmetic_of<T>>(data[i]));
            wrong += got != expected(place(first + i));
        }
        return wrong;
    });
}

}  // namespace shardstone::benchmarks
