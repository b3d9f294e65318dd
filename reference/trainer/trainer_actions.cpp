// SPDX-License-Identifier: BSD-3-Clause
// The trainer's implementation of each kind of action of a step program.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/optimizer/gradient_norm.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/paced.hpp"
#include "reference/trainer/trainer.hpp"

namespace shardstone::reference {

namespace {

namespace coll = collectives;
using Kind = Action::Kind;
using What = GroupTransfer::What;

}  // namespace

template <class Real, class Space>
void Trainer<Real, Space>::begin(const Action& action, std::size_t position, const Loader& load,
                                 double scale) {
    const double begin_s = tracing_ ? time_of(action) : 0.0;
    const bool is_watched = tracing_ && !action.is_communication();
    if (is_watched) core_watch_.begin_computation();
    switch (action.kind) {
        case Kind::forward:
            forward(action, load, scale);
            break;
        case Kind::recompute:
            compute(action, 0.0);
            break;
        case Kind::backward:
        case Kind::backward_input:
        case Kind::backward_weight:
            backward(action, scale);
            break;
        case Kind::send:
        case Kind::receive:
            return start_message(action, position);
        case Kind::transfer:
            return start_transfer(action, position);
        case Kind::norm: {
            count_squares();
            break;
        }
        case Kind::tensor_norms:
            begin_update();
            break;
        case Kind::update:
            update();
            break;
    }
    if (device_) run_on_device(action);
    if (is_watched && !device_) core_watch_.end_computation();  // a device needs no core
    if (tracing_) trace_.push_back({steps_done_, position, begin_s, time_of(action)});
}

/// Of a computation when it begins or ends; a device's own clock, not the rank's, which asks late
/// and wakes up late where it moves messages.
template <class Real, class Space>
double Trainer<Real, Space>::time_of(const Action& action) {
    return device_ && !action.is_communication() ? device_->free_s() : action_clock_.now();
}

/// Whatever is under way moves on meanwhile, in the time of the computation.
template <class Real, class Space>
void Trainer<Real, Space>::run_on_device(const Action& action) {
    const StepPartScope scope(clock_, action.is_pass() ? StepPart::compute : StepPart::optimizer);
    device_->compute(action, [this] { return move_messages(); });
}

template <class Real, class Space>
bool Trainer<Real, Space>::move_messages() {
    exchange_.progress();
    return !exchange_.idle();
}

template <class Real, class Space>
void Trainer<Real, Space>::forward(const Action& action, const Loader& load, double scale) {
    const ModelChunk& chunk = part_.chunks[static_cast<std::size_t>(action.chunk)];
    if (action.unit == 0 && action.begins_pass() && (chunk.embedding || chunk.head)) {
        const StepPartScope scope(clock_, StepPart::data);
        load(action.first_sample);
        load_own_positions(action);
        if (device_) device_->load([this] { return move_messages(); });
    }
    compute(action, 0.0);
    // Every tensor rank has the whole sums over its positions; one of them adds them, the others
    // zeros, or a NaN where the sums are not finite, as the total then is anyway.
    const double factor = at_.tensor == 0 ? scale * action.scale : 0.0;
    add_losses(queue_, *model_.losses(), factor, term_limit_, sums_.data()->losses);
}

template <class Real, class Space>
void Trainer<Real, Space>::load_own_positions(const Action& action) {
    for (std::size_t i = 0; i < own_rows_.size(); ++i) {
        own_inputs_[i] = inputs_[own_rows_[i]];
        own_targets_[i] = targets_[own_rows_[i]];
    }
    model_.load(action.chunk, action.slot, own_inputs_, own_targets_);
}

template <class Real, class Space>
void Trainer<Real, Space>::compute(const Action& action, double gradient_scale) {
    const PassAt at{action.pass(), action.chunk,         action.unit,
                    action.slot,   action.gradient_slot, gradient_scale};
    left_ = model_.compute(at, action.phases);
}

template <class Real, class Space>
void Trainer<Real, Space>::backward(const Action& action, double scale) {
    const double factor = scale * action.scale * loss_scale_.value();
    compute(action, factor);
    if (!makes_weight_gradients(action.pass()) || !action.ends_pass) return;
    const std::vector<std::size_t> groups = groups_of(action);
    const auto [step, rank] = options_.overflow;
    if (step == steps_done_ && rank == rank_at(options_.plan, at_)) inject_overflow(groups);
    if (options_.reproducible) {
        for (const std::size_t group : groups) {
            const ParameterGroup& held = layout_.groups()[group];
            look_for_not_finite({held.first, held.count});
        }
    }
    memory_.add_exactly(groups, term_limit_);
}

/// Checks gradients before they are added to those of other ranks, after which their origin is
/// unknown.
template <class Real, class Space>
void Trainer<Real, Space>::look_for_not_finite(const Range& range) {
    const auto memory = memory_.group_memory();
    for (std::size_t g = 0; g < memory.size(); ++g) {
        const ParameterGroup& group = layout_.groups()[g];
        const std::int64_t first = std::max(group.first, range.first);
        const std::int64_t end = std::min(group.end(), range.first + range.count);
        if (first >= end) continue;
        const typename Space::template Span<const Real> made(
            memory[g].gradients + (first - group.first), static_cast<std::size_t>(end - first));
        find_not_finite(queue_, made, first, sums_.data()->not_finite);
    }
}

template <class Real, class Space>
void Trainer<Real, Space>::inject_overflow(const std::vector<std::size_t>& groups) {
    const auto memory = memory_.group_memory();
    const auto places = places_to_overflow(options_, layout_);
    constexpr Real infinity = std::numeric_limits<Real>::infinity();
    for (const std::size_t group : groups) {
        const ParameterGroup& held = layout_.groups()[group];
        for (const std::int64_t place : places) {
            if (place < held.first || place >= held.end()) continue;
            write_array(queue_, &infinity, memory[group].gradients + (place - held.first), 1);
        }
    }
}

/// In which the host works on messages: a rank's host may not compute meanwhile, a GPU does.
template <class Real, class Space>
StepPart Trainer<Real, Space>::part_of_host() const {
    if constexpr (std::is_same_v<Space, Cuda>) {
        return clock_.current();
    } else {
        return StepPart::communication;
    }
}

template <class Real, class Space>
void Trainer<Real, Space>::count_squares() {
    const StepPartScope scope(clock_, StepPart::optimizer);
    memory_.round(loss_scale_.value());
    SquareSum::Limbs& squares = sums_.data()->squares;
    clear_array(queue_, &squares, 1);
    optimizer_.add_squares(squares);
    // Terms lost by exact sums are counted with those that squares cannot represent.
    add_array(queue_, memory_.lost_terms(), &squares.back(), 1);
}

template <class Real, class Space>
std::vector<std::size_t> Trainer<Real, Space>::groups_of(const Action& action) const {
    const auto units = part_.chunks[static_cast<std::size_t>(action.chunk)].units();
    return layout_.groups_of(units[static_cast<std::size_t>(action.unit)]);
}

template <class Real, class Space>
void Trainer<Real, Space>::start_message(const Action& action, std::size_t position) {
    const StepPartScope scope(clock_, part_of_host());
    const EvenShare rows = format_.message_rows(part_);
    const auto data = stream_of(action).rows_from(rows.first, rows.count).bytes();
    const StageMessage& message = action.message;
    const int peer = rank_of_stage(options_.plan, rank_at(options_.plan, at_), message.peer_stage);
    tickets_[position] = action.kind == Kind::send
                             ? exchange_.send(peer, message, data, noting(position))
                             : exchange_.receive(peer, message, data, noting(position));
}

template <class Real, class Space>
void Trainer<Real, Space>::start_transfer(const Action& action, std::size_t position) {
    const StepPartScope scope(clock_, part_of_host());
    const GroupTransfer& transfer = action.transfer;
    const bool of_parameters = transfer.what == What::gradients || transfer.what == What::weights;
    if (transfer.what == What::gradients && !options_.reproducible) {
        look_for_not_finite(transfer.range);
    }
    if (of_parameters) memory_.before(transfer);
    if (transfer.is_of_phases()) {
        SHARDSTONE_EXPECTS(left_.rows.rows * left_.rows.columns ==
                           transfer.range.count * transfer.columns);
        SHARDSTONE_EXPECTS(left_.rows.type == format_.element(transfer).type);
    }
    Exchange::Arrival arrived;
    if (of_parameters) arrived = [this, transfer] { memory_.after(transfer); };
    if (transfer.varies()) {
        tickets_[position] = start_varying(transfer, noting(position));
        return;
    }
    void* const from = data_of(action);
    void* const to = transfer.is_of_phases() && left_.arrival != nullptr ? left_.arrival : from;
    tickets_[position] =
        exchange_.start((*collectives_)[position], from, to, noting(position, std::move(arrived)));
}

/// The scheduled bytes are known only now.
template <class Real, class Space>
Exchange::Ticket Trainer<Real, Space>::start_varying(const GroupTransfer& transfer,
                                                     Exchange::Arrival arrived) {
    const coll::Topology topology = exchange_.topology(transfer.group);
    const int rank = RankGroup(options_.plan, transfer.group, rank_at(options_.plan, at_))
                         .index_of(rank_at(options_.plan, at_));
    const coll::CollectiveSpec spec = format_.varying(transfer, topology.size(), left_.shares);
    const coll::Algorithm& algorithm = format_.algorithm(transfer);
    varying_bytes_[transfer.group] += coll::scheduled_bytes(algorithm, topology, rank, spec);
    return exchange_.start_once(transfer.group, algorithm, spec, left_.rows.data, left_.arrival,
                                std::move(arrived));
}

template <class Real, class Space>
void Trainer<Real, Space>::wait(std::size_t position) {
    if (!exchange_.under_way(tickets_[position])) return;
    const StepPartScope scope(clock_, StepPart::communication);
    exchange_.wait(tickets_[position]);
    if (device_) device_->hold();
}

template <class Real, class Space>
void Trainer<Real, Space>::begin_update() {
    const StepPartScope scope(clock_, StepPart::optimizer);
    StepSums& sums = *sums_.data();
    optimizer_.begin_update(steps_done_, sums.squares, loss_scale_.may_skip(), sums.factors);
}

template <class Real, class Space>
void Trainer<Real, Space>::update() {
    if (!options_.tensor_norms) begin_update();
    const StepPartScope scope(clock_, StepPart::optimizer);
    optimizer_.end_update();
}

template <class Real, class Space>
Exchange::Arrival Trainer<Real, Space>::noting(std::size_t position, Exchange::Arrival then) {
    if (!tracing_) return then;
    return [this, position, begin_s = action_clock_.now(), then = std::move(then)] {
        trace_.push_back({steps_done_, position, begin_s, action_clock_.now()});
        if (then) then();
    };
}

template class Trainer<float>;
template class Trainer<double>;
template class Trainer<float, Paced>;
#ifdef SHARDSTONE_HAS_CUDA
template class Trainer<float, Cuda>;
#endif

}  // namespace shardstone::reference
