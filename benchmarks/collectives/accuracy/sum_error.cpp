// SPDX-License-Identifier: BSD-3-Clause
// Errors of sums in units in the last place, against the bound (1 + u)^depth - 1.
#include "benchmarks/collectives/accuracy/sum_error.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace shardstone::benchmarks {

namespace {

/// The unit in the last place that the type has at `value`.
template <class T>
double ulp_at(double value) {
    if constexpr (element_traits<T>::is_integer) {
        return 1.0;
    } else {
        const double magnitude = std::max(std::abs(value), element_traits<T>::smallest_normal);
        return std::ldexp(2.0 * element_traits<T>::unit_roundoff, std::ilogb(magnitude));
    }
}

/// (1 + u)^n - 1.
template <class T>
double relative_bound(int depth) {
    if constexpr (element_traits<T>::is_integer) {
        return 0.0;
    } else {
        return std::expm1(depth * std::log1p(element_traits<T>::unit_roundoff));
    }
}

double share(double error, double bound) {
    if (error == 0.0) return 0.0;
    return bound > 0.0 ? error / bound : std::numeric_limits<double>::infinity();
}

template <class T>
void add(const void* result, std::span<const SumInputs::Exact> exact, int depth, SumError& all) {
    const double relative = relative_bound<T>(depth);
    for (std::size_t i = 0; i < exact.size(); ++i) {
        T element{};
        std::memcpy(&element, static_cast<const T*>(result) + i, sizeof(T));
        const auto got = static_cast<double>(static_cast<arithmetic_of<T>>(element));
        double error = std::abs(exact[i].error_of(got));
        if (!std::isfinite(error)) error = std::numeric_limits<double>::infinity();
        const double bound = relative * std::abs(exact[i].high);
        const double ulp = ulp_at<T>(exact[i].high);
        all.squares_ulp2 += (error / ulp) * (error / ulp);
        all.max_ulp = std::max(all.max_ulp, error / ulp);
        all.bound_ulp = std::max(all.bound_ulp, bound / ulp);
        all.share_of_bound = std::max(all.share_of_bound, share(error, bound));
    }
    all.elements += std::ssize(exact);
}

}  // namespace

void add_errors(ElementType type, const void* result, std::span<const SumInputs::Exact> exact,
                int depth, SumError& error) {
    dispatch(type, [&](auto zero) { add<decltype(zero)>(result, exact, depth, error); });
}

}  // namespace shardstone::benchmarks
