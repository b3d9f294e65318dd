// SPDX-License-Identifier: BSD-3-Clause
// LayerNorm forward and backward against the FP64 oracle; bounds from the roundings of each row.
#include "kernels/transformer/layernorm.hpp"

#include <algorithm>

#include "validation/numerics/kernels/kernel_error.hpp"
#include "validation/numerics/kernels/located.hpp"

namespace shardstone::validation {

namespace {

struct Shape {
    Size rows, channels;
};
/// A GPU has several ways to share a row out to threads: one warp with 2, 4, 6 or 8 packs each of
/// its threads, several warps, element by element, and rows that are read again. Sums over rows are
/// of several chunks where there are more than 64.
template <class Space>
const std::vector<Shape> shapes{{9, 270}};
template <>
inline const std::vector<Shape> shapes<Cuda>{{9, 270}, {150, 24}, {5, 768}, {3, 1024}, {2, 1600},
                                             {3, 480}, {2, 4096}, {1, 771}, {1, 5001}};

/// How many terms a sum over a row has for its bound: one more than the additions that any element
/// passes through. On a GPU a thread adds up to 32 elements, or C / 512 of a row that is read
/// again, and up to 32 threads and 32 warps follow in pairs
/// (kernels/transformer/held_row_cuda.hpp).
template <class Space>
Size terms_of(Size channels) {
    if constexpr (std::is_same_v<Space, Host>) return channels;
    return std::min(channels, std::max<Size>(32, (channels + 511) / 512) + 10 + 1);
}

/// Rounding errors of one row, to first order. With X the largest |x|: the mean of C terms is off
/// by (C + 1) u X, so x - mean by e = (C + 4) u X; the variance by 2 e / sigma relatively from that
/// (the mean of |x - mean| is at most sigma) plus (C + 2) u of its own sum, rstd by half of both
/// plus 3 u for the root and the quotient, and the normalised value n by e / sigma + |n| * that.
struct RowErrors {
    double rstd_relative, normalised_fixed, normalised_relative;

    RowErrors(const double* x, Size channels, Size terms, double sigma, double u) {
        const double e = (terms + 4) * u * largest(x, channels);
        rstd_relative = e / sigma + (terms / 2.0 + 4) * u;
        normalised_fixed = e / sigma;
        normalised_relative = rstd_relative + u;
    }
    double normalised(double value) const {
        return normalised_fixed + std::abs(value) * normalised_relative;
    }
};

/// x, its gradient and that of the output are in R.
template <class Space, class S, class R>
class Case {
  public:
    using Real = compute_t<S>;
    static constexpr double u = roundoff<Real>;

    explicit Case(Shape shape) : n(shape.rows), channels(shape.channels) {
        const Values ones(channels, 1.0), zeros(channels, 0.0);
        normalised_ = oracle::layernorm(x_, ones, zeros, n);
        for (Size r = 0; r < n; ++r) {
            const double* row = x_.data() + r * channels;
            double middle = 0.0, variance = 0.0;
            for (Size c = 0; c < channels; ++c) middle += row[c] / channels;
            for (Size c = 0; c < channels; ++c) variance += (row[c] - middle) * (row[c] - middle);
            sigma_.push_back(std::sqrt(variance / channels + layernorm_epsilon));
            errors_.emplace_back(row, channels, terms_of<Space>(channels), sigma_.back(), u);
        }
        layernorm_forward<S, R>(queue, x.view(n), weight.data(), bias.data(), out.view(n),
                                mean.data(), rstd.data());
    }

    void forward(std::vector<KernelOutput>& to) const {
        Values bound(x_.size());
        for (Size i = 0; i < n * channels; ++i) {
            const Size c = i % channels;
            const double scaled = std::abs(normalised_[i] * weight_[c]);
            bound[i] = higher_orders *
                       (std::abs(weight_[c]) * errors_[i / channels].normalised(normalised_[i]) +
                        3 * u * (scaled + std::abs(bias_[c])));
        }
        const Values expected = oracle::layernorm(x_, weight_, bias_, n);
        add_storage_error<S>(expected, bound);
        to.push_back(output_of<S>("layernorm forward", "out", out.read(), expected, bound));
    }

    void backward(Planted bug, std::vector<KernelOutput>& to) {
        const Located<R, Space> d_out(as<R>(d_out_));
        Located<R, Space> d_x(x.size(), R(Real(1)));
        Located<Real, Space> d_weight(channels), d_bias(channels);
        const LayernormSaved<S, R, Space> saved{x.view(n), weight.data(), mean.data(), rstd.data()};
        layernorm_backward_input<S, R>(queue, saved, d_out.view(n), d_x.view(n));
        layernorm_backward_parameters<S, R>(queue, saved, d_out.view(n), d_weight.data(),
                                            d_bias.data());
        auto gradient = oracle::layernorm_gradient(x_, weight_, d_out_, n, bug);
        for (double& v : gradient.x) v += 1.0;
        Values x_bound = input_bound(gradient.x);
        add_storage_error<R>(gradient.x, x_bound);
        to.push_back(output_of<S>("layernorm backward", "d_x", d_x.read(), gradient.x, x_bound));
        to.push_back(output_of<S>("layernorm backward", "d_weight", d_weight.read(),
                                  gradient.weight, weight_bound()));
        to.push_back(output_of<S>("layernorm backward", "d_bias", d_bias.read(), gradient.bias,
                                  bias_bound()));
    }

  private:
    /// So that the mean matters.
    Values off_centre() const {
        Values x = random_values(n * channels, "x", 2.0);
        for (double& v : x) v = static_cast<float>(v + 3.0);
        return stored<R>(x);
    }

    /// d_x = rstd (g - mean g - n mean(g n)): C-term sums, the errors of n in two places, of rstd
    /// in front; and the addition to d_x.
    Values input_bound(const Values& d_x) const {
        Values bound(x_.size());
        for (Size r = 0; r < n; ++r) {
            const RowErrors& error = errors_[r];
            double mean_g = 0.0, mean_gn = 0.0, mean_gn_error = 0.0;
            for (Size c = 0; c < channels; ++c) {
                const double g = std::abs(d_out_[r * channels + c] * weight_[c]);
                const double value = normalised_[r * channels + c];
                mean_g += g / channels;
                mean_gn += g * std::abs(value) / channels;
                mean_gn_error += g * error.normalised(value) / channels;
            }
            for (Size c = 0; c < channels; ++c) {
                const Size i = r * channels + c;
                const double g = std::abs(d_out_[i] * weight_[c]);
                const double value = std::abs(normalised_[i]);
                const double size = g + mean_g + value * mean_gn;
                const double inner = (terms_of<Space>(channels) + 5) * u * size +
                                     error.normalised(value) * mean_gn + value * mean_gn_error;
                bound[i] = higher_orders * ((inner + size * error.rstd_relative) / sigma_[r] +
                                            2 * u * (1.0 + std::abs(d_x[i])));
            }
        }
        return bound;
    }

    Values weight_bound() const {
        Values bound(channels, 0.0);
        for (Size i = 0; i < n * channels; ++i) {
            bound[i % channels] += higher_orders * std::abs(d_out_[i]) *
                                   (errors_[i / channels].normalised(normalised_[i]) +
                                    (n + 2) * u * std::abs(normalised_[i]));
        }
        return bound;
    }

    Values bias_bound() const {
        Values bound(channels, 0.0);
        for (Size i = 0; i < n * channels; ++i) {
            bound[i % channels] += higher_orders * n * u * std::abs(d_out_[i]);
        }
        return bound;
    }

    const typename Space::Queue queue;
    const Size n, channels;
    const Values x_ = off_centre();
    const Values weight_ = stored<S>(random_values(channels, "weight"));
    const Values bias_ = stored<S>(random_values(channels, "bias"));
    const Values d_out_ = stored<R>(random_values(n * channels, "d_out"));
    Values normalised_;
    std::vector<double> sigma_;
    std::vector<RowErrors> errors_;
    const Located<R, Space> x{as<R>(x_)};
    Located<Real, Space> mean{n}, rstd{n};
    const Located<S, Space> weight{as<S>(weight_)}, bias{as<S>(bias_)};
    Located<S, Space> out{x.size()};
};

}  // namespace

template <class Space>
std::vector<KernelOutput> layernorm_outputs(ElementType storage, Planted bug) {
    return in_each_stream(storage, [&](auto s, auto r) {
        std::vector<KernelOutput> all;
        if constexpr (has_kernels<decltype(s), Space>) {
            for (const Shape& shape : shapes<Space>) {
                // In long rows a term that is missing drowns in the roundings of BF16.
                if (bug != Planted::none && shape.channels > 270) continue;
                Case<Space, decltype(s), decltype(r)> of(shape);
                of.forward(all);
                of.backward(bug, all);
            }
        }
        return all;
    });
}

template std::vector<KernelOutput> layernorm_outputs<Host>(ElementType, Planted);

}  // namespace shardstone::validation
