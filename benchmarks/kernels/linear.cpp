// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/transformer/linear.hpp"

#include <cmath>

#include "benchmarks/kernels/comparison.hpp"
#include "benchmarks/kernels/kernel_benchmark.hpp"

namespace shardstone::benchmarks {

namespace {

constexpr std::int64_t inputs = 768;  // the first layer of the MLP of GPT-2 124M
constexpr std::int64_t outputs = 3072;

template <class S>
struct Layer {
    std::int64_t rows;
    std::shared_ptr<Buffer<S>> x, weight, d_out;
    std::shared_ptr<Buffer<float>> d_weight = std::make_shared<Buffer<float>>(outputs * inputs);
    std::shared_ptr<Buffer<S>> out, d_x;

    explicit Layer(std::int64_t rows_)
        : rows(rows_),
          x(normal_numbers_in<S>("x", rows * inputs)),
          weight(normal_numbers_in<S>("weight", outputs * inputs)),
          d_out(normal_numbers_in<S>("d_out", rows * outputs)),
          out(std::make_shared<Buffer<S>>(rows * outputs)),
          d_x(std::make_shared<Buffer<S>>(rows * inputs)) {}

    void run() const {
        const Matrix<S> in = matrix(x->data(), rows, inputs);
        const Matrix<S> w = matrix(weight->data(), outputs, inputs);
        const Matrix<S> d = matrix(d_out->data(), rows, outputs);
        linear_forward<S>(in, w, nullptr, matrix(out->data(), rows, outputs));
        linear_backward_input<S>(d, w, matrix(d_x->data(), rows, inputs));
        linear_backward_parameters<S>(d, in, matrix(d_weight->data(), outputs, inputs), nullptr);
    }
};

/// Forward and backward, as a training step has them: three products.
template <class S>
Workload prepare_training(std::int64_t rows) {
    const Layer<S> layer(rows);
    const double products = static_cast<double>(rows) * inputs * outputs;
    const auto activations = static_cast<double>(3 * rows * (inputs + outputs));
    const double bytes =
        sizeof(S) * (activations + 2.0 * outputs * inputs) + 2.0 * sizeof(float) * outputs * inputs;
    return {6.0 * products, bytes, [=] { layer.run(); }};
}

/// The gradient of the weights, which comes last: a sum over the rows, in FP32 for all types.
template <class S>
results::Check verify_training(const std::string& name) {
    constexpr std::int64_t rows = 3;
    const Layer<S> layer(rows);
    layer.run();
    Expectation expected;
    for (std::int64_t o = 0; o < outputs; ++o) {
        for (std::int64_t i = 0; i < inputs; ++i) {
            double sum = 0.0;
            double magnitude = 0.0;
            for (std::int64_t r = 0; r < rows; ++r) {
                const double term =
                    double{static_cast<float>(layer.d_out->data()[r * outputs + o])} *
                    double{static_cast<float>(layer.x->data()[r * inputs + i])};
                sum += term;
                magnitude += std::abs(term);
            }
            expected.add(sum, (rows + 1) * unit_roundoff * magnitude);
        }
    }
    return compare(name, layer.d_weight->span(), expected);
}

template <class S>
KernelBenchmark training_in(const std::string& type) {
    const std::string name = "linear training, " + type;
    return {name, "rows, (rows, 768) and (rows, 3072)", {64, 1024}, prepare_training<S>, [=] {
                return verify_training<S>(name);
            }};
}

constexpr const char* name = "linear forward";

Workload prepare(std::int64_t rows) {
    const auto x = normal_numbers("x", rows * inputs);
    const auto weight = normal_numbers("weight", outputs * inputs);
    const auto bias = normal_numbers("bias", outputs);
    const auto out = std::make_shared<Buffer<float>>(rows * outputs);
    const double products = static_cast<double>(rows) * inputs * outputs;
    const auto elements = rows * inputs + outputs * inputs + outputs + rows * outputs;
    return {2.0 * products, 4.0 * static_cast<double>(elements), [=] {
                linear_forward<float>(matrix(x->data(), rows, inputs),
                                      matrix(weight->data(), outputs, inputs), bias->data(),
                                      matrix(out->data(), rows, outputs));
            }};
}

/// |error| <= (I + 1) u (sum(|x| |w|) + |bias|).
results::Check verify() {
    constexpr std::int64_t rows = 7;
    constexpr std::int64_t in = 40;
    constexpr std::int64_t out_size = 23;
    const auto x = normal_numbers("x", rows * in);
    const auto weight = normal_numbers("weight", out_size * in);
    const auto bias = normal_numbers("bias", out_size);
    Buffer<float> out(rows * out_size);
    linear_forward<float>(matrix(x->data(), rows, in), matrix(weight->data(), out_size, in),
                          bias->data(), matrix(out.data(), rows, out_size));
    Expectation expected;
    for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t o = 0; o < out_size; ++o) {
            double sum = bias->data()[o];
            double magnitude = std::abs(sum);
            for (std::int64_t i = 0; i < in; ++i) {
                const double term =
                    double{x->data()[r * in + i]} * double{weight->data()[o * in + i]};
                sum += term;
                magnitude += std::abs(term);
            }
            expected.add(sum, (in + 1) * unit_roundoff * magnitude);
        }
    }
    return compare(name, out.span(), expected);
}

const KernelRegistration registration{
    {name, "rows, (rows, 768) to (rows, 3072)", {64, 1024}, prepare, verify}};
const KernelRegistration training_fp32{training_in<float>("fp32")};
const KernelRegistration training_bf16{training_in<bf16>("bf16")};
const KernelRegistration training_fp16{training_in<fp16>("fp16")};

}  // namespace

}  // namespace shardstone::benchmarks
