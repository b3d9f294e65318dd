// SPDX-License-Identifier: BSD-3-Clause
// The two ends of a step on the GPU: embedding and loss, norm and update, at GPT-2 124M's sizes.
#include <fmt/format.h>

#include <cmath>

#include "benchmarks/kernels/device/device_kernel.hpp"
#include "kernels/base/random.hpp"
#include "kernels/optimizer/optimizer.hpp"
#include "kernels/tensor/arrays.hpp"
#include "kernels/transformer/cross_entropy.hpp"
#include "kernels/transformer/embedding.hpp"

namespace shardstone::benchmarks {

namespace {

using Call = std::function<void()>;

constexpr std::int64_t positions = 16384, channels = 768;
constexpr int vocabulary = 50257;
constexpr std::int64_t parameters = 124'439'808;

DeviceKernel kernel(const std::string& name, const std::string& size, double bytes,
                    const std::function<Call()>& make) {
    return {name, size, bytes, 0.0, [=] { return rotating(bytes, make); }};
}

Call cross_entropy_forward_call() {
    auto logits = device_tensor<bf16>(positions * vocabulary);
    auto targets = device_tensor<std::int32_t>(positions);
    auto log_sum_exp = device_tensor<float>(positions);
    auto loss = std::make_shared<Buffer<double, Cuda>>(1);
    return [=] {
        cross_entropy_forward<bf16>(CudaQueue(),
                                    matrix<Cuda>(logits->data(), positions, vocabulary),
                                    targets->span(), log_sum_exp->data(), loss->data());
    };
}

Call cross_entropy_backward_call() {
    auto logits = device_tensor<bf16>(positions * vocabulary);
    auto targets = device_tensor<std::int32_t>(positions);
    auto log_sum_exp = std::make_shared<Buffer<float, Cuda>>(positions);
    return [=] {
        cross_entropy_backward<bf16>(CudaQueue(),
                                     matrix<Cuda>(logits->data(), positions, vocabulary),
                                     targets->span(), log_sum_exp->data(), 1e-4F);
    };
}

Call embedding_forward_call() {
    auto tokens = device_tensor<std::uint16_t>(positions);
    auto table = device_tensor<bf16>(vocabulary * channels);
    auto out = device_tensor<float>(positions * channels);
    return [=] {
        token_embedding_forward<bf16>(CudaQueue(), tokens->span(), 0,
                                      matrix<Cuda>(table->data(), vocabulary, channels),
                                      matrix<Cuda>(out->data(), positions, channels));
    };
}

/// Of as many different tokens: all of the vocabulary, or the letters of a text.
Call embedding_backward_call(int different) {
    std::vector<std::uint16_t> drawn;
    const RandomStream stream(1, "tokens");
    for (std::uint64_t i = 0; i < positions; ++i) {
        drawn.push_back(
            static_cast<std::uint16_t>(stream.below(static_cast<std::uint64_t>(different), i)));
    }
    auto tokens = std::make_shared<Buffer<std::uint16_t, Cuda>>(positions);
    write_array(CudaQueue(), drawn.data(), tokens->data(), positions);
    auto d_out = device_tensor<float>(positions * channels);
    auto d_table = device_tensor<float>(vocabulary * channels);
    return [=] {
        token_embedding_backward<float>(CudaQueue(), tokens->span(), 0,
                                        matrix<Cuda>(d_out->data(), positions, channels),
                                        matrix<Cuda>(d_table->data(), vocabulary, channels));
    };
}

Call adamw_call() {
    auto weights = device_tensor<float>(parameters), gradients = device_tensor<float>(parameters);
    auto first = device_tensor<float>(parameters);
    auto second = std::make_shared<Buffer<float, Cuda>>(parameters);
    return [=] {
        update_range(CudaQueue(), OptimizerSettings{},
                     OptimizerStep{.step = 10, .learning_rate = 1e-4},
                     ParameterRange<float, Cuda>{weights->span(), gradients->span(), first->span(),
                                                 second->span()});
    };
}

Call squares_call() {
    auto gradients = device_tensor<float>(parameters);
    auto sum = std::make_shared<Buffer<SquareSum::Limbs, Cuda>>(1);
    return [=] { add_squares<float>(CudaQueue(), gradients->span(), *sum->data()); };
}

Call copy_call() {
    auto from = device_tensor<float>(parameters), to = device_tensor<float>(parameters);
    return [=] { copy_array(CudaQueue(), from->data(), to->data(), parameters); };
}

constexpr double of_logits = positions * vocabulary, of_rows = positions * channels;

/// Bytes of the table's rows that are touched, each once, per element of the positions' rows:
/// those of the different ones among tokens that are drawn evenly from `drawn_from`.
double of_table(double drawn_from, double bytes) {
    const double different = -std::expm1(-static_cast<double>(positions) / drawn_from) * drawn_from;
    return bytes * different / static_cast<double>(positions);
}

const DeviceKernelRegistration registration({
    kernel("cross-entropy forward, bf16", fmt::format("{} x {}", positions, vocabulary),
           2.0 * of_logits, cross_entropy_forward_call),
    kernel("cross-entropy backward, bf16", fmt::format("{} x {}", positions, vocabulary),
           4.0 * of_logits, cross_entropy_backward_call),
    kernel("token embedding forward", fmt::format("{} x {}", positions, channels),
           (4.0 + of_table(vocabulary, 2.0)) * of_rows, embedding_forward_call),
    kernel("token embedding backward", fmt::format("{} x {}", positions, channels),
           (4.0 + of_table(vocabulary, 8.0)) * of_rows,
           [] { return embedding_backward_call(vocabulary); }),
    kernel("token embedding backward, 64 tokens", fmt::format("{} x {}", positions, channels),
           (4.0 + of_table(64, 8.0)) * of_rows, [] { return embedding_backward_call(64); }),
    kernel("adamw", fmt::format("{}", parameters), 28.0 * parameters, adamw_call),
    kernel("sum of squares", fmt::format("{}", parameters), 4.0 * parameters, squares_call),
    kernel("copy", fmt::format("{}", parameters), 8.0 * parameters, copy_call),
});

}  // namespace

}  // namespace shardstone::benchmarks
