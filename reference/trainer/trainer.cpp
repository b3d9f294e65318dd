// SPDX-License-Identifier: BSD-3-Clause
#include "reference/trainer/trainer.hpp"

#include <algorithm>
#include <utility>

#include "kernels/base/error.hpp"
#include "reference/step/program_check.hpp"

namespace shardstone::reference {

namespace {

using Kind = Action::Kind;

DataParallel::Options reduction_options(const TrainOptions& options) {
    return {options.communication.all_reduce, options.reproducible, terms_of(options)};
}

}  // namespace

ReductionShape reduction_shape(const TrainOptions& options) {
    return {cut_buckets(options.model.parameter_count(), options.communication.bucket_bytes),
            options.communication.overlap};
}

StepProgram checked_step_program(const TrainOptions& options, int rank) {
    const ReductionShape reduction = reduction_shape(options);
    std::vector<StepProgram> programs;
    for (int r = 0; r < options.plan.ranks(); ++r) {
        programs.push_back(step_program(options.plan, options.batch, reduction, r));
    }
    check_step_programs(programs, options.batch, options.model.parameter_count());
    return std::move(programs[static_cast<std::size_t>(rank)]);
}

Trainer::Trainer(collectives::Communicator& communicator, const TrainOptions& options,
                 const Dataset& dataset, StepProgram program)
    : options_(options),
      program_(std::move(program)),
      model_(options.model, options.batch.micro_batch, options.batch.sequence),
      sampler_(dataset.train(), options.batch.sequence, options.seed),
      windows_(dataset.validation(), options.batch.sequence),
      reduction_(communicator, reduction_options(options), program_.buckets, model_.gradients()),
      optimizer_(options, model_.parameters()),
      rank_(communicator.rank()),
      ranks_(communicator.size()),
      inputs_(static_cast<std::size_t>(options.batch.micro_tokens())),
      targets_(inputs_.size()),
      bucket_begin_s_(program_.buckets.size(), 0.0) {
    model_.initialize(options.seed);
    reduction_.on_arrival([this](std::int64_t bucket) {
        note("bucket", bucket, bucket_begin_s_[static_cast<std::size_t>(bucket)], true);
    });
}

StepReport Trainer::step() {
    report_ = {};
    report_.step = ++steps_done_;
    clock_.restart(Phase::compute);
    const double begin_s = now_s();
    reduction_.begin_step();
    begun_.assign(program_.actions.size(), false);
    for (std::size_t i = 0; i < program_.actions.size(); ++i) {
        if (begun_[i]) continue;
        begun_[i] = true;
        run(i);
    }
    report_.phases = clock_.stop();
    report_.time_s = now_s() - begin_s;
    return report_;
}

void Trainer::run(std::size_t position) {
    const Action& action = program_.actions[position];
    if (action.kind == Kind::forward) return forward(action);
    if (action.kind == Kind::backward) return backward(position);
    if (action.kind == Kind::update) return update();
    const PhaseScope scope(clock_, Phase::communication);
    switch (action.kind) {
        case Kind::reduce_loss:
            return reduction_.start_loss();
        case Kind::reduce_bucket:
            return start_bucket(position);
        case Kind::wait_loss:
            report_.loss = reduction_.wait_loss();
            return;
        default:
            return reduction_.wait_bucket(action.index);
    }
}

void Trainer::load(std::int64_t first_sample) {
    const PhaseScope scope(clock_, Phase::data);
    const double begin_s = now_s();
    sampler_.fill(steps_done_ - 1, first_sample, inputs_, targets_);
    note("data", first_sample, begin_s);
}

void Trainer::forward(const Action& action) {
    load(action.first_sample);
    const double begin_s = now_s();
    reduction_.add_loss(model_.forward(inputs_, targets_) * action.scale);
    note("forward", action.index, begin_s);
}

void Trainer::backward(std::size_t position) {
    const Action& action = program_.actions[position];
    const double begin_s = now_s();
    model_.backward(action.scale, [&](std::int64_t gradients) {
        reduction_.gradients_final(gradients);
        serve_buckets(position, gradients);
    });
    note("backward", action.index, begin_s);
}

void Trainer::serve_buckets(std::size_t position, std::int64_t gradients) {
    const PhaseScope scope(clock_, Phase::communication);
    const auto ready = [&](const Action& action) {
        return std::ranges::all_of(action.after, [&](const Action::After& after) {
            return after.action < position ||
                   (after.action == position && after.gradients <= gradients);
        });
    };
    for (std::size_t i = position + 1;
         i < program_.actions.size() && program_.actions[i].kind == Kind::reduce_bucket; ++i) {
        if (begun_[i]) continue;
        if (!ready(program_.actions[i])) break;
        begun_[i] = true;
        start_bucket(i);
    }
    reduction_.progress();
}

void Trainer::start_bucket(std::size_t position) {
    const std::int64_t bucket = program_.actions[position].index;
    bucket_begin_s_[static_cast<std::size_t>(bucket)] = now_s();
    reduction_.start_bucket(bucket);
}

void Trainer::update() {
    const PhaseScope scope(clock_, Phase::optimizer);
    const double begin_s = now_s();
    const auto report = optimizer_.update(steps_done_, model_.weights(), model_.gradients());
    report_.gradient_norm = report.gradient_norm;
    report_.learning_rate = report.learning_rate;
    note("optimizer", steps_done_, begin_s);
}

std::optional<double> Trainer::validation_loss() {
    const std::int64_t micro_batch = options_.batch.micro_batch;
    const std::int64_t batches = std::min(options_.eval_sequences, windows_.count()) / micro_batch;
    if (batches == 0) return std::nullopt;
    const std::int64_t windows = batches * micro_batch;
    const auto sequence = static_cast<std::size_t>(options_.batch.sequence);
    const double scale = 1.0 / static_cast<double>(windows * options_.batch.sequence);
    reduction_.begin_loss();
    for (std::int64_t batch = rank_; batch < batches; batch += ranks_) {
        for (std::int64_t b = 0; b < micro_batch; ++b) {
            const auto first = static_cast<std::size_t>(b) * sequence;
            windows_.fill(batch * micro_batch + b, windows,
                          std::span(inputs_).subspan(first, sequence),
                          std::span(targets_).subspan(first, sequence));
        }
        reduction_.add_loss(model_.forward(inputs_, targets_) * scale);
    }
    reduction_.start_loss();
    return reduction_.wait_loss();
}

void Trainer::note(const char* what, std::int64_t index, double begin_s, bool in_flight) {
    if (tracing_) trace_.push_back({what, index, in_flight, begin_s, now_s()});
}

}  // namespace shardstone::reference
