// SPDX-License-Identifier: BSD-3-Clause
// How kernels are held against the oracle: random inputs that both see exactly, and componentwise
// bounds. u is the unit roundoff of the kernel's type; "k u" below is Higham's gamma_k (Accuracy
// and Stability of Numerical Algorithms, 2nd ed., section 3.1) to first order, which bounds a sum
// of k terms in any order, fused or not.
#pragma once

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "kernels/base/convert.hpp"
#include "kernels/base/element_type.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/random.hpp"
#include "kernels/tensor/matrix.hpp"
#include "validation/oracle/layers.hpp"

namespace shardstone::validation {

using oracle::Planted;
using oracle::Size;
using oracle::Values;

template <class Real>
inline constexpr double roundoff = element_traits<Real>::unit_roundoff;

/// How far storing a number in S moves it; 0 where S holds what it is computed in, whose roundings
/// the bounds count already.
template <class S>
double storage_error(double value) {
    if constexpr (!is_narrow<S>) return 0.0;
    return roundoff<S> * std::max(std::abs(value), element_traits<S>::smallest_normal);
}
template <class S>
void add_storage_error(const Values& values, Values& bounds) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        bounds[i] += storage_error<S>(std::abs(values[i]) + bounds[i]);
    }
}

/// All bounds are first order; doubled, they cover the higher orders as long as k u << 1.
inline constexpr double higher_orders = 2.0;

/// Normal numbers that FP32 holds exactly, so that every type starts from the same values.
inline Values random_values(Size count, const std::string& name, double scale = 1.0) {
    const RandomStream stream(2024, name);
    Values values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<float>(scale * stream.normal(i));
    }
    return values;
}

template <class Real>
std::vector<Real> as(const Values& values) {
    std::vector<Real> result;
    for (const double v : values) result.push_back(Real(static_cast<compute_t<Real>>(v)));
    return result;
}

template <class T>
double wide(T value) {
    return static_cast<double>(static_cast<compute_t<T>>(value));
}

/// Each number as S stores it: what a kernel in S and the oracle both start from.
template <class S>
Values stored(const Values& values) {
    Values result;
    for (const double v : values) result.push_back(wide(S(static_cast<compute_t<S>>(v))));
    return result;
}

template <class Real>
Matrix<Real> view(std::vector<Real>& values, Size rows) {
    return matrix(values.data(), rows, static_cast<Size>(values.size()) / rows);
}

inline Values absolute(Values values) {
    for (double& v : values) v = std::abs(v);
    return values;
}

inline double largest(const double* values, Size count) {
    double highest = 0.0;
    for (Size i = 0; i < count; ++i) highest = std::max(highest, std::abs(values[i]));
    return highest;
}

/// Largest |actual - expected| / bound; a comparison holds when it is at most 1. NaN counts as
/// infinitely wrong.
template <class Real>
double worst_ratio(const std::vector<Real>& actual, const Values& expected, const Values& bound) {
    require(actual.size() == expected.size() && actual.size() == bound.size(),
            "a comparison of vectors of different lengths");
    double worst = 0.0;
    for (std::size_t i = 0; i < actual.size(); ++i) {
        const double error = std::abs(wide(actual[i]) - expected[i]);
        if (std::isnan(error)) return HUGE_VAL;
        if (error > 0.0) worst = std::max(worst, error / bound[i]);
    }
    return worst;
}

}  // namespace shardstone::validation
