// SPDX-License-Identifier: BSD-3-Clause
// Norm, clipping and update of the shares that one rank owns, rounded into the stored weights.
#include "reference/trainer/optimizer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/random.hpp"
#include "kernels/base/stochastic_rounding.hpp"
#include "reference/model/initial_weights.hpp"

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
      counted_(pieces_of(StateLayout(options, layout, at).shares(), true)),
      updated_(pieces_of(memory.owned().ranges(), false)) {
    const OptimizerTraits& traits = traits_of(options.optimizer.kind);
    if (traits.moments > 0) first_moments_ = Buffer<Real>(memory.owned().count());
    if (traits.moments > 1) second_moments_ = Buffer<Real>(memory.owned().count());
    if (options.precision.master_weights) master_ = Buffer<Real>(memory.owned().count());
    if (traits.adapts) {
        tensor_squares_.resize(static_cast<std::size_t>(tensor_count(options.model)));
    }
}

template <class Real>
std::vector<typename Optimizer<Real>::Piece> Optimizer<Real>::pieces_of(
    const std::vector<Range>& ranges, bool counting) const {
    const OwnedRanges all(ranges);
    const ParameterLayout whole(options_.model);
    std::vector<Piece> pieces;
    for (const ParameterInfo& tensor : layout_.parameters()) {
        const bool counted_elsewhere = tensor.copy || (tensor.replicated && at_.tensor > 0);
        if (is_frozen(options_, tensor) || (counting && counted_elsewhere)) continue;
        const std::size_t number = number_of(tensor, whole);
        const auto local = static_cast<std::size_t>(&tensor - layout_.parameters().data());
        for (const Range& range : all.within({tensor.offset, tensor.count})) {
            pieces.push_back({range, tensor.decay, number, local});
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
        visit(piece, Use::reads, [&](const ParameterRange<Real>& range) {
            prepare_update(options_.optimizer, step_of(piece), range);
        });
    }
    std::ranges::fill(tensor_squares_, TensorSquares{});
    for (const Piece& piece : counted_) {
        if (!adapts(piece)) continue;
        visit(piece, Use::reads, [&](const ParameterRange<Real>& range) {
            add_squares(options_.optimizer, step_of(piece), range, tensor_squares_[piece.tensor]);
        });
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
        visit(piece, Use::writes, [&](const ParameterRange<Real>& range) {
            update_range(options_.optimizer, step, range);
        });
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
ParameterRange<Real> Optimizer<Real>::range_of(const Range& range, std::span<Real> weights) {
    return {weights, memory_.gradients(range), first_moments(range), second_moments(range)};
}

template <class Real>
template <class F>
void Optimizer<Real>::visit(const Piece& piece, Use use, const F& f) {
    if (options_.precision.storage == Storage::full) {
        f(range_of(piece.range, memory_.weights(piece.range)));
        return;
    }
    constexpr std::int64_t block = 16384;
    for (std::int64_t done = 0; done < piece.range.count; done += block) {
        const Range range{piece.range.first + done, std::min(block, piece.range.count - done)};
        std::vector<Real> widened;
        std::span<Real> values = part(master_, range);
        if (values.empty()) values = widened = memory_.copy_of_weights(range);
        f(range_of(range, values));
        if (use == Use::writes) store(piece, range, values);
    }
}

template <class Real>
void Optimizer<Real>::store(const Piece& piece, const Range& range, std::span<const Real> values) {
    if (options_.precision.stochastic_rounding) {
        store_stochastically(piece, range, values);
    } else {
        memory_.store_weights(range, values);
    }
}

/// The random numbers belong to the step and the element of the whole tensor, so that every layout
/// rounds alike.
template <class Real>
void Optimizer<Real>::store_stochastically(const Piece& piece, const Range& range,
                                           std::span<const Real> values) {
    if constexpr (std::is_same_v<Real, float>) {
        const ParameterInfo& tensor = layout_.parameters()[piece.local];
        const std::int64_t first = range.first - tensor.offset;
        const auto stream = stream_of(fmt::format("{} at step {}", tensor.name, now_.step));
        const std::span<bf16> to = memory_.template stored_weights<bf16>(range);
        for (const TensorPiece& part : tensor.pieces()) {
            const std::int64_t from = std::max(first, part.local);
            const std::int64_t end = std::min(first + range.count, part.local + part.count);
            if (from >= end) continue;
            const auto at = static_cast<std::size_t>(from - first);
            const auto count = static_cast<std::size_t>(end - from);
            narrow_stochastically(options_.seed, stream, part.global + from - part.local,
                                  values.subspan(at, count), to.subspan(at, count));
        }
    }
}

template <class Real>
void Optimizer<Real>::fill_weights() {
    const bool full = options_.precision.storage == Storage::full;
    for (const Range& held : memory_.held_weights()) {
        std::vector<Real> drawn;
        if (!full) drawn.resize(static_cast<std::size_t>(held.count));
        const std::span<Real> values = full ? memory_.weights(held) : std::span<Real>(drawn);
        fill_initial_weights(layout_, options_.seed, held.first, values);
        if (!full) memory_.store_weights(held, values);
    }
    if (master_.size() == 0) return;
    for (const Range& owned : memory_.owned().ranges()) {
        fill_initial_weights(layout_, options_.seed, owned.first, part(master_, owned));
    }
}

template <class Real>
std::vector<Real> Optimizer<Real>::weights(const Range& owned) {
    const std::span<Real> master = part(master_, owned);
    if (master.empty()) return memory_.copy_of_weights(owned);
    return {master.begin(), master.end()};
}

template <class Real>
std::string Optimizer<Real>::first_not_finite() {
    for (const Piece& piece : counted_) {
        const std::span<const Real> values = memory_.gradients(piece.range);
        const auto found = std::ranges::find_if(values, [](Real value) {
            return !(std::abs(value) <= static_cast<Real>(SquareSum::limit));
        });
        if (found == values.end()) continue;
        const ParameterInfo& tensor = layout_.parameters()[piece.local];
        const std::string why =
            std::isfinite(*found)
                ? fmt::format(", beyond the {} whose square can be summed", SquareSum::limit)
                : "";
        return fmt::format("{}[{}] is {}{}", tensor.name,
                           piece.range.first - tensor.offset + (found - values.begin()), *found,
                           why);
    }
    return {};
}

template <class Real>
std::int64_t Optimizer<Real>::memory_bytes() const {
    return first_moments_.size_bytes() + second_moments_.size_bytes();
}

template class Optimizer<float>;
template class Optimizer<double>;

}  // namespace shardstone::reference
