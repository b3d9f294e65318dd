// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/transformer/linear.hpp"

#include <cmath>

#include "benchmarks/kernels/comparison.hpp"
#include "benchmarks/kernels/kernel_benchmark.hpp"

namespace shardstone::benchmarks {

namespace {

constexpr const char* name = "linear forward";
constexpr std::int64_t inputs = 768;  // the first layer of the MLP of GPT-2 124M
constexpr std::int64_t outputs = 3072;

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

}  // namespace

}  // namespace shardstone::benchmarks
