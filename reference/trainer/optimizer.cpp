// SPDX-License-Identifier: BSD-3-Clause
#include "reference/trainer/optimizer.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/optimizer/adamw.hpp"
#include "kernels/optimizer/sgd.hpp"

namespace shardstone::reference {

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
    if (options_.optimizer.kind == OptimizerKind::sgd) return;
    first_moments_ = Buffer<Real>(memory.owned().count());
    second_moments_ = Buffer<Real>(memory.owned().count());
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
    std::vector<Piece> pieces;
    for (const ParameterInfo& tensor : layout_.parameters()) {
        const bool counted_elsewhere = tensor.copy || (tensor.replicated && at_.tensor > 0);
        if (is_frozen(tensor) || (counting && counted_elsewhere)) continue;
        for (const Range& range : all.within({tensor.offset, tensor.count})) {
            pieces.push_back({range, tensor.decay});
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
typename Optimizer<Real>::Report Optimizer<Real>::update(std::int64_t step,
                                                         const SquareSum& squares) {
    const Report report{std::sqrt(squares.value()), rate_.at(step)};
    const double factor = clipping_factor(report.gradient_norm, options_.optimizer.clip);
    for (const Piece& piece : updated_) update_piece(piece, step, report, factor);
    return report;
}

template <class Real>
std::span<Real> Optimizer<Real>::part(Buffer<Real>& moments, const Range& owned) const {
    if (moments.size() == 0) return {};
    return moments.span().subspan(static_cast<std::size_t>(memory_.owned().place(owned.first)),
                                  static_cast<std::size_t>(owned.count));
}

template <class Real>
void Optimizer<Real>::update_piece(const Piece& piece, std::int64_t step, const Report& report,
                                   double clip_factor) {
    const OptimizerOptions& how = options_.optimizer;
    const double decay = piece.decay ? how.weight_decay : 0.0;
    const auto weights = memory_.weights(piece.range);
    const std::span<const Real> gradients = memory_.gradients(piece.range);
    if (how.kind == OptimizerKind::sgd) {
        sgd_update(SgdStep{report.learning_rate, decay, clip_factor}, weights, gradients);
        return;
    }
    const AdamwSettings settings{how.beta1, how.beta2, AdamwSettings{}.epsilon, decay};
    adamw_update(settings, AdamwStep{step, report.learning_rate, clip_factor},
                 AdamwRange<Real>{weights, gradients, first_moments(piece.range),
                                  second_moments(piece.range)});
}

template <class Real>
std::int64_t Optimizer<Real>::memory_bytes() const {
    return first_moments_.size_bytes() + second_moments_.size_bytes();
}

template class Optimizer<float>;
template class Optimizer<double>;

}  // namespace shardstone::reference
