// SPDX-License-Identifier: BSD-3-Clause
// A linear layer's three products of a training step, in fp32, bf16, fp16 and emulated FP8.
#include "kernels/transformer/linear.hpp"

#include "benchmarks/kernels/comparison.hpp"
#include "benchmarks/kernels/kernel_benchmark.hpp"
#include "benchmarks/kernels/library_products.hpp"
#include "kernels/transformer/fp8_rows.hpp"

namespace shardstone::benchmarks {

namespace {

constexpr std::int64_t inputs = 768;  // the first layer of the MLP of GPT-2 124M
constexpr std::int64_t outputs = 3072;

template <class S>
struct Layer {
    using Factors = S;
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

    void run() const { run(*x, *weight, *d_out); }

    /// Forward and backward, as a training step has them: three products.
    void run(Buffer<S>& x_read, Buffer<S>& weight_read, Buffer<S>& d_out_read) const {
        const Matrix<S> in = matrix(x_read.data(), rows, inputs);
        const Matrix<S> w = matrix(weight_read.data(), outputs, inputs);
        const Matrix<S> d = matrix(d_out_read.data(), rows, outputs);
        linear_forward<S>(HostQueue(), in, w, nullptr, matrix(out->data(), rows, outputs));
        linear_backward_input<S>(HostQueue(), d, w, matrix(d_x->data(), rows, inputs));
        linear_backward_parameters<S>(HostQueue(), d, in, matrix(d_weight->data(), outputs, inputs),
                                      nullptr);
    }
};

/// The same with factors as a matrix unit with FP8 inputs reads them: rounded before each product.
struct Fp8Layer {
    using Factors = bf16;
    Layer<bf16> layer;
    std::shared_ptr<Buffer<bf16>> x, weight, d_out;

    explicit Fp8Layer(std::int64_t rows)
        : layer(rows),
          x(std::make_shared<Buffer<bf16>>(rows * inputs)),
          weight(std::make_shared<Buffer<bf16>>(outputs * inputs)),
          d_out(std::make_shared<Buffer<bf16>>(rows * outputs)) {}

    void run() const {
        round<fp8_e4m3>(*layer.x, *x, inputs);
        round<fp8_e4m3>(*layer.weight, *weight, inputs);
        round<fp8_e5m2>(*layer.d_out, *d_out, outputs);
        layer.run(*x, *weight, *d_out);
    }

  private:
    template <class F>
    static void round(const Buffer<bf16>& from, Buffer<bf16>& to, std::int64_t columns) {
        const std::int64_t rows = from.size() / columns;
        float amax = 0.0F;
        round_to_fp8<F>(HostQueue(), matrix(from.data(), rows, columns), 64.0F,
                        matrix(to.data(), rows, columns), &amax);
    }
};

/// As many bytes as the type itself would have: FP8 is held in bf16 here.
template <class Of>
Workload training(std::int64_t rows, double bytes_per_element) {
    const Of layer(rows);
    const double products = static_cast<double>(rows) * inputs * outputs;
    const auto activations = static_cast<double>(3 * rows * (inputs + outputs));
    const double bytes = bytes_per_element * (activations + 2.0 * outputs * inputs) +
                         2.0 * sizeof(float) * outputs * inputs;
    return {products_of<typename Of::Factors>(3.0 * products), bytes, [=] { layer.run(); },
            library_products({{rows, outputs, inputs, false, true},
                              {rows, inputs, outputs},
                              {outputs, inputs, rows, true, false}}),
            Streams{2, 0, 1}};
}

KernelBenchmark training_in(ElementType storage, const char* oracle,
                            Workload (*prepare)(std::int64_t)) {
    return {"linear training, " + std::string(to_string(storage)),
            "rows, (rows, 768) and (rows, 3072)",
            {64, 1024},
            prepare,
            {},
            oracle,
            storage};
}

template <class S>
Workload training_of(std::int64_t rows) {
    return training<Layer<S>>(rows, sizeof(S));
}
Workload training_fp8(std::int64_t rows) {
    return training<Fp8Layer>(rows, sizeof(fp8_e4m3));
}

const KernelRegistration registrations[]{
    KernelRegistration(training_in(ElementType::fp32, "linear", training_of<float>)),
    KernelRegistration(training_in(ElementType::bf16, "linear", training_of<bf16>)),
    KernelRegistration(training_in(ElementType::fp16, "linear", training_of<fp16>)),
    KernelRegistration(training_in(ElementType::fp8_e4m3, "fp8 product", training_fp8)),
};

}  // namespace

}  // namespace shardstone::benchmarks
