// SPDX-License-Identifier: BSD-3-Clause
#include "reference/model/gpt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/error.hpp"
#include "kernels/transformer/embedding.hpp"
#include "reference/model/attention_branch.hpp"
#include "reference/model/head.hpp"
#include "reference/model/initial_weights.hpp"
#include "reference/model/mlp_branch.hpp"

namespace shardstone::reference {

namespace {

const GptConfig& checked(const GptConfig& config, std::int64_t batch, std::int64_t sequence) {
    config.validate();
    require(batch > 0 && sequence > 0 && sequence <= config.context, [&] {
        return fmt::format(
            "micro-batch {} of sequence length {} for model '{}': give at least one "
            "sequence of 1 to {} tokens",
            batch, sequence, config.name, config.context);
    });
    return config;
}

}  // namespace

template <class Real>
class Gpt<Real>::Implementation {
  public:
    Implementation(const GptConfig& sizes, std::int64_t batch, std::int64_t sequence)
        : config(checked(sizes, batch, sequence)),
          layout(config),
          weights(layout.count()),
          gradients(layout.count()),
          activations(config, batch, sequence),
          head(layout, config, buffers()),
          tokens(static_cast<std::size_t>(rows())),
          targets(tokens.size()) {
        for (std::int64_t layer = 0; layer < config.layers; ++layer) {
            attention.emplace_back(layout.block(layer), buffers());
            mlp.emplace_back(layout.block(layer), buffers());
        }
    }

    ParameterBuffers<Real> buffers() { return {weights.data(), gradients.data()}; }
    Matrix<Real> token_table(Buffer<Real>& buffer) const {
        return matrix(buffer.data() + layout.token_embedding(), config.vocabulary, config.channels);
    }
    Matrix<Real> position_table(Buffer<Real>& buffer) const {
        return matrix(buffer.data() + layout.position_embedding(), config.context, config.channels);
    }
    std::int64_t rows() const { return activations.embedded.rows; }
    std::int64_t sequence() const { return activations.attention_shape.sequence; }

    /// The residual stream that enters a layer; that of layer L leaves the last block.
    Matrix<Real> stream(std::size_t layer) const {
        return layer == 0 ? activations.embedded : activations.mlp[layer - 1].out;
    }

    void keep(std::span<const Token> given, std::vector<Token>& kept, const char* what) const;
    double forward();
    void backward(Real gradient_scale, ReadyPrefix& ready);

    GptConfig config;
    ParameterLayout layout;
    Buffer<Real> weights, gradients;
    Activations<Real> activations;
    Head<Real> head;
    std::vector<AttentionBranch<Real>> attention;
    std::vector<MlpBranch<Real>> mlp;
    std::vector<Token> tokens, targets;  // of the last forward
    bool may_go_backward = false;        // backward overwrites the logits of its forward
};

template <class Real>
void Gpt<Real>::Implementation::keep(std::span<const Token> given, std::vector<Token>& kept,
                                     const char* what) const {
    require(static_cast<std::int64_t>(given.size()) == rows(), [&] {
        return fmt::format("{} {} for a micro-batch of {} positions: give one for each",
                           given.size(), what, rows());
    });
    const Token largest = *std::ranges::max_element(given);
    require(largest < config.vocabulary, [&] {
        return fmt::format(
            "token {} among the {}, but model '{}' has a vocabulary of {}: prepare "
            "the data with the model's tokens",
            largest, what, config.name, config.vocabulary);
    });
    std::ranges::copy(given, kept.begin());
}

template <class Real>
double Gpt<Real>::Implementation::forward() {
    embedding_forward<Real>(tokens, sequence(), token_table(weights), position_table(weights),
                            activations.embedded);
    for (std::size_t layer = 0; layer < attention.size(); ++layer) {
        attention[layer].forward(activations.attention_shape, stream(layer),
                                 activations.attention[layer], activations.workspace.attention);
        mlp[layer].forward(activations.attention[layer].out, activations.mlp[layer]);
    }
    return head.forward(stream(attention.size()), targets, activations.head);
}

template <class Real>
void Gpt<Real>::Implementation::backward(Real gradient_scale, ReadyPrefix& ready) {
    const Workspace<Real>& workspace = activations.workspace;
    head.backward(stream(attention.size()), targets, activations.head, workspace, gradient_scale,
                  ready);
    for (std::size_t layer = attention.size(); layer-- > 0;) {
        mlp[layer].backward(activations.attention[layer].out, activations.mlp[layer], workspace,
                            ready);
        attention[layer].backward(activations.attention_shape, stream(layer),
                                  activations.attention[layer], workspace, ready);
    }
    embedding_backward<Real>(tokens, sequence(), workspace.d_residual, token_table(gradients),
                             position_table(gradients));
    ready.advance(layout.count());
}

template <class Real>
Gpt<Real>::Gpt(const GptConfig& config, std::int64_t micro_batch, std::int64_t sequence)
    : implementation_(std::make_unique<Implementation>(config, micro_batch, sequence)) {}
template <class Real>
Gpt<Real>::Gpt(Gpt&&) noexcept = default;
template <class Real>
Gpt<Real>::~Gpt() = default;

template <class Real>
void Gpt<Real>::initialize(std::uint64_t seed) {
    fill_initial_weights(implementation_->layout, seed, implementation_->weights.span());
}

template <class Real>
const GptConfig& Gpt<Real>::config() const noexcept {
    return implementation_->config;
}

template <class Real>
const std::vector<ParameterInfo>& Gpt<Real>::parameters() const noexcept {
    return implementation_->layout.parameters();
}

template <class Real>
std::span<Real> Gpt<Real>::weights() noexcept {
    return implementation_->weights.span();
}

template <class Real>
std::span<Real> Gpt<Real>::gradients() noexcept {
    return implementation_->gradients.span();
}

template <class Real>
double Gpt<Real>::forward(std::span<const Token> tokens, std::span<const Token> targets) {
    implementation_->keep(tokens, implementation_->tokens, "tokens");
    implementation_->keep(targets, implementation_->targets, "targets");
    implementation_->may_go_backward = true;
    return implementation_->forward();
}

template <class Real>
void Gpt<Real>::backward(double gradient_scale, const Ready& ready) {
    SHARDSTONE_EXPECTS(implementation_->may_go_backward);
    implementation_->may_go_backward = false;
    ReadyPrefix prefix(ready);
    implementation_->backward(static_cast<Real>(gradient_scale), prefix);
}

template <class Real>
std::vector<Real> Gpt<Real>::probabilities() const {
    const HeadActivations<Real>& head = implementation_->activations.head;
    std::vector<Real> result;
    result.reserve(static_cast<std::size_t>(head.logits.rows * head.logits.columns));
    for (std::int64_t r = 0; r < head.logits.rows; ++r) {
        const Real* row = head.logits.row(r);
        for (std::int64_t v = 0; v < head.logits.columns; ++v) {
            result.push_back(std::exp(row[v] - head.log_sum_exp[r]));
        }
    }
    return result;
}

template <class Real>
ModelMemory Gpt<Real>::memory() const noexcept {
    const auto tokens_bytes = static_cast<std::int64_t>(
        (implementation_->tokens.size() + implementation_->targets.size()) * sizeof(Token));
    return {implementation_->weights.size_bytes(), implementation_->gradients.size_bytes(),
            implementation_->activations.size_bytes() + tokens_bytes};
}

template class Gpt<float>;
template class Gpt<double>;

}  // namespace shardstone::reference
