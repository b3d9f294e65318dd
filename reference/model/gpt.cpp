// SPDX-License-Identifier: BSD-3-Clause
// A complete GPT on a single rank, whose units run one after the other, forward and backward.
#include "reference/model/gpt.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/base/convert.hpp"
#include "kernels/base/error.hpp"
#include "kernels/tensor/arrays.hpp"
#include "kernels/tensor/buffer.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/transformer/narrow_rows.hpp"
#include "reference/model/initial_weights.hpp"

namespace shardstone::reference {

/// Buffers for a layout, and the location of each of its groups in them.
template <class Real, class Space>
struct WholeParameters {
    WholeParameters(const ParameterLayout& layout, Storage storage)
        : weights(layout.count() * storage_bytes(storage, sizeof(Real))),
          gradients(layout.count()) {
        for (const ParameterGroup& group : layout.groups()) {
            groups.push_back({weights.data() + group.first * storage_bytes(storage, sizeof(Real)),
                              gradients.data() + group.first});
        }
    }

    Buffer<std::byte, Space> weights;  ///< in the storage type
    Buffer<Real, Space> gradients;
    std::vector<GroupMemory<Real>> groups;
};

template <class Real, class Space>
class Gpt<Real, Space>::Implementation {
  public:
    Implementation(const GptConfig& sizes, std::int64_t batch, std::int64_t sequence,
                   const Precision& precision)
        : config(sizes),
          storage(precision.storage),
          parameters(ParameterLayout(config), storage),
          units(static_cast<int>(config.layers) + 2),
          part(queue, config, whole_model(config),
               {.micro_batch = batch,
                .sequence = sequence,
                .storage = storage,
                .stream = precision.stream,
                .fp8_products = precision.fp8_products},
               parameters.groups) {}

    typename Space::Queue queue;
    GptConfig config;
    Storage storage;
    WholeParameters<Real, Space> parameters;
    int units;
    GptPart<Real, Space> part;
    bool may_go_backward = false;  // backward overwrites the logits of its forward
};

template <class Real, class Space>
Gpt<Real, Space>::Gpt(const GptConfig& config, std::int64_t micro_batch, std::int64_t sequence,
                      const Precision& precision)
    : implementation_(std::make_unique<Implementation>(config, micro_batch, sequence, precision)) {}
template <class Real, class Space>
Gpt<Real, Space>::Gpt(Gpt&&) noexcept = default;
template <class Real, class Space>
Gpt<Real, Space>::~Gpt() = default;

template <class Real, class Space>
void Gpt<Real, Space>::initialize(std::uint64_t seed) {
    const ParameterLayout& layout = implementation_->part.layout();
    std::vector<Real> initial(static_cast<std::size_t>(layout.count()));
    fill_initial_weights(layout, seed, 0, std::span(initial));
    set_weights(initial);
}

template <class Real, class Space>
void Gpt<Real, Space>::set_weights(std::span<const Real> values) {
    const std::int64_t count = implementation_->parameters.gradients.size();
    SHARDSTONE_EXPECTS(std::ssize(values) == count);
    with_storage<Real>(implementation_->storage, [&](auto zero) {
        using S = decltype(zero);
        std::vector<S> rounded(values.size());
        narrow(values.data(), rounded.data(), count);
        write_array<S>(implementation_->queue, rounded.data(),
                       reinterpret_cast<S*>(implementation_->parameters.weights.data()), count);
    });
}

template <class Real, class Space>
void Gpt<Real, Space>::store_weights(Span<const Real> values) {
    const std::int64_t count = implementation_->parameters.gradients.size();
    SHARDSTONE_EXPECTS(values.size() == static_cast<std::size_t>(count));
    with_storage<Real>(implementation_->storage, [&](auto zero) {
        using S = decltype(zero);
        auto* const stored = reinterpret_cast<S*>(implementation_->parameters.weights.data());
        narrow_rows<S>(implementation_->queue, matrix<Space>(values.data(), 1, count),
                       matrix<Space>(stored, 1, count));
    });
}

template <class Real, class Space>
const GptConfig& Gpt<Real, Space>::config() const noexcept {
    return implementation_->config;
}

template <class Real, class Space>
const std::vector<ParameterInfo>& Gpt<Real, Space>::parameters() const noexcept {
    return implementation_->part.layout().parameters();
}

template <class Real, class Space>
auto Gpt<Real, Space>::weights() noexcept -> Span<Real> {
    SHARDSTONE_EXPECTS(implementation_->storage == Storage::full);
    return {reinterpret_cast<Real*>(implementation_->parameters.weights.data()),
            static_cast<std::size_t>(implementation_->parameters.gradients.size())};
}

template <class Real, class Space>
auto Gpt<Real, Space>::gradients() noexcept -> Span<Real> {
    return implementation_->parameters.gradients.span();
}

template <class Real, class Space>
double Gpt<Real, Space>::forward(std::span<const Token> tokens, std::span<const Target> targets) {
    enqueue_forward(tokens, targets);
    return loss();
}

template <class Real, class Space>
void Gpt<Real, Space>::enqueue_forward(std::span<const Token> tokens,
                                       std::span<const Target> targets) {
    GptPart<Real, Space>& part = implementation_->part;
    clear_array(implementation_->queue, part.losses(), 1);  // to which the head adds
    part.load(0, 0, tokens, targets);
    implementation_->may_go_backward = true;
    for (int unit = 0; unit < implementation_->units; ++unit) part.run({.unit = unit});
}

template <class Real, class Space>
double Gpt<Real, Space>::loss() {
    return read_array(implementation_->queue, implementation_->part.losses(), 1).front().loss;
}

template <class Real, class Space>
void Gpt<Real, Space>::backward(double gradient_scale) {
    SHARDSTONE_EXPECTS(implementation_->may_go_backward);
    implementation_->may_go_backward = false;
    for (int unit = implementation_->units; unit-- > 0;) {
        implementation_->part.run(
            {.pass = Pass::backward, .unit = unit, .gradient_scale = gradient_scale});
    }
}

template <class Real, class Space>
void Gpt<Real, Space>::end_step() {
    Fp8Scales<Space>* const scales = implementation_->part.fp8();
    if (scales == nullptr) return;
    scales->end_step({});
    scales->begin_step({});
}

template <class Real, class Space>
std::vector<Real> Gpt<Real, Space>::probabilities() const {
    std::vector<Real> result = implementation_->part.logits(0);
    const auto columns = static_cast<std::size_t>(implementation_->config.vocabulary);
    for (std::size_t first = 0; first < result.size(); first += columns) {
        const std::span row = std::span(result).subspan(first, columns);
        const double highest = *std::ranges::max_element(row);
        double sum = 0.0;
        for (const Real logit : row) sum += std::exp(static_cast<double>(logit) - highest);
        for (Real& logit : row) {
            logit = static_cast<Real>(std::exp(static_cast<double>(logit) - highest) / sum);
        }
    }
    return result;
}

template <class Real, class Space>
ModelMemory Gpt<Real, Space>::memory() const noexcept {
    return {implementation_->parameters.weights.size_bytes(),
            implementation_->parameters.gradients.size_bytes(),
            implementation_->part.activations_bytes()};
}

template class Gpt<float>;
template class Gpt<double>;
#ifdef SHARDSTONE_HAS_CUDA
template class Gpt<float, Cuda>;
#endif

}  // namespace shardstone::reference
