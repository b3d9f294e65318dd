// SPDX-License-Identifier: BSD-3-Clause
// One rank executes its step program: action by action, progressing transfers in between.
#include "reference/trainer/trainer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/paced.hpp"
#include "reference/step/check/program_check.hpp"

namespace shardstone::reference {

namespace {

namespace coll = collectives;
using Kind = Action::Kind;
using What = GroupTransfer::What;

PartShape shape_of(const TrainOptions& options, const StepProgram& program) {
    return {.micro_batch = options.batch.micro_batch,
            .sequence = options.batch.sequence,
            .slots = program.slots,
            .gradient_slots = program.gradient_slots,
            .recompute = options.recompute,
            .splits_backward = program.splits_backward,
            .storage = options.precision.storage,
            .stream = options.precision.stream,
            .fp8_products = options.precision.fp8_products};
}

/// Rows of (B, T), sequence after sequence.
std::vector<std::size_t> own_rows(const TrainOptions& options, const ModelPart& part) {
    const std::int64_t length = options.batch.sequence;
    std::vector<std::size_t> rows;
    for (std::int64_t b = 0; b < options.batch.micro_batch; ++b) {
        for (const std::int64_t position : listed(part.sequence.positions(length))) {
            rows.push_back(static_cast<std::size_t>(b * length + position));
        }
    }
    return rows;
}

}  // namespace

StepProgram checked_step_program(const StepSpec& spec, int rank) {
    std::vector<StepProgram> programs = step_programs(spec);
    check_step_programs(spec, programs);
    return std::move(programs[static_cast<std::size_t>(rank)]);
}

template <class Real, class Space>
Trainer<Real, Space>::Trainer(const coll::Communicator& communicator, const TrainOptions& options,
                              const Dataset& dataset, StepProgram program,
                              std::shared_ptr<PlanGroups> groups)
    : options_(options),
      program_(std::move(program)),
      at_(coordinates_of(options.plan, communicator.rank())),
      part_(part_of(options, communicator.rank())),
      layout_(options.model, part_),
      clock_(clock_of<Space>(queue_)),
      exchange_(exchange_among<Space>(
          groups ? std::move(groups) : std::make_shared<PlanGroups>(communicator, options.plan),
          options.plan, queue_)),
      format_(options, sizeof(Real)),
      memory_(queue_, layout_, options, at_),
      model_(queue_, options.model, part_, shape_of(options, program_), memory_.group_memory(),
             [this] { move_along(); }),
      optimizer_(queue_, options, layout_, memory_, at_),
      loss_scale_(options.precision.scaling),
      sampler_(dataset.train(), options.batch.sequence, options.seed, options.batch.shortest),
      windows_(dataset.validation(), options.batch.sequence),
      inputs_(static_cast<std::size_t>(options.batch.micro_tokens())),
      targets_(inputs_.size()),
      own_rows_(own_rows(options, part_)),
      own_inputs_(own_rows_.size()),
      own_targets_(own_rows_.size()),
      term_limit_(exact_term_limit(terms_of(options))),
      graph_(queue_),
      action_clock_(queue_) {
    SHARDSTONE_EXPECTS(options.tensor_norms == traits_of(options.optimizer.kind).adapts);
    const std::int64_t batches =
        std::min(options.eval_sequences, windows_.count()) / options.batch.micro_batch;
    if (batches > 0) evaluation_ = evaluation_program(options, batches, communicator.rank());
    if (options.pace) {
        device_.emplace(options, communicator, program_);
        clock_.count_the_wall();  // the rank is idle while its device computes
        exchange_.hear([this] { device_->look_for_signals(); });
    }
    of_step_ = prepare(program_);
    if (evaluation_) of_evaluation_ = prepare(*evaluation_);
    optimizer_.fill_weights();
    allocated_bytes_ += Space::in_use_bytes();
}

/// Group by group, so that all ranks of a group prepare the same collectives in the same order.
template <class Real, class Space>
auto Trainer<Real, Space>::prepare(const StepProgram& program) -> Collectives {
    Collectives collectives(program.actions.size());
    for (const GroupKind& kind : group_kinds()) {
        for (std::size_t i = 0; i < program.actions.size(); ++i) {
            const Action& action = program.actions[i];
            const bool of_kind = action.transfer.group == kind && !action.transfer.varies();
            if (action.kind == Kind::transfer && of_kind) collectives[i] = prepare(action.transfer);
        }
    }
    return collectives;
}

template <class Real, class Space>
std::size_t Trainer<Real, Space>::prepare(const GroupTransfer& transfer) {
    // A phase's result has arrived before the next one of its kind is sent. Shifts have two
    // streams, identical for FP32 or FP64: keys and values, and their gradients.
    const bool shifts = transfer.operation == GroupTransfer::CollectiveKind::shift;
    const std::size_t of_phases = shifts ? 2 : 1;
    const std::size_t at_once = transfer.is_of_phases() ? of_phases : Exchange::most_at_once;
    const int ranks = exchange_.topology(transfer.group).size();
    return exchange_.prepare(transfer.group, format_.algorithm(transfer),
                             format_.collective(transfer, ranks), at_once);
}

/// The residual stream, or its gradient, sent from stage to stage.
template <class Real, class Space>
Rows Trainer<Real, Space>::stream_of(const Action& action) {
    if (action.message.gradient) return model_.gradient(action.gradient_slot);
    return action.kind == Kind::send ? model_.output(action.chunk, action.slot)
                                     : model_.input(action.chunk, action.slot);
}

/// Location of the data of a transfer.
template <class Real, class Space>
void* Trainer<Real, Space>::data_of(const Action& action) {
    switch (action.transfer.what) {
        case What::loss:
            return &sums_.data()->losses;
        case What::norm:
            return &sums_.data()->squares;
        case What::tensor_norms:
            return optimizer_.tensor_squares();
        case What::amaxes:
            return model_.fp8()->amaxes();
        case What::gradients:
        case What::weights:
            return memory_.data_of(action.transfer);
        case What::stage_rows:
            return stream_of(action).data;
        default:
            return left_.rows.data;
    }
}

template <class Real, class Space>
StepReport Trainer<Real, Space>::step() {
    report_ = {};
    report_.step = ++steps_done_;
    report_.loss_scale = loss_scale_.value();
    if (tracing_) core_watch_.begin_step();
    clock_.restart(StepPart::compute);
    report_.begin_s = clock_.since_s();
    if (tracing_) action_clock_.begin_step();
    const auto traced = static_cast<std::ptrdiff_t>(trace_.size());
    const double waited_s = run_delay_.waited_s();
    if (device_) device_->begin_step();
    const std::int64_t targets =
        sampler_.counting_targets(steps_done_ - 1, 0, options_.batch.global_batch);
    const bool repeats = repeats_products();
    if (options_.graphs && repeats && !tracing_) {
        graph_.run(
            exchange_, [&] { enqueue_step(targets); }, longest_step_s_);
    } else {
        enqueue_step(targets);
        end_run();
    }
    if (Fp8Scales<Space>* fp8 = model_.fp8()) fp8->end_step(queue_);
    const StepSums sums = read_array(queue_, sums_.data(), 1).front();
    report_.phases = clock_.stop();
    report_.waited_s = run_delay_.waited_s() - waited_s;
    if (tracing_) {
        core_watch_.end_step({report_.begin_s, clock_.since_s()});
        action_clock_.end_step(report_.begin_s, {trace_.begin() + traced, trace_.end()});
    }
    report_.time_s = std::accumulate(report_.phases.begin(), report_.phases.end(), 0.0);
    longest_step_s_ = std::max(longest_step_s_, report_.time_s);
    was_cut_short_ = device_ && device_->end_step();
    if (was_cut_short_) {
        std::erase_if(trace_, [this](const TraceEvent& one) { return one.step == steps_done_; });
    }
    report(sums, targets);
    return report_;
}

/// The first step opens libraries and makes workspaces grow, which no graph can hold; so does the
/// first with all FP8 products, whose scales follow from steps before.
template <class Real, class Space>
bool Trainer<Real, Space>::repeats_products() {
    const auto* fp8 = model_.fp8();
    const bool has_all = fp8 == nullptr || fp8->complete();
    return std::exchange(had_all_products_, has_all);
}

template <class Real, class Space>
void Trainer<Real, Space>::enqueue_step(std::int64_t targets) {
    memory_.begin_step();
    clear_array(queue_, &sums_.data()->not_finite, 1);
    if (Fp8Scales<Space>* fp8 = model_.fp8()) fp8->begin_step(queue_);
    const auto load = [this](std::int64_t first) {
        sampler_.fill(steps_done_ - 1, first_of_share(options_, at_) + first, inputs_, targets_);
    };
    run(program_, of_step_, load, 1.0 / static_cast<double>(targets));
}

template <class Real, class Space>
std::optional<double> Trainer<Real, Space>::validation_loss() {
    if (!evaluation_) return std::nullopt;
    const std::int64_t micro_batch = options_.batch.micro_batch;
    const std::int64_t windows =
        std::min(options_.eval_sequences, windows_.count()) / micro_batch * micro_batch;
    const auto sequence = static_cast<std::size_t>(options_.batch.sequence);
    const auto load = [&](std::int64_t first) {
        for (std::int64_t b = 0; b < micro_batch; ++b) {
            const auto at = static_cast<std::size_t>(b) * sequence;
            windows_.fill(first + b, windows, std::span(inputs_).subspan(at, sequence),
                          std::span(targets_).subspan(at, sequence));
        }
    };
    ++evaluations_done_;
    const bool was_tracing = std::exchange(tracing_, false);  // a trace is about training steps
    run(*evaluation_, of_evaluation_, load,
        1.0 / static_cast<double>(windows * options_.batch.sequence));
    end_run();
    tracing_ = was_tracing;
    return read_array(queue_, &sums_.data()->losses, 1).front().front().value();
}

template <class Real, class Space>
void Trainer<Real, Space>::run(const StepProgram& program, const Collectives& collectives,
                               const Loader& load, double scale) {
    clear_array(queue_, &sums_.data()->losses, 1);
    collectives_ = &collectives;
    tickets_.assign(program.actions.size(), 0);
    for (std::size_t i = 0; i < program.actions.size(); ++i) {
        const Action& action = program.actions[i];
        for (const std::size_t need : action.needs) wait(need);
        begin(action, i, load, scale);
        if (!exchange_.idle()) move_along();
        if (progress_) progress_(i + 1, program.actions.size());
    }
}

template <class Real, class Space>
void Trainer<Real, Space>::end_run() {
    if (exchange_.idle()) return;
    const StepPartScope scope(clock_, StepPart::communication);
    exchange_.wait_for_all();
}

template <class Real, class Space>
void Trainer<Real, Space>::move_along() {
    const StepPartScope scope(clock_, part_of_host());
    exchange_.progress();
}

template <class Real, class Space>
SentBytes Trainer<Real, Space>::scheduled_bytes() {
    const GroupTopology topology = [this](GroupKind group) { return exchange_.topology(group); };
    const int rank = rank_at(options_.plan, at_);
    const auto of_step = reference::scheduled_bytes(options_, program_, rank, format_, topology);
    SentBytes total = varying_bytes_;
    for (const GroupKind& kind : group_kinds()) total[kind] += steps_done_ * of_step[kind];
    if (!evaluation_) return total;
    const auto of_evaluation =
        reference::scheduled_bytes(options_, *evaluation_, rank, format_, topology);
    for (const GroupKind& kind : group_kinds()) {
        total[kind] += evaluations_done_ * of_evaluation[kind];
    }
    return total;
}

template class Trainer<float>;
template class Trainer<double>;
template class Trainer<float, Paced>;
#ifdef SHARDSTONE_HAS_CUDA
template class Trainer<float, Cuda>;
#endif

}  // namespace shardstone::reference
