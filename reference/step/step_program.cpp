// SPDX-License-Identifier: BSD-3-Clause
// A schedule's stage passes become one rank's step program, to which each strategy adds its part.
#include "reference/step/step_program.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "kernels/base/error.hpp"
#include "reference/model/rows.hpp"
#include "reference/precision/fp8_scales.hpp"
#include "reference/step/strategy.hpp"

namespace shardstone::reference {

namespace {

using Kind = Action::Kind;
using What = GroupTransfer::What;
using CollectiveKind = GroupTransfer::CollectiveKind;

/// Lends the numbers 0, 1, ...: always the smallest free one.
class Slots {
  public:
    int take() {
        const int slot = free_.empty() ? used_++ : *free_.begin();
        free_.erase(slot);
        return slot;
    }
    void give_back(int slot) { free_.insert(slot); }
    int most() const { return used_; }

  private:
    std::set<int> free_;
    int used_ = 0;
};

/// Stage passes into unit passes, with all that the plan's strategies add around them.
class Writer {
  public:
    Writer(const StepSpec& spec, int rank) : builder_(spec, rank), slots_(part().chunks.size()) {
        for (const StrategyEntry& entry : strategies()) {
            if (entry.applies(spec)) strategies_.push_back(entry.make());
        }
    }

    void add_stage_pass(const StagePass& stage_pass, const Action& common, bool last_micro_batch) {
        builder_.begin_stage_pass(common);
        const auto units = part().chunks[static_cast<std::size_t>(stage_pass.chunk)].units();
        const auto count = static_cast<int>(units.size());
        for (int i = 0; i < count; ++i) {
            const int unit = stage_pass.pass == Pass::forward ? i : count - 1 - i;
            const UnitPass pass{stage_pass, unit,           units[static_cast<std::size_t>(unit)],
                                i == 0,     i == count - 1, last_micro_batch};
            for (const auto& strategy : strategies_) strategy->before(builder_, pass);
            builder_.add_pass(stage_pass.pass, unit);
            for (const auto& strategy : strategies_) strategy->after(builder_, pass);
        }
    }

    /// All stage passes of a training step, with the loss summed as soon as the last is known.
    void add_stage_passes(const std::vector<StagePass>& stage_passes) {
        const auto last_forward = std::ranges::find(stage_passes.rbegin(), stage_passes.rend(),
                                                    Pass::forward, &StagePass::pass);
        for (std::size_t t = 0; t < stage_passes.size(); ++t) {
            add_stage_pass(stage_passes[t], begin(stage_passes[t]), is_last(stage_passes, t));
            end(stage_passes[t]);
            if (&stage_passes[t] == &*last_forward) loss_ = add_loss();
        }
    }

    std::size_t add_loss() {
        return add_all_reduce(What::loss, loss_sums_of(builder_.spec().model), {});
    }

    void finish() {
        for (const auto& strategy : strategies_) strategy->finish(builder_);
        const StepSpec& spec = builder_.spec();
        // For the next step: nothing in this one waits for them.
        if (spec.precision.fp8_products) {
            add_all_reduce(What::amaxes, Fp8Tensor::count(spec.model.layers), {});
        }
        Action norm;
        norm.kind = Kind::norm;
        norm.needs = builder_.all_reductions();
        std::size_t norms = add_all_reduce(What::norm, 1, {builder_.add(norm)});
        if (spec.tensor_norms) norms = add_tensor_norms(norms);
        Action update;
        update.kind = Kind::update;
        update.needs = {loss_, norms};
        builder_.add(update);
        for (const auto& strategy : strategies_) strategy->after_update(builder_);
    }

    StepProgram take() {
        StepProgram program;
        for (const Slots& slots : slots_) program.slots.push_back(std::max(1, slots.most()));
        program.gradient_slots = builder_.parts() > 1 ? 2 : 1;
        program.splits_backward = std::ranges::any_of(builder_.actions(), [](const Action& action) {
            return action.kind == Kind::backward_weight;
        });
        program.actions = builder_.take_actions();
        return program;
    }

    const ModelPart& part() const { return builder_.part(); }
    ProgramBuilder& builder() { return builder_; }

  private:
    using Key = std::pair<int, std::int64_t>;  ///< chunk, micro-batch

    /// No later stage pass adds to the gradients of this chunk.
    static bool is_last(const std::vector<StagePass>& stage_passes, std::size_t position) {
        const StagePass& stage_pass = stage_passes[position];
        return std::none_of(stage_passes.begin() + static_cast<std::ptrdiff_t>(position) + 1,
                            stage_passes.end(), [&](const StagePass& later) {
                                return later.chunk == stage_pass.chunk &&
                                       later.pass == stage_pass.pass;
                            });
    }

    /// Over all ranks.
    std::size_t add_all_reduce(What what, std::int64_t count, std::vector<std::size_t> needs) {
        return builder_.add_transfer(
            {CollectiveKind::all_reduce, what, GroupKind::world, {0, count}}, std::move(needs));
    }

    /// Clipping comes before a tensor's update, and so before its norm.
    std::size_t add_tensor_norms(std::size_t norm) {
        Action squares;
        squares.kind = Kind::tensor_norms;
        squares.needs = {norm};
        const std::size_t taken = builder_.add(squares);
        return add_all_reduce(What::tensor_norms, tensor_count(builder_.spec().model), {taken});
    }

    Action begin(const StagePass& stage_pass) {
        const Key key{stage_pass.chunk, stage_pass.micro_batch};
        auto& slots = slots_[static_cast<std::size_t>(stage_pass.chunk)];
        if (stage_pass.pass == Pass::forward) slot_of_[key] = slots.take();
        if (stage_pass.pass == Pass::backward || stage_pass.pass == Pass::backward_input)
            ++backwards_;
        Action action;
        action.micro_batch = stage_pass.micro_batch;
        action.chunk = stage_pass.chunk;
        action.slot = slot_of_.at(key);
        // The slot before last has been sent, or soon will be, while the last is computed in.
        action.gradient_slot = builder_.parts() > 1 ? backwards_ % 2 : 0;
        action.first_sample = stage_pass.micro_batch * builder_.spec().batch.micro_batch;
        return action;
    }

    void end(const StagePass& stage_pass) {
        if (stage_pass.pass == Pass::forward || stage_pass.pass == Pass::backward_input) return;
        slots_[static_cast<std::size_t>(stage_pass.chunk)].give_back(
            slot_of_.at({stage_pass.chunk, stage_pass.micro_batch}));
    }

    ProgramBuilder builder_;
    std::vector<std::unique_ptr<Strategy>> strategies_;
    std::vector<Slots> slots_;
    std::map<Key, int> slot_of_;
    int backwards_ = 0;
    std::size_t loss_ = 0;
};

}  // namespace

GroupTransfer transfer_of(const PhaseTransfer& transfer) {
    using Phase = PhaseTransfer::CollectiveKind;
    using Of = PhaseTransfer::Of;
    CollectiveKind operation = CollectiveKind::all_reduce;
    if (transfer.operation == Phase::reduce_scatter) operation = CollectiveKind::reduce_scatter;
    if (transfer.operation == Phase::all_gather) operation = CollectiveKind::all_gather;
    if (transfer.operation == Phase::shift) operation = CollectiveKind::shift;
    if (transfer.operation == Phase::all_to_all) operation = CollectiveKind::all_to_all;
    if (transfer.operation == Phase::all_to_all_v) operation = CollectiveKind::all_to_all_v;
    What what = transfer.of == Of::stored ? What::stored_rows : What::stream_rows;
    if (transfer.of == Of::real) {
        what = transfer.operation == Phase::maximum ? What::row_maxima : What::real_rows;
    }
    return {operation, what, GroupKind{{transfer.axis}}, {0, transfer.rows}, transfer.columns};
}

GroupTransfer gather_of_message(const StepSpec& spec, const ModelPart& part) {
    return {CollectiveKind::all_gather,
            What::stage_rows,
            GroupKind::tensor,
            {0, part.positions(spec.batch.micro_batch, spec.batch.sequence)},
            spec.model.channels};
}

std::string to_string(Action::Kind kind) {
    constexpr const char* names[]{
        "forward", "recompute", "backward", "backward_input", "backward_weight", "send",
        "receive", "transfer",  "norm",     "tensor_norms",   "update"};
    return names[static_cast<std::size_t>(kind)];
}

std::int64_t default_bucket_bytes(std::int64_t parameters) {
    constexpr std::int64_t least = 256 << 10;
    constexpr std::int64_t most = 25 << 20;
    return std::clamp(parameters * static_cast<std::int64_t>(sizeof(float)) / 8, least, most);
}

std::int64_t first_of_share(const StepSpec& spec, const Coordinates& at) {
    return batch_share_of(spec.plan, at) * spec.micro_batches() * spec.batch.micro_batch;
}

StepProgram step_program(const StepSpec& spec, int rank) {
    Writer writer(spec, rank);
    const PipelineSchedule& schedule = find_pipeline_schedule(spec.pipeline.schedule);
    writer.add_stage_passes(
        schedule.stage_passes({spec.plan.pipeline, spec.pipeline.chunks, spec.micro_batches()},
                              writer.builder().at().pipeline));
    writer.finish();
    return writer.take();
}

std::vector<StepProgram> step_programs(const StepSpec& spec) {
    SharedList<Action>::Pool pool;
    std::vector<StepProgram> programs;
    for (int rank = 0; rank < spec.plan.ranks(); ++rank) {
        programs.push_back(step_program(spec, rank));
        programs.back().actions.share(pool);
    }
    return programs;
}

StepProgram evaluation_program(const StepSpec& spec, std::int64_t micro_batches, int rank) {
    Writer writer(spec, rank);
    const int shares = batch_shares(spec.plan);
    for (std::int64_t round = 0; round * shares < micro_batches; ++round) {
        const std::int64_t index =
            round * shares + batch_share_of(spec.plan, writer.builder().at());
        Action common;
        common.micro_batch = round;
        common.first_sample = std::min(index, micro_batches - 1) * spec.batch.micro_batch;
        common.scale = index < micro_batches ? 1.0 : 0.0;
        for (int chunk = 0; chunk < spec.pipeline.chunks; ++chunk) {
            common.chunk = chunk;
            writer.add_stage_pass({Pass::forward, round, chunk}, common, false);
        }
    }
    writer.add_loss();
    return writer.take();
}

}  // namespace shardstone::reference
