// SPDX-License-Identifier: BSD-3-Clause
// A complete GPT on a single rank, whose units run one after the other, forward and backward.
#include "reference/model/gpt.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/base/convert.hpp"
#include "kernels/base/error.hpp"
#include "kernels/tensor/buffer.hpp"
#include "reference/model/initial_weights.hpp"

namespace shardstone::reference {

/// Buffers for a layout, and the location of each of its groups in them.
template <class Real>
struct WholeParameters {
    WholeParameters(const ParameterLayout& layout, Storage storage)
        : weights(layout.count() * storage_bytes(storage, sizeof(Real))),
          gradients(layout.count()) {
        for (const ParameterGroup& group : layout.groups()) {
            groups.push_back({weights.data() + group.first * storage_bytes(storage, sizeof(Real)),
                              gradients.data() + group.first});
        }
    }

    Buffer<std::byte> weights;  ///< in the storage type
    Buffer<Real> gradients;
    std::vector<GroupMemory<Real>> groups;
};

template <class Real>
class Gpt<Real>::Implementation {
  public:
    Implementation(const GptConfig& sizes, std::int64_t batch, std::int64_t sequence,
                   const Precision& precision)
        : config(sizes),
          storage(precision.storage),
          parameters(ParameterLayout(config), storage),
          units(static_cast<int>(config.layers) + 2),
          part(HostQueue(), config, whole_model(config),
               {.micro_batch = batch,
                .sequence = sequence,
                .storage = storage,
                .stream = precision.stream,
                .fp8_products = precision.fp8_products},
               parameters.groups) {}

    GptConfig config;
    Storage storage;
    WholeParameters<Real> parameters;
    int units;
    GptPart<Real> part;
    bool may_go_backward = false;  // backward overwrites the logits of its forward
};

template <class Real>
Gpt<Real>::Gpt(const GptConfig& config, std::int64_t micro_batch, std::int64_t sequence,
               const Precision& precision)
    : implementation_(std::make_unique<Implementation>(config, micro_batch, sequence, precision)) {}
template <class Real>
Gpt<Real>::Gpt(Gpt&&) noexcept = default;
template <class Real>
Gpt<Real>::~Gpt() = default;

template <class Real>
void Gpt<Real>::initialize(std::uint64_t seed) {
    const ParameterLayout& layout = implementation_->part.layout();
    std::vector<Real> initial(static_cast<std::size_t>(layout.count()));
    fill_initial_weights(layout, seed, 0, std::span(initial));
    set_weights(initial);
}

template <class Real>
void Gpt<Real>::set_weights(std::span<const Real> values) {
    const Buffer<Real>& gradients = implementation_->parameters.gradients;
    SHARDSTONE_EXPECTS(std::ssize(values) == gradients.size());
    with_storage<Real>(implementation_->storage, [&](auto zero) {
        using S = decltype(zero);
        narrow(values.data(), reinterpret_cast<S*>(implementation_->parameters.weights.data()),
               gradients.size());
    });
}

template <class Real>
const GptConfig& Gpt<Real>::config() const noexcept {
    return implementation_->config;
}

template <class Real>
const std::vector<ParameterInfo>& Gpt<Real>::parameters() const noexcept {
    return implementation_->part.layout().parameters();
}

template <class Real>
std::span<Real> Gpt<Real>::weights() noexcept {
    SHARDSTONE_EXPECTS(implementation_->storage == Storage::full);
    return {reinterpret_cast<Real*>(implementation_->parameters.weights.data()),
            static_cast<std::size_t>(implementation_->parameters.gradients.size())};
}

template <class Real>
std::span<Real> Gpt<Real>::gradients() noexcept {
    return implementation_->parameters.gradients.span();
}

template <class Real>
double Gpt<Real>::forward(std::span<const Token> tokens, std::span<const Target> targets) {
    GptPart<Real>& part = implementation_->part;
    part.load(0, 0, tokens, targets);
    implementation_->may_go_backward = true;
    for (int unit = 0; unit < implementation_->units; ++unit) part.run({.unit = unit});
    return part.take_losses().loss;
}

template <class Real>
void Gpt<Real>::backward(double gradient_scale) {
    SHARDSTONE_EXPECTS(implementation_->may_go_backward);
    implementation_->may_go_backward = false;
    for (int unit = implementation_->units; unit-- > 0;) {
        implementation_->part.run(
            {.pass = Pass::backward, .unit = unit, .gradient_scale = gradient_scale});
    }
}

template <class Real>
void Gpt<Real>::end_step() {
    Fp8Scales<>* const scales = implementation_->part.fp8();
    if (scales == nullptr) return;
    scales->end_step({});
    scales->begin_step({});
}

template <class Real>
std::vector<Real> Gpt<Real>::probabilities() const {
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

template <class Real>
ModelMemory Gpt<Real>::memory() const noexcept {
    return {implementation_->parameters.weights.size_bytes(),
            implementation_->parameters.gradients.size_bytes(),
            implementation_->part.activations_bytes()};
}

template class Gpt<float>;
template class Gpt<double>;

}  // namespace shardstone::reference
