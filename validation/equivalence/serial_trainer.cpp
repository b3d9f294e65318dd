// SPDX-License-Identifier: BSD-3-Clause
// The plain training loop on one rank that every parallel layout has to reproduce.
#include "validation/equivalence/serial_trainer.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/base/convert.hpp"
#include "kernels/base/error.hpp"
#include "reference/model/experts/row_assignment.hpp"
#include "validation/equivalence/serial_rules.hpp"
#include "validation/oracle/initial_weights.hpp"
#include "validation/oracle/stochastic_rounding.hpp"

namespace shardstone::validation {

using namespace reference;

namespace {

/// Of some tensors; empty if there is nothing to be part of.
template <class T>
auto part_of(std::vector<T>& all, const ParameterInfo& tensor) {
    if (all.empty()) return std::span<T>();
    return std::span(all).subspan(static_cast<std::size_t>(tensor.offset),
                                  static_cast<std::size_t>(tensor.count));
}

template <class T>
std::span<const T> part_of(const std::vector<T>& all, const ParameterInfo& tensor) {
    return std::span(all).subspan(static_cast<std::size_t>(tensor.offset),
                                  static_cast<std::size_t>(tensor.count));
}

std::vector<std::vector<Token>> copy_of(const TokenPieces& pieces) {
    std::vector<std::vector<Token>> copies;
    for (const TokenPiece& piece : pieces) copies.push_back(piece.all());
    return copies;
}

std::vector<oracle::SampleOrder::Piece> views_of(const std::vector<std::vector<Token>>& pieces) {
    return {pieces.begin(), pieces.end()};
}

}  // namespace

template <class Real>
SerialTrainer<Real>::SerialTrainer(const TrainOptions& options, const Dataset& dataset)
    : options_(options),
      layout_(options.model),
      stored_(layout_.count() * storage_bytes(options.precision.storage, sizeof(Real))),
      pass_gradients_(static_cast<std::size_t>(layout_.count())),
      loss_scale_(options.precision.scaling),
      model_(HostQueue(), options.model, whole_model(options.model),
             {.micro_batch = options.batch.micro_batch,
              .sequence = options.batch.sequence,
              .storage = options.precision.storage,
              .stream = options.precision.stream,
              .fp8_products = options.precision.fp8_products},
             memory()),
      text_(copy_of(dataset.train())),
      experts_(expert_part(options.model, whole_model(options.model), options.batch.micro_batch,
                           options.batch.sequence)),
      order_(views_of(text_), options.batch.sequence, options.seed, options.batch.shortest),
      sums_(pass_gradients_.size()) {
    if (options.model.experts.any()) {
        const auto layers = static_cast<std::size_t>(options.model.layers);
        routes_.assign(static_cast<std::size_t>(options.batch.global_micro_batches()),
                       std::vector<RoutedPositions>(layers));
    }
    for (const ParameterInfo& tensor : layout_.parameters()) {
        const auto drawn =
            oracle::initial_weights(options.seed, tensor.name, tensor.count, options.model.layers);
        state_.weights.insert(state_.weights.end(), drawn.begin(), drawn.end());
    }
    store_weights(0);
    const int moments = moments_of(options.optimizer.kind);
    if (moments > 0) state_.first_moments.resize(state_.weights.size());
    if (moments > 1) state_.second_moments.resize(state_.weights.size());
}

template <class Real>
std::vector<GroupMemory<Real>> SerialTrainer<Real>::memory() {
    const std::int64_t each = storage_bytes(options_.precision.storage, sizeof(Real));
    std::vector<GroupMemory<Real>> memory;
    for (const ParameterGroup& group : layout_.groups()) {
        memory.push_back(
            {stored_.data() + each * group.first, pass_gradients_.data() + group.first});
    }
    return memory;
}

template <class Real>
void SerialTrainer<Real>::store_weights(std::int64_t step) {
    with_storage<Real>(options_.precision.storage,
                       [&](auto zero) { store_as<decltype(zero)>(step); });
    if (!options_.precision.master_weights) state_.weights = stored_weights();
}

template <class Real>
template <class S>
void SerialTrainer<Real>::store_as(std::int64_t step) {
    auto* const to = reinterpret_cast<S*>(stored_.data());
    narrow(state_.weights.data(), to, layout_.count());
    if constexpr (std::is_same_v<S, bf16>) {
        if (!options_.precision.stochastic_rounding || step == 0) return;
        for (const ParameterInfo& tensor : layout_.parameters()) {
            const auto values = validation::part_of(state_.weights, tensor);
            for (std::int64_t i = 0; i < tensor.count; ++i) {
                to[tensor.offset + i].bits = oracle::round_stochastically(
                    static_cast<float>(values[i]), options_.seed, tensor.name, step, i);
            }
        }
    }
}

template <class Real>
std::vector<Real> SerialTrainer<Real>::stored_weights() const {
    std::vector<Real> values(state_.weights.size());
    with_storage<Real>(options_.precision.storage, [&](auto zero) {
        widen(reinterpret_cast<const decltype(zero)*>(stored_.data()), values.data(),
              layout_.count());
    });
    return values;
}

template <class Real>
void SerialTrainer<Real>::set_state(const ModelState<Real>& state) {
    state_.weights = state.weights;
    store_weights(0);
    state_.first_moments = state.first_moments;
    state_.second_moments = state.second_moments;
}

template <class Real>
bool SerialTrainer<Real>::is_frozen(const ParameterInfo& tensor) const {
    return std::ranges::any_of(
        options_.frozen, [&](const std::string& name) { return tensor.name.starts_with(name); });
}

template <class Real>
void SerialTrainer<Real>::add_unit(const Unit& unit, Gradients<Real>& to) {
    const double limit = exact_term_limit(terms_of(options_));
    for (const std::size_t g : layout_.groups_of(unit)) {
        const ParameterGroup& group = layout_.groups()[g];
        const auto first = static_cast<std::size_t>(group.first);
        const auto count = static_cast<std::size_t>(group.count);
        const std::span<Real> terms = std::span(pass_gradients_).subspan(first, count);
        add_exactly(std::span<const Real>(terms), limit, std::span(sums_).subspan(first, count));
        for (std::size_t i = 0; i < count; ++i) {
            to.magnitudes[first + i] += std::abs(static_cast<double>(terms[i]));
        }
        std::ranges::fill(terms, Real(0));
    }
}

template <class Real>
void SerialTrainer<Real>::choose(std::int64_t micro_batch, std::int64_t layer) {
    const Routing<Real> routing = model_.routing(0, static_cast<int>(layer), 0);
    RoutedPositions positions = routed_positions(routing);
    const auto own = positions.choices;
    const auto m = static_cast<std::size_t>(micro_batch), l = static_cast<std::size_t>(layer);
    if (!followed_.empty()) positions.choices = followed_[m][l].choices;
    for (const Turn& turn : turns_) {
        if (turn.micro_batch == micro_batch && turn.layer == layer) turn_to(positions, turn);
    }
    if (positions.choices != own) {
        for (std::int64_t n = 0; n < positions.count(); ++n) {
            std::copy_n(positions.choices.data() + n * positions.top_k, positions.top_k,
                        routing.choices.row(n));
        }
        count_picks<Real>(HostQueue(), experts_, routing.choices, routing.picks);
    }
    routes_[m][l] = std::move(positions);
}

template <class Real>
void SerialTrainer<Real>::forward(std::int64_t micro_batch, int unit) {
    const auto& phases = model_.phases(0, unit, Pass::forward);
    const auto route = std::ranges::find(phases, Computation::route, &UnitPhase::computation);
    if (route == phases.end()) {
        model_.run({.unit = unit});
        return;
    }
    const auto routed = static_cast<int>(route - phases.begin()) + 1;
    model_.compute({.unit = unit}, {0, routed});
    choose(micro_batch, unit - 1);  // the first unit is the embedding
    model_.compute({.unit = unit}, {routed, static_cast<int>(phases.size()) - routed});
}

template <class Real>
void SerialTrainer<Real>::pass(std::int64_t step, std::int64_t micro_batch, double scale,
                               Gradients<Real>& to) {
    std::vector<Token> inputs(static_cast<std::size_t>(options_.batch.micro_tokens()));
    std::vector<Target> targets(inputs.size());
    for (std::int64_t b = 0; b < options_.batch.micro_batch; ++b) {
        const std::int64_t row = b * options_.batch.sequence;
        order_.write(step - 1, micro_batch * options_.batch.micro_batch + b, inputs.data() + row,
                     targets.data() + row);
    }
    model_.load(0, 0, inputs, targets);
    const auto units = whole_model(options_.model).chunks.front().units();
    const auto count = static_cast<int>(units.size());
    for (int unit = 0; unit < count; ++unit) forward(micro_batch, unit);
    to.losses.push_back(model_.take_losses().loss * scale);
    for (int unit = count - 1; unit >= 0; --unit) {
        model_.run(
            {.pass = Pass::backward, .unit = unit, .gradient_scale = scale * loss_scale_.value()});
        add_unit(units[static_cast<std::size_t>(unit)], to);
    }
}

template <class Real>
Gradients<Real> SerialTrainer<Real>::gradients(std::int64_t step) {
    Fp8Scales<>* const fp8 = model_.fp8();
    if (fp8 != nullptr) fp8->begin_step({});
    Gradients<Real> all = sum_of(step, 0, options_.batch.global_micro_batches());
    if (fp8 != nullptr) fp8->end_step({});
    return all;
}

template <class Real>
Gradients<Real> SerialTrainer<Real>::gradients_of(std::int64_t step, std::int64_t micro_batch) {
    SHARDSTONE_EXPECTS(model_.fp8() == nullptr);
    return sum_of(step, micro_batch, 1);
}

template <class Real>
Gradients<Real> SerialTrainer<Real>::sum_of(std::int64_t step, std::int64_t first,
                                            std::int64_t count) {
    std::int64_t targets = 0;
    for (std::int64_t i = 0; i < options_.batch.global_batch; ++i) {
        targets += order_.length(step - 1, i);
    }
    const double scale = 1.0 / static_cast<double>(targets);
    Gradients<Real> result;
    result.values.resize(sums_.size());
    result.magnitudes.assign(sums_.size(), 0.0);
    std::ranges::fill(sums_, ExactPair{});
    for (std::int64_t m = first; m < first + count; ++m) pass(step, m, scale, result);
    ExactPair loss;
    const double limit = exact_term_limit(terms_of(options_));
    for (const double part : result.losses) add_exactly(part, limit, loss);
    result.loss = loss.value();
    round_sums(std::span<const ExactPair>(sums_), std::span<Real>(result.values));
    const double unscale = 1.0 / loss_scale_.value();
    for (Real& value : result.values) value *= static_cast<Real>(unscale);
    for (double& magnitude : result.magnitudes) magnitude *= unscale;
    return result;
}

template <class Real>
double SerialTrainer<Real>::norm(const std::vector<Real>& gradients) const {
    oracle::Norm norm;
    for (const ParameterInfo& tensor : layout_.parameters()) {
        if (!is_frozen(tensor)) norm.add(validation::part_of(gradients, tensor));
    }
    return norm.value();
}

template <class Real>
void SerialTrainer<Real>::update(std::int64_t step, const std::vector<Real>& gradients,
                                 double norm) {
    oracle::UpdateRule rule = update_rule(options_, step, norm);
    for (const ParameterInfo& tensor : layout_.parameters()) {
        if (is_frozen(tensor)) continue;
        rule.matrix = oracle::is_matrix(tensor.name);
        rule.decay = rule.matrix ? options_.optimizer.weight_decay : 0.0;
        oracle::update<Real>(rule, {validation::part_of(state_.weights, tensor),
                                    validation::part_of(gradients, tensor),
                                    validation::part_of(state_.first_moments, tensor),
                                    validation::part_of(state_.second_moments, tensor)});
    }
    store_weights(step);
}

template <class Real>
StepState<Real> SerialTrainer<Real>::step(std::int64_t step) {
    const Gradients<Real> found = gradients(step);
    const double length = norm(found.values);
    const bool overflows = options_.overflow.step == step;
    const bool skipped = skips(!overflows && std::isfinite(length));
    if (!skipped) update(step, found.values, length);
    StepState<Real> result{found.loss, length, state_, skipped};
    result.model.gradients = found.values;
    return result;
}

template class SerialTrainer<float>;
template class SerialTrainer<double>;

}  // namespace shardstone::validation
