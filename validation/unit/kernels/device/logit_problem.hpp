// SPDX-License-Identifier: BSD-3-Clause
// Logits of any shape on the device, and how far results of the cross-entropy may be off.
#pragma once

#include <algorithm>
#include <cmath>

#include "kernels/transformer/cross_entropy.hpp"
#include "validation/numerics/kernels/compare.hpp"
#include "validation/numerics/kernels/located.hpp"

namespace shardstone::validation {

/// Rows of logits that begin `first` elements after those of a matrix.
struct LogitShape {
    Size rows, columns, first, leading;
    Size size() const { return rows * leading; }
    template <class T>
    Matrix<T, Cuda> of(Located<T, Cuda>& whole) const {
        return {whole.data() + first, rows, columns, leading};
    }
};

template <class S>
struct LogitProblem {
    static constexpr double scale = 0.25;
    const LogitShape shape;
    const Values whole = stored<S>(random_values(shape.size(), "logits", 5.0));
    const Values logits = own(whole);
    const std::vector<std::int32_t> targets = some_targets();
    const Values gradient = oracle::cross_entropy_gradient(logits, targets, scale);

    /// The elements that are of the problem.
    template <class T>
    std::vector<T> own(const std::vector<T>& all) const {
        std::vector<T> result;
        for (Size r = 0; r < shape.rows; ++r) {
            const auto begin = all.begin() + r * shape.leading + shape.first;
            result.insert(result.end(), begin, begin + shape.columns);
        }
        return result;
    }
    /// First and last columns are among them; the third row is ignored.
    std::vector<std::int32_t> some_targets() const {
        std::vector<std::int32_t> result;
        for (Size r = 0; r < shape.rows; ++r) {
            const Size from_end = std::min(r / 2, shape.columns - 1);
            const Size target = r % 2 == 0 ? shape.columns - 1 - from_end : from_end;
            result.push_back(r == 2 ? ignored_target : static_cast<std::int32_t>(target));
        }
        return result;
    }

    /// As in cross_entropy_bounds.hpp, with the depth of the device's sums for their number: a term
    /// is in ceil(V / 512 / width) additions of its thread, in `width` of the next, in ten of a
    /// block, and in four where five shards are added up. And the error of the exponents, 2.22 u
    /// |x| of each term, comes to 2.22 u log V of the sum (logit_rows_cuda.hpp).
    double log_sum_error(Size r) const {
        constexpr double width = 16 / sizeof(S);
        const auto v = static_cast<double>(shape.columns);
        const double depth = std::ceil(v / 512.0 / width) + width + 14.0;
        return higher_orders * (2.22 * std::log(v) + 4.0 + depth + 2.0 + range(r)) *
               roundoff<float>;
    }
    double loss_bound() const {
        double bound = 0.0;
        for (Size r = 0; r < shape.rows; ++r) bound += log_sum_error(r);
        return bound;
    }
    Values gradient_bound() const {
        Values bound = oracle::softmax(logits, shape.rows);
        for (Size r = 0; r < shape.rows; ++r) {
            double* const of_row = bound.data() + r * shape.columns;
            const double relative =
                log_sum_error(r) + higher_orders * (2.22 * range(r) + 5.0) * roundoff<float>;
            for (Size c = 0; c < shape.columns; ++c) of_row[c] *= scale * relative;
            const auto target = targets[static_cast<std::size_t>(r)];
            if (target >= 0) of_row[target] += scale * higher_orders * roundoff<float>;
        }
        add_storage_error<S>(gradient, bound);
        return bound;
    }

  private:
    /// Of differences of a logit and the log-sum-exp, at most.
    double range(Size r) const {
        return 2.0 * largest(logits.data() + r * shape.columns, shape.columns) +
               std::log(static_cast<double>(shape.columns));
    }
};

/// What the fused kernel gives.
template <class S>
struct FusedCrossEntropy {
    std::vector<float> log_sum;
    double loss;
    std::vector<S> gradient;  ///< and what is beside it

    explicit FusedCrossEntropy(const LogitProblem<S>& of) {
        const CudaQueue queue;
        Located<S, Cuda> logits(as<S>(of.whole));
        const Located<std::int32_t, Cuda> targets(of.targets);
        Located<float, Cuda> log_sums(of.shape.rows);
        Located<double, Cuda> losses(1);
        cross_entropy_forward<S>(queue, of.shape.of(logits), targets.span(), log_sums.data(),
                                 losses.data());
        cross_entropy_backward<S>(queue, of.shape.of(logits), targets.span(), log_sums.data(),
                                  static_cast<float>(of.scale));
        log_sum = log_sums.read();
        loss = losses.read().front();
        gradient = logits.read();
    }
};

}  // namespace shardstone::validation
