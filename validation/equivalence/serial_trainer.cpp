// SPDX-License-Identifier: BSD-3-Clause
#include "validation/equivalence/serial_trainer.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/optimizer/gradient_norm.hpp"
#include "kernels/optimizer/optimizer.hpp"
#include "reference/model/initial_weights.hpp"

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

}  // namespace

template <class Real>
SerialTrainer<Real>::SerialTrainer(const TrainOptions& options, const Dataset& dataset)
    : options_(options),
      layout_(options.model),
      pass_gradients_(static_cast<std::size_t>(layout_.count())),
      model_(options.model, whole_model(options.model),
             {.micro_batch = options.batch.micro_batch, .sequence = options.batch.sequence},
             memory(), alone_),
      sampler_(dataset.train(), options.batch.sequence, options.seed, options.batch.shortest),
      sums_(pass_gradients_.size()) {
    fill_initial_weights<Real>(layout_, options.seed, 0, state_.weights);
    const int moments = traits_of(options.optimizer.kind).moments;
    if (moments > 0) state_.first_moments.resize(state_.weights.size());
    if (moments > 1) state_.second_moments.resize(state_.weights.size());
}

/// The model keeps pointing into the weights' memory, which therefore stays where it is.
template <class Real>
std::vector<GroupMemory<Real>> SerialTrainer<Real>::memory() {
    state_.weights.resize(pass_gradients_.size());
    std::vector<GroupMemory<Real>> memory;
    for (const ParameterGroup& group : layout_.groups()) {
        memory.push_back(
            {state_.weights.data() + group.first, pass_gradients_.data() + group.first});
    }
    return memory;
}

template <class Real>
void SerialTrainer<Real>::set_state(const ModelState<Real>& state) {
    std::ranges::copy(state.weights, state_.weights.begin());
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
void SerialTrainer<Real>::pass(std::int64_t step, std::int64_t first, double scale,
                               Gradients<Real>& to) {
    std::vector<Token> inputs(static_cast<std::size_t>(options_.batch.micro_tokens()));
    std::vector<Target> targets(inputs.size());
    sampler_.fill(step - 1, first, inputs, targets);
    model_.load(0, 0, inputs, targets);
    const auto units = whole_model(options_.model).chunks.front().units();
    const auto count = static_cast<int>(units.size());
    double loss = 0.0;
    for (int unit = 0; unit < count; ++unit) loss += model_.forward(0, unit, 0);
    to.losses.push_back(loss * scale);
    for (int unit = count - 1; unit >= 0; --unit) {
        model_.backward(0, unit, 0, 0, scale);
        add_unit(units[static_cast<std::size_t>(unit)], to);
    }
}

template <class Real>
Gradients<Real> SerialTrainer<Real>::gradients(std::int64_t step) {
    const std::int64_t batch = options_.batch.global_batch;
    const double scale = 1.0 / static_cast<double>(sampler_.counting_targets(step - 1, 0, batch));
    Gradients<Real> result;
    result.values.resize(sums_.size());
    result.magnitudes.assign(sums_.size(), 0.0);
    std::ranges::fill(sums_, ExactPair{});
    for (std::int64_t first = 0; first < batch; first += options_.batch.micro_batch) {
        pass(step, first, scale, result);
    }
    ExactPair loss;
    const double limit = exact_term_limit(terms_of(options_));
    for (const double part : result.losses) add_exactly(part, limit, loss);
    result.loss = loss.value();
    round_sums(std::span<const ExactPair>(sums_), std::span<Real>(result.values));
    return result;
}

template <class Real>
double SerialTrainer<Real>::norm(const std::vector<Real>& gradients) const {
    SquareSum squares;
    for (const ParameterInfo& tensor : layout_.parameters()) {
        if (!is_frozen(tensor)) squares.add(validation::part_of(gradients, tensor));
    }
    return std::sqrt(squares.value());
}

template <class Real>
void SerialTrainer<Real>::update(std::int64_t step, const std::vector<Real>& gradients,
                                 double norm) {
    const OptimizerOptions& how = options_.optimizer;
    OptimizerStep now{.step = step, .learning_rate = learning_rate_of(options_).at(step)};
    now.gradient_scale = clipping_factor(norm, how.clip);
    for (const ParameterInfo& tensor : layout_.parameters()) {
        if (is_frozen(tensor)) continue;
        now.weight_decay = tensor.decay ? how.weight_decay : 0.0;
        now.ratio = 1.0;
        const ParameterRange<Real> all{validation::part_of(state_.weights, tensor),
                                       validation::part_of(gradients, tensor),
                                       validation::part_of(state_.first_moments, tensor),
                                       validation::part_of(state_.second_moments, tensor)};
        prepare_update(how, now, all);
        if (traits_of(how.kind).adapts && tensor.decay) {
            TensorSquares squares;
            add_squares(how, now, all, squares);
            now.ratio = trust_ratio(how, now, squares);
        }
        update_range(how, now, all);
    }
}

template <class Real>
StepState<Real> SerialTrainer<Real>::step(std::int64_t step) {
    const Gradients<Real> found = gradients(step);
    const double length = norm(found.values);
    update(step, found.values, length);
    StepState<Real> result{found.loss, length, state_};
    result.model.gradients = found.values;
    return result;
}

template class SerialTrainer<float>;
template class SerialTrainer<double>;

}  // namespace shardstone::validation
