// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/gemm/gemm.hpp"
#include "validation/numerics/kernels/compare.hpp"
#include "validation/numerics/kernels/located.hpp"
#include "validation/unit/kernels/device/needs_gpu.hpp"

namespace shardstone::validation {

struct Shape {
    Size m, n, k;
};

/// How the matrices of a product lie: transposed factors, how many numbers more than it has columns
/// the rows of a factor and of the result are apart, and how many numbers after an address that is
/// a multiple of 256 B each begins.
struct Layout {
    bool transpose_a = false, transpose_b = false;
    Size factor_gap = 0, result_gap = 0, begin = 0;
};

/// A matrix on the device inside memory that is not part of it.
template <class T>
class Embedded {
  public:
    Embedded(const Values& values, Size rows, Size columns, Size gap, Size begin)
        : rows_(rows),
          columns_(columns),
          leading_(columns + gap),
          begin_(begin),
          memory_(spread(values)) {}

    Matrix<T, Cuda> view() { return {memory_.data() + begin_, rows_, columns_, leading_}; }
    Matrix<const T, Cuda> view() const {
        return {memory_.data() + begin_, rows_, columns_, leading_};
    }
    /// The matrix; fails if what is around it has changed.
    std::vector<T> read() const {
        const auto all = memory_.read();
        std::vector<T> result;
        Size around = 0;
        for (Size i = 0; i < std::ssize(all); ++i) {
            const Size at = i - begin_;
            if (at >= 0 && at < rows_ * leading_ && at % leading_ < columns_) {
                result.push_back(all[static_cast<std::size_t>(i)]);
            } else {
                around += wide(all[static_cast<std::size_t>(i)]) == outside ? 0 : 1;
            }
        }
        EXPECT_EQ(around, 0) << "numbers around the matrix were changed";
        return result;
    }

  private:
    static constexpr double outside = -1024.0;

    std::vector<T> spread(const Values& values) const {
        Values all(static_cast<std::size_t>(begin_ + rows_ * leading_ + 1), outside);
        for (Size i = 0; i < rows_ * columns_; ++i) {
            const Size at = begin_ + i / columns_ * leading_ + i % columns_;
            all[static_cast<std::size_t>(at)] = values[static_cast<std::size_t>(i)];
        }
        return as<T>(all);
    }

    Size rows_, columns_, leading_, begin_;
    Located<T, Cuda> memory_;
};

/// A product C = 0.5 A B + beta C of random factors, and what it is in FP64.
template <class S>
class ProductCase {
  public:
    ProductCase(const Shape& shape, const Layout& layout) : shape_(shape), layout_(layout) {
        const auto [m, n, k] = shape;
        const Values a = stored<S>(random_values(m * k, "a"));
        const Values b = stored<S>(random_values(k * n, "b"));
        multiply(a, b);
        a_ = embedded(a, m, k, layout.transpose_a);
        b_ = embedded(b, k, n, layout.transpose_b);
    }

    static constexpr double alpha = 0.5, first = 3.0;

    /// All of C, that was `first` before.
    template <class Out>
    std::vector<Out> product(float beta) const {
        Embedded<Out> c(Values(expected_.size(), first), shape_.m, shape_.n, layout_.result_gap,
                        layout_.begin);
        gemm<S>(CudaQueue(), static_cast<float>(alpha),
                {std::as_const(*a_).view(), layout_.transpose_a},
                {std::as_const(*b_).view(), layout_.transpose_b}, beta, c.view());
        return c.read();
    }
    const Values& expected() const { return expected_; }
    /// The sums of the terms' magnitudes.
    const Values& magnitude() const { return magnitude_; }
    /// k terms and the first value, as in validation/numerics/kernels/linear.cpp.
    template <class Out>
    Values bound(double beta = 0) const {
        Values result;
        for (const double m : magnitude_) {
            result.push_back(static_cast<double>(shape_.k + 2) * higher_orders * roundoff<float> *
                             (m + beta * first));
        }
        if constexpr (is_narrow<Out>) add_storage_error<Out>(expected_, result);
        return result;
    }

    std::string text() const {
        return fmt::format("{} x {} x {}, transposed {} {}, gaps {} {}, begin {}", shape_.m,
                           shape_.n, shape_.k, layout_.transpose_a, layout_.transpose_b,
                           layout_.factor_gap, layout_.result_gap, layout_.begin);
    }

  private:
    using Memory = std::shared_ptr<Embedded<S>>;

    Memory embedded(const Values& values, Size rows, Size columns, bool transposed) const {
        if (!transposed) {
            return std::make_shared<Embedded<S>>(values, rows, columns, layout_.factor_gap,
                                                 layout_.begin);
        }
        Values turned;
        for (Size c = 0; c < columns; ++c) {
            for (Size r = 0; r < rows; ++r) {
                turned.push_back(values[static_cast<std::size_t>(r * columns + c)]);
            }
        }
        return std::make_shared<Embedded<S>>(turned, columns, rows, layout_.factor_gap,
                                             layout_.begin);
    }

    void multiply(const Values& a, const Values& b) {
        const auto [m, n, k] = shape_;
        expected_.assign(static_cast<std::size_t>(m * n), 0.0);
        magnitude_ = expected_;
        for (Size i = 0; i < m; ++i) {
            for (Size p = 0; p < k; ++p) {
                const double factor = alpha * a[static_cast<std::size_t>(i * k + p)];
                for (Size j = 0; j < n; ++j) {
                    const double term = factor * b[static_cast<std::size_t>(p * n + j)];
                    expected_[static_cast<std::size_t>(i * n + j)] += term;
                    magnitude_[static_cast<std::size_t>(i * n + j)] += std::abs(term);
                }
            }
        }
    }

    Shape shape_;
    Layout layout_;
    Values expected_, magnitude_;
    Memory a_, b_;
};

template <class S, class Out>
void expect_product(const ProductCase<S>& of, float beta) {
    Values expected = of.expected();
    for (double& value : expected) value += static_cast<double>(beta) * ProductCase<S>::first;
    EXPECT_LE(worst_ratio(of.template product<Out>(beta), expected,
                          of.template bound<Out>(static_cast<double>(beta))),
              1.0)
        << of.text() << ", beta " << beta;
}

/// Overwriting in both types that a product may have, and adding.
template <class S>
void expect_products(const Shape& shape, const Layout& layout) {
    const ProductCase<S> of(shape, layout);
    expect_product<S, S>(of, 0);
    if (is_narrow<S>) expect_product<S, float>(of, 0);
    expect_product<S, float>(of, 1);
}

}  // namespace shardstone::validation
