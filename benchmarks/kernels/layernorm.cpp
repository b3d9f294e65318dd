// SPDX-License-Identifier: BSD-3-Clause
// Roofline benchmarks of layer normalisation: forward, gradient of inputs, gradient of parameters.
#include "kernels/transformer/layernorm.hpp"

#include "benchmarks/kernels/comparison.hpp"
#include "benchmarks/kernels/kernel_benchmark.hpp"

namespace shardstone::benchmarks {

namespace {

constexpr std::int64_t channels = 768;

template <class S>
struct Layer {
    std::int64_t rows;
    std::shared_ptr<Buffer<float>> x, d_out, d_x;
    std::shared_ptr<Buffer<S>> weight, bias, out;
    std::shared_ptr<Buffer<float>> mean, rstd, d_weight, d_bias;

    explicit Layer(std::int64_t rows_)
        : rows(rows_),
          x(normal_numbers("x", rows * channels)),
          d_out(normal_numbers("d_out", rows * channels)),
          d_x(std::make_shared<Buffer<float>>(rows * channels)),
          weight(normal_numbers_in<S>("weight", channels)),
          bias(normal_numbers_in<S>("bias", channels)),
          out(std::make_shared<Buffer<S>>(rows * channels)),
          mean(std::make_shared<Buffer<float>>(rows)),
          rstd(std::make_shared<Buffer<float>>(rows)),
          d_weight(std::make_shared<Buffer<float>>(channels)),
          d_bias(std::make_shared<Buffer<float>>(channels)) {}

    void forward() const {
        layernorm_forward<S>(HostQueue(), matrix(x->data(), rows, channels), weight->data(),
                             bias->data(), matrix(out->data(), rows, channels), mean->data(),
                             rstd->data());
    }
    LayernormSaved<S> saved() const {
        return {matrix(x->data(), rows, channels), weight->data(), mean->data(), rstd->data()};
    }
    double elements() const { return static_cast<double>(rows * channels); }
};

template <class S>
Workload forward(std::int64_t rows) {
    const Layer<S> layer(rows);
    // Mean: an add. Variance: subtract, multiply, add. Output: subtract, multiply, multiply-add.
    return {(plain(6.0) + multiply_adds(1.0) + narrow_elements<S>(2.0, 1.0)) * layer.elements(),
            (4.0 + sizeof(S)) * layer.elements(),
            [=] { layer.forward(); },
            {},
            Streams{1, 0, 1}};
}

template <class S>
Workload backward_input(std::int64_t rows) {
    const Layer<S> layer(rows);
    layer.forward();
    // The normalised value 2, times weight, both sums 3; subtract twice, two multiplies, add.
    return {(plain(11.0) + narrow_elements<S>(3.0, 0.0)) * layer.elements(),
            4.0 * 4.0 * layer.elements(),
            [=] {
                layernorm_backward_input<S>(HostQueue(), layer.saved(),
                                            matrix(layer.d_out->data(), rows, channels),
                                            matrix(layer.d_x->data(), rows, channels));
            },
            {},
            Streams{2, 1, 0}};
}

template <class S>
Workload backward_parameters(std::int64_t rows) {
    const Layer<S> layer(rows);
    layer.forward();
    // The normalised value 2, times the gradient, two sums.
    return {plain(5.0) * layer.elements(),
            2.0 * 4.0 * layer.elements(),
            [=] {
                layernorm_backward_parameters<S>(HostQueue(), layer.saved(),
                                                 matrix(layer.d_out->data(), rows, channels),
                                                 layer.d_weight->data(), layer.d_bias->data());
            },
            {},
            Streams{2, 0, 0}};
}

template <class S>
KernelRegistration part(const std::string& name, const std::string& oracle,
                        Workload (*prepare)(std::int64_t)) {
    return KernelRegistration(kernel_in<S>(name, oracle, "rows of 768", {64, 8192}, prepare));
}

const KernelRegistration parts[]{
    part<float>("layernorm forward", "layernorm forward", forward<float>),
    part<bf16>("layernorm forward", "layernorm forward", forward<bf16>),
    part<float>("layernorm backward, x", "layernorm backward", backward_input<float>),
    part<bf16>("layernorm backward, x", "layernorm backward", backward_input<bf16>),
    // Parameters play no part in their own gradients: all it reads is FP32.
    part<float>("layernorm backward, w", "layernorm backward", backward_parameters<float>),
};

}  // namespace

}  // namespace shardstone::benchmarks
