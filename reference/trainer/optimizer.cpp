// SPDX-License-Identifier: BSD-3-Clause
#include "reference/trainer/optimizer.hpp"

#include <algorithm>
#include <cmath>

namespace shardstone::reference {

namespace {

/// Among the tensors of the whole model.
std::size_t number_of(const ParameterInfo& tensor, const ParameterLayout& whole) {
    const auto found = std::ranges::find(whole.parameters(), tensor.name, &ParameterInfo::name);
    return static_cast<std::size_t>(found - whole.parameters().begin());
}

}  // namespace

template <class Real>
Optimizer<Real>::Optimizer(const TrainOptions& options, const ParameterLayout& layout,
                           ParameterMemory<Real>& memory, const Coordinates& at)
    : options_(options),
      rate_(learning_rate_of(options)),
      layout_(layout),
      memory_(memory),
      at_(at),
      counted_(pieces_of(owned_shares(layout, options, at.data), true)),
      updated_(pieces_of(memory.owned().ranges(), false)) {
    const OptimizerTraits& traits = traits_of(options.optimizer.kind);
    if (traits.moments > 0) first_moments_ = Buffer<Real>(memory.owned().count());
    if (traits.moments > 1) second_moments_ = Buffer<Real>(memory.owned().count());
    if (traits.adapts) {
        tensor_squares_.resize(static_cast<std::size_t>(tensor_count(options.model)));
    }
}

template <class Real>
bool Optimizer<Real>::is_frozen(const ParameterInfo& tensor) const {
    return std::ranges::any_of(
        options_.frozen, [&](const std::string& name) { return tensor.name.starts_with(name); });
}

template <class Real>
std::vector<typename Optimizer<Real>::Piece> Optimizer<Real>::pieces_of(
    const std::vector<Range>& ranges, bool counting) const {
    const OwnedRanges all(ranges);
    const ParameterLayout whole(options_.model);
    std::vector<Piece> pieces;
    for (const ParameterInfo& tensor : layout_.parameters()) {
        const bool counted_elsewhere = tensor.copy || (tensor.replicated && at_.tensor > 0);
        if (is_frozen(tensor) || (counting && counted_elsewhere)) continue;
        const std::size_t number = number_of(tensor, whole);
        for (const Range& range : all.within({tensor.offset, tensor.count})) {
            pieces.push_back({range, tensor.decay, number});
        }
    }
    return pieces;
}

template <class Real>
SquareSum Optimizer<Real>::squares() {
    SquareSum sum;
    for (const Piece& piece : counted_) {
        sum.add(std::span<const Real>(memory_.gradients(piece.range)));
    }
    return sum;
}

template <class Real>
typename Optimizer<Real>::Report Optimizer<Real>::begin_update(std::int64_t step,
                                                               const SquareSum& squares) {
    const Report report{std::sqrt(squares.value()), rate_.at(step)};
    now_.step = step;
    now_.learning_rate = report.learning_rate;
    now_.gradient_scale = clipping_factor(report.gradient_norm, options_.optimizer.clip);
    if (tensor_squares_.empty()) return report;
    for (const Piece& piece : updated_) {
        prepare_update(options_.optimizer, step_of(piece), range_of(piece));
    }
    std::ranges::fill(tensor_squares_, TensorSquares{});
    for (const Piece& piece : counted_) {
        if (!adapts(piece)) continue;
        add_squares(options_.optimizer, step_of(piece), range_of(piece),
                    tensor_squares_[piece.tensor]);
    }
    return report;
}

template <class Real>
void Optimizer<Real>::end_update() {
    for (const Piece& piece : updated_) {
        OptimizerStep step = step_of(piece);
        if (adapts(piece)) {
            step.ratio = trust_ratio(options_.optimizer, step, tensor_squares_[piece.tensor]);
        }
        update_range(options_.optimizer, step, range_of(piece));
    }
}

template <class Real>
std::span<Real> Optimizer<Real>::part(Buffer<Real>& moments, const Range& owned) const {
    if (moments.size() == 0) return {};
    return moments.span().subspan(static_cast<std::size_t>(memory_.owned().place(owned.first)),
                                  static_cast<std::size_t>(owned.count));
}

template <class Real>
OptimizerStep Optimizer<Real>::step_of(const Piece& piece) const {
    OptimizerStep step = now_;
    step.weight_decay = piece.decay ? options_.optimizer.weight_decay : 0.0;
    return step;
}

template <class Real>
ParameterRange<Real> Optimizer<Real>::range_of(const Piece& piece) {
    return {memory_.weights(piece.range), memory_.gradients(piece.range),
            first_moments(piece.range), second_moments(piece.range)};
}

template <class Real>
std::int64_t Optimizer<Real>::memory_bytes() const {
    return first_moments_.size_bytes() + second_moments_.size_bytes();
}

template class Optimizer<float>;
template class Optimizer<double>;

}  // namespace shardstone::reference
