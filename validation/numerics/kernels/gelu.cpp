// SPDX-License-Identifier: BSD-3-Clause
// GELU forward and backward against the FP64 oracle; the bounds follow its gate through exp.
#include "kernels/transformer/gelu.hpp"

#include "validation/numerics/kernels/kernel_error.hpp"
#include "validation/numerics/kernels/located.hpp"

namespace shardstone::validation {

namespace {

struct Shape {
    Size rows, channels;
};
/// On a GPU element by element, and in packs.
template <class Space>
const std::vector<Shape> shapes{{11, 103}};
template <>
inline const std::vector<Shape> shapes<Cuda>{{11, 103}, {19, 264}};

struct Gate {
    double s, slope, error;

    /// z = k (x + c x^3) takes 5 roundings and 2 of constants, all its terms of one sign: 7 u.
    /// exp(-2z) is then off by 14 |z| u and 4 u of its own, s = 1 / (1 + exp) by (1 - s) times that
    /// plus 2 u for the sum and the quotient, all relative to s.
    Gate(double x, double u) {
        const double k = std::sqrt(2.0 / 3.14159265358979323846);
        const double z = k * (x + 0.044715 * x * x * x);
        s = std::exp(z) / (2.0 * std::cosh(z));
        slope = k * (1.0 + 3.0 * 0.044715 * x * x);
        error = s * ((1.0 - s) * (14.0 * std::abs(z) + 4.0) + 2.0) * u;
    }
};

template <class Space, class S>
struct Case {
    using Real = compute_t<S>;
    static constexpr double u = roundoff<Real>;
    explicit Case(Shape shape) : n(shape.rows), channels(shape.channels) {}
    const Size n, channels;
    const typename Space::Queue queue;
    const Values pre_ = stored<S>(random_values(n * channels, "pre", 2.0));
    const Values bias_ = stored<S>(random_values(channels, "bias"));
    const Values d_out_ = stored<S>(random_values(n * channels, "d_out"));

    /// pre + bias as the types round it: what both functions see.
    Values biased() const {
        Values x(pre_.size());
        for (Size i = 0; i < n * channels; ++i) {
            x[i] = wide(S(static_cast<Real>(pre_[i]) + static_cast<Real>(bias_[i % channels])));
        }
        return x;
    }

    void forward(std::vector<KernelOutput>& to) const {
        Located<S, Space> pre(as<S>(pre_)), out(pre.size());
        const Located<S, Space> bias(as<S>(bias_));
        bias_gelu_forward<S>(queue, pre.view(n), bias.data(), out.view(n));
        const Values x = biased();
        Values bound(x.size());
        for (std::size_t i = 0; i < x.size(); ++i) {
            const Gate gate(x[i], u);
            bound[i] = higher_orders * std::abs(x[i]) * (gate.error + gate.s * u);
        }
        const Values expected = oracle::gelu(x);
        add_storage_error<S>(expected, bound);
        to.push_back(
            output_of<S>("GELU forward", "pre with bias", pre.read(), x, Values(x.size())));
        to.push_back(output_of<S>("GELU forward", "out", out.read(), expected, bound));
    }

    /// s + 2 x s (1 - s) slope: s is off by e, 1 - s by e + u, the products by 12 u, the sum by u.
    void backward(Planted bug, std::vector<KernelOutput>& to) const {
        const Values exact = biased();
        const Located<S, Space> x(as<S>(exact));
        Located<S, Space> d(as<S>(d_out_));
        gelu_backward<S>(queue, x.view(n), d.view(n));
        Values bound(exact.size());
        for (std::size_t i = 0; i < exact.size(); ++i) {
            const Gate gate(exact[i], u);
            const double factor = 2.0 * std::abs(exact[i]) * gate.slope;
            const double product = gate.s * (1.0 - gate.s);
            const double product_error =
                gate.error * (1.0 - gate.s) + gate.s * (gate.error + u) + 12.0 * u * product;
            bound[i] =
                higher_orders * std::abs(d_out_[i]) *
                (gate.error + factor * product_error + 2.0 * u * (gate.s + factor * product));
        }
        add_storage_error<S>(oracle::gelu_gradient(exact, d_out_), bound);
        to.push_back(output_of<S>("GELU backward", "d", d.read(),
                                  oracle::gelu_gradient(exact, d_out_, bug), bound));
    }
};

}  // namespace

template <class Space>
std::vector<KernelOutput> gelu_outputs(ElementType storage, Planted bug) {
    return in_storage(storage, [&](auto zero) {
        std::vector<KernelOutput> all;
        if constexpr (has_kernels<decltype(zero), Space>) {
            for (const Shape& shape : shapes<Space>) {
                const Case<Space, decltype(zero)> of(shape);
                of.forward(all);
                of.backward(bug, all);
            }
        }
        return all;
    });
}

template std::vector<KernelOutput> gelu_outputs<Host>(ElementType, Planted);

}  // namespace shardstone::validation
