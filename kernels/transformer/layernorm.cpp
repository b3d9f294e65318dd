// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/transformer/layernorm.hpp"

#include <cmath>

#include "kernels/tensor/row_function.hpp"
#include "kernels/transformer/columns.hpp"

namespace shardstone {

namespace {

template <class Real>
struct Moments {
    Real mean, rstd;
};

// Two passes: the variance as a sum of squared differences does not cancel.
template <class Real>
SHARDSTONE_ROW_FUNCTION Moments<Real> moments_of(const Real* x, std::int64_t n) {
    Real sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t c = 0; c < n; ++c) sum += x[c];
    const Real mean = sum / static_cast<Real>(n);
    Real squares = 0;
#pragma omp simd reduction(+ : squares)
    for (std::int64_t c = 0; c < n; ++c) squares += (x[c] - mean) * (x[c] - mean);
    const Real variance = squares / static_cast<Real>(n);
    return {mean, Real(1) / std::sqrt(variance + static_cast<Real>(layernorm_epsilon))};
}

template <class Real>
struct Row {
    const Real *x, *weight, *d_out;
    Moments<Real> moments;
    std::int64_t size;

    Real normalised(std::int64_t c) const { return (x[c] - moments.mean) * moments.rstd; }
};

template <class Real>
SHARDSTONE_ROW_FUNCTION void add_input_gradient(const Row<Real>& row_of_caller, Real* d_x) {
    const Row<Real> row = row_of_caller;
    Real sum = 0;
    Real sum_with_normalised = 0;
#pragma omp simd reduction(+ : sum, sum_with_normalised)
    for (std::int64_t c = 0; c < row.size; ++c) {
        const Real g = row.d_out[c] * row.weight[c];
        sum += g;
        sum_with_normalised += g * row.normalised(c);
    }
    const Real mean = sum / static_cast<Real>(row.size);
    const Real mean_with_normalised = sum_with_normalised / static_cast<Real>(row.size);
#pragma omp simd
    for (std::int64_t c = 0; c < row.size; ++c) {
        const Real g = row.d_out[c] * row.weight[c];
        d_x[c] += row.moments.rstd * (g - mean - row.normalised(c) * mean_with_normalised);
    }
}

}  // namespace

template <class Real>
void layernorm_forward(Matrix<const Real> x, const Real* weight, const Real* bias, Matrix<Real> out,
                       Real* mean, Real* rstd) {
    for_each_row(x.rows, [=](std::int64_t r) {
        const Real* in = x.row(r);
        Real* to = out.row(r);
        const Moments<Real> moments = moments_of(in, x.columns);
#pragma omp simd
        for (std::int64_t c = 0; c < x.columns; ++c) {
            to[c] = (in[c] - moments.mean) * moments.rstd * weight[c] + bias[c];
        }
        mean[r] = moments.mean;
        rstd[r] = moments.rstd;
    });
}

template <class Real>
void layernorm_backward_input(const LayernormSaved<Real>& saved, Matrix<const Real> d_out,
                              Matrix<Real> d_x) {
    for_each_row(d_out.rows, [=](std::int64_t r) {
        add_input_gradient<Real>({saved.x.row(r),
                                  saved.weight,
                                  d_out.row(r),
                                  {saved.mean[r], saved.rstd[r]},
                                  d_out.columns},
                                 d_x.row(r));
    });
}

template <class Real>
void layernorm_backward_parameters(const LayernormSaved<Real>& saved, Matrix<const Real> d_out,
                                   Real* d_weight, Real* d_bias) {
    detail::for_each_column_block(d_out.columns, [=](std::int64_t begin, std::int64_t end) {
        for (std::int64_t r = 0; r < d_out.rows; ++r) {
            const Row<Real> row{saved.x.row(r),
                                saved.weight,
                                d_out.row(r),
                                {saved.mean[r], saved.rstd[r]},
                                d_out.columns};
#pragma omp simd
            for (std::int64_t c = begin; c < end; ++c) {
                d_weight[c] += row.d_out[c] * row.normalised(c);
                d_bias[c] += row.d_out[c];
            }
        }
    });
}

#define SHARDSTONE_INSTANTIATE(Real)                                                             \
    template void layernorm_forward(Matrix<const Real>, const Real*, const Real*, Matrix<Real>,  \
                                    Real*, Real*);                                               \
    template void layernorm_backward_input(const LayernormSaved<Real>&, Matrix<const Real>,      \
                                           Matrix<Real>);                                        \
    template void layernorm_backward_parameters(const LayernormSaved<Real>&, Matrix<const Real>, \
                                                Real*, Real*);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(double)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
