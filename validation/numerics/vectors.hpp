// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "reference/model/parameter_layout.hpp"

namespace shardstone::validation {

/// The elements of one tensor in a flat buffer of a whole model.
inline std::span<const double> part_of(const std::vector<double>& all,
                                       const reference::ParameterInfo& tensor) {
    return std::span(all).subspan(static_cast<std::size_t>(tensor.offset),
                                  static_cast<std::size_t>(tensor.count));
}

inline double dot(std::span<const double> a, std::span<const double> b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

inline double norm(std::span<const double> a) {
    return std::sqrt(dot(a, a));
}

/// Euclidean norm of a - b.
inline double distance(std::span<const double> a, std::span<const double> b) {
    double squares = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) squares += (a[i] - b[i]) * (a[i] - b[i]);
    return std::sqrt(squares);
}

/// 0 where one of them is nil.
inline double cosine(std::span<const double> a, std::span<const double> b) {
    const double lengths = norm(a) * norm(b);
    return lengths > 0.0 ? dot(a, b) / lengths : 0.0;
}

}  // namespace shardstone::validation
