// SPDX-License-Identifier: BSD-3-Clause
// Norm, clipping and update of the shares that one rank owns, rounded into the stored weights.
#include "reference/trainer/optimizer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/base/random.hpp"
#include "kernels/optimizer/stochastic_store.hpp"
#include "kernels/tensor/arrays.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/paced.hpp"
#include "reference/model/initial_weights.hpp"

namespace shardstone::reference {

namespace {

/// Makes the last range longer where this one follows it at once.
void append(std::vector<Range>& ranges, const Range& range) {
    if (!ranges.empty() && ranges.back().first + ranges.back().count == range.first) {
        ranges.back().count += range.count;
    } else {
        ranges.push_back(range);
    }
}

/// Index among the tensors of the whole model.
std::size_t number_of(const ParameterInfo& tensor, const ParameterLayout& whole) {
    const auto found = std::ranges::find(whole.parameters(), tensor.name, &ParameterInfo::name);
    return static_cast<std::size_t>(found - whole.parameters().begin());
}

}  // namespace

template <class Real, class Space>
Optimizer<Real, Space>::Optimizer(Queue queue, const TrainOptions& options,
                                  const ParameterLayout& layout,
                                  ParameterMemory<Real, Space>& memory, const Coordinates& at)
    : queue_(queue),
      options_(options),
      rate_(learning_rate_of(options)),
      layout_(layout),
      memory_(memory),
      at_(at),
      counted_(pieces_of(StateLayout(options, layout, at).shares(), true)),
      updated_(joined(pieces_of(memory.owned().ranges(), false))) {
    for (const Piece& piece : counted_) append(squared_, piece.range);
    const OptimizerTraits& traits = traits_of(options.optimizer.kind);
    if (traits.moments > 0) first_moments_ = Buffer<Real, Space>(memory.owned().count());
    if (traits.moments > 1) second_moments_ = Buffer<Real, Space>(memory.owned().count());
    if (options.precision.master_weights) master_ = Buffer<Real, Space>(memory.owned().count());
    if (traits.adapts) {
        tensor_squares_ = Buffer<TensorSquares, Space>(tensor_count(options.model));
        ratios_ = Buffer<double, Space>(tensor_squares_.size());
    }
    const Precision& precision = options.precision;
    const bool widens = precision.storage != Storage::full && !precision.master_weights;
    if (widens) widened_ = Buffer<Real, Space>(update_block);
}

template <class Real, class Space>
std::vector<typename Optimizer<Real, Space>::Piece> Optimizer<Real, Space>::pieces_of(
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

template <class Real, class Space>
auto Optimizer<Real, Space>::joined(const std::vector<Piece>& pieces) const -> std::vector<Piece> {
    // Norms, and the random numbers of rounding, are those of a tensor.
    const bool of_tensors =
        traits_of(options_.optimizer.kind).adapts || options_.precision.stochastic_rounding;
    std::vector<Piece> all;
    for (const Piece& piece : pieces) {
        const bool follows = !all.empty() && all.back().decay == piece.decay &&
                             all.back().range.first + all.back().range.count == piece.range.first;
        if (follows && !of_tensors) {
            all.back().range.count += piece.range.count;
        } else {
            all.push_back(piece);
        }
    }
    return all;
}

template <class Real, class Space>
void Optimizer<Real, Space>::add_squares(SquareSum::Limbs& sum) {
    for (const Range& range : squared_) {
        shardstone::add_squares<Real>(queue_, memory_.gradients(range), sum);
    }
}

template <class Real, class Space>
void Optimizer<Real, Space>::begin_update(std::int64_t step, const SquareSum::Limbs& squares,
                                          bool skips_overflow, UpdateFactors& factors) {
    factors_ = &factors;
    now_ = {.step = step, .learning_rate = rate_.at(step), .factors = FactorsAt(factors_)};
    find_factors(queue_, squares, GradientLimits{options_.optimizer.clip, skips_overflow}, factors);
    if (tensor_squares_.size() == 0) return;
    for (const Piece& piece : updated_) {
        visit(piece, Use::reads, [&](const ParameterRange<Real, Space>& range) {
            prepare_update(queue_, options_.optimizer, step_of(piece), range);
        });
    }
    clear_array(queue_, tensor_squares_.data(), tensor_squares_.size());
    for (const Piece& piece : counted_) {
        if (!adapts(piece)) continue;
        visit(piece, Use::reads, [&](const ParameterRange<Real, Space>& range) {
            shardstone::add_squares(queue_, options_.optimizer, step_of(piece), range,
                                    tensor_squares_.data()[piece.tensor]);
        });
    }
}

template <class Real, class Space>
void Optimizer<Real, Space>::end_update() {
    if (tensor_squares_.size() > 0) {
        OptimizerStep of_decaying = now_;  // as all that adapts does
        of_decaying.weight_decay = options_.optimizer.weight_decay;
        trust_ratios(queue_, options_.optimizer, of_decaying, std::as_const(tensor_squares_).span(),
                     ratios_.span());
    }
    for (const Piece& piece : updated_) {
        OptimizerStep step = step_of(piece);
        if (adapts(piece)) step.factors = FactorsAt(factors_, ratios_.data() + piece.tensor);
        visit(piece, Use::writes, [&](const ParameterRange<Real, Space>& range) {
            update_range(queue_, options_.optimizer, step, range);
        });
    }
}

template <class Real, class Space>
auto Optimizer<Real, Space>::part(Buffer<Real, Space>& moments, const Range& owned) const
    -> Span<Real> {
    if (moments.size() == 0) return {};
    return moments.span().subspan(static_cast<std::size_t>(memory_.owned().place(owned.first)),
                                  static_cast<std::size_t>(owned.count));
}

template <class Real, class Space>
OptimizerStep Optimizer<Real, Space>::step_of(const Piece& piece) const {
    OptimizerStep step = now_;
    step.weight_decay = piece.decay ? options_.optimizer.weight_decay : 0.0;
    return step;
}

template <class Real, class Space>
ParameterRange<Real, Space> Optimizer<Real, Space>::range_of(const Range& range,
                                                             Span<Real> weights) {
    return {weights, memory_.gradients(range), first_moments(range), second_moments(range)};
}

template <class Real, class Space>
template <class F>
void Optimizer<Real, Space>::visit(const Piece& piece, Use use, const F& f) {
    if (options_.precision.storage == Storage::full) {
        f(range_of(piece.range, memory_.weights(piece.range)));
        return;
    }
    // Blocks keep their values in the host's cache until they are stored; a GPU is better served by
    // few kernels, and only needs the buffer where there are no masters.
    const bool at_once = std::is_same_v<Space, Cuda> && master_.size() > 0;
    const std::int64_t block =
        at_once ? std::max<std::int64_t>(piece.range.count, 1) : update_block;
    for (std::int64_t done = 0; done < piece.range.count; done += block) {
        const Range range{piece.range.first + done, std::min(block, piece.range.count - done)};
        Span<Real> values = part(master_, range);
        if (values.empty()) {
            memory_.widen_weights(range, widened_.data());
            values = Span<Real>(widened_.data(), static_cast<std::size_t>(range.count));
        }
        f(range_of(range, values));
        if (use == Use::writes) store(piece, range, values);
    }
}

template <class Real, class Space>
void Optimizer<Real, Space>::store(const Piece& piece, const Range& range,
                                   Span<const Real> values) {
    if (options_.precision.stochastic_rounding) {
        store_stochastically(piece, range, values);
    } else {
        memory_.store_weights(range, values.data());
    }
}

/// The random numbers belong to the step and the element of the whole tensor, so that every layout
/// rounds identically.
template <class Real, class Space>
void Optimizer<Real, Space>::store_stochastically(const Piece& piece, const Range& range,
                                                  Span<const Real> values) {
    if constexpr (std::is_same_v<Real, float>) {
        const ParameterInfo& tensor = layout_.parameters()[piece.local];
        const std::int64_t first = range.first - tensor.offset;
        const auto stream = stream_of(fmt::format("{} at step {}", tensor.name, now_.step));
        const Span<bf16> to = memory_.template stored_weights<bf16>(range);
        for (const TensorPiece& part : tensor.pieces()) {
            const std::int64_t from = std::max(first, part.local);
            const std::int64_t end = std::min(first + range.count, part.local + part.count);
            if (from >= end) continue;
            const auto at = static_cast<std::size_t>(from - first);
            const auto count = static_cast<std::size_t>(end - from);
            const RoundingNumbers numbers{options_.seed, stream, part.global + from - part.local};
            shardstone::store_stochastically(queue_, numbers, now_.factors,
                                             values.subspan(at, count), to.subspan(at, count));
        }
    }
}

template <class Real, class Space>
void Optimizer<Real, Space>::fill_weights() {
    for (const Range& held : memory_.held_weights()) {
        draw_weights(held, [&](const Range& range, const std::vector<Real>& drawn) {
            memory_.write_weights(range, drawn);
        });
    }
    if (master_.size() == 0) return;
    for (const Range& owned : memory_.owned().ranges()) {
        draw_weights(owned, [&](const Range& range, const std::vector<Real>& drawn) {
            write_array(queue_, drawn.data(), part(master_, range).data(), range.count);
        });
    }
}

/// Calls f(range, its initial weights) block by block.
template <class Real, class Space>
template <class F>
void Optimizer<Real, Space>::draw_weights(const Range& all, const F& f) const {
    for (std::int64_t done = 0; done < all.count; done += update_block) {
        const Range range{all.first + done, std::min(update_block, all.count - done)};
        std::vector<Real> drawn(static_cast<std::size_t>(range.count));
        fill_initial_weights(layout_, options_.seed, range.first, std::span<Real>(drawn));
        f(range, drawn);
    }
}

template <class Real, class Space>
std::vector<Real> Optimizer<Real, Space>::weights(const Range& owned) {
    if (master_.size() == 0) return memory_.copy_of_weights(owned);
    return read_array<Real>(queue_, part(master_, owned).data(), owned.count);
}

template <class Real, class Space>
std::string Optimizer<Real, Space>::first_not_finite() {
    for (const Piece& piece : counted_) {
        const std::vector<Real> values =
            read_array<Real>(queue_, memory_.gradients(piece.range).data(), piece.range.count);
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

template <class Real, class Space>
std::int64_t Optimizer<Real, Space>::memory_bytes() const {
    return first_moments_.size_bytes() + second_moments_.size_bytes();
}

template class Optimizer<float>;
template class Optimizer<double>;
template class Optimizer<float, Paced>;
#ifdef SHARDSTONE_HAS_CUDA
template class Optimizer<float, Cuda>;
#endif

}  // namespace shardstone::reference
