// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/base/convert.hpp"
#include "kernels/base/element_type.hpp"
#include "kernels/tensor/buffer.hpp"
#include "results/record/record.hpp"

namespace shardstone::benchmarks {

/// u of FP32, the type of all sums of kernels here. "k u" in their bounds is Higham's gamma_k
/// (Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.1) to first order: it bounds
/// a sum of k terms in any order, fused or not.
inline constexpr double unit_roundoff = element_traits<float>::unit_roundoff;

/// A buffer of normally distributed numbers that depend on `name` alone, owned by the workload's
/// `run`.
std::shared_ptr<Buffer<float>> normal_numbers(const std::string& name, std::int64_t count);

/// The same, rounded to a storage type.
template <class S>
std::shared_ptr<Buffer<S>> normal_numbers_in(const std::string& name, std::int64_t count) {
    const auto numbers = normal_numbers(name, count);
    auto buffer = std::make_shared<Buffer<S>>(count);
    narrow(numbers->data(), buffer->data(), count);
    return buffer;
}

/// Expected result of a kernel, element by element: the value in double and the bound on the error
/// of the FP32 result, to first order (doubled here, which covers the higher orders).
struct Expectation {
    std::vector<double> values;
    std::vector<double> bounds;

    void add(double value, double bound) {
        values.push_back(value);
        bounds.push_back(bound);
    }
};

/// Passes if every element is finite and within its bound. `detail` gives the largest error as a
/// fraction of its bound.
results::Check compare(const std::string& kernel, std::span<const float> got,
                       const Expectation& expected);

}  // namespace shardstone::benchmarks
