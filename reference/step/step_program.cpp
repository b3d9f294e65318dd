// SPDX-License-Identifier: BSD-3-Clause
#include "reference/step/step_program.hpp"

#include <algorithm>

#include "kernels/base/error.hpp"

namespace shardstone::reference {

namespace {

class Builder {
  public:
    explicit Builder(std::vector<Bucket> buckets) { program_.buckets = std::move(buckets); }

    std::size_t add(Action action) {
        program_.actions.push_back(std::move(action));
        return program_.actions.size() - 1;
    }

    const std::vector<Bucket>& buckets() const { return program_.buckets; }
    std::int64_t parameters() const { return buckets().empty() ? 0 : buckets().back().end(); }
    StepProgram take() { return std::move(program_); }

  private:
    StepProgram program_;
};

Action communication(Action::Kind kind, std::int64_t index, Action::After after) {
    return {kind, index, 0, 1.0, {after}};
}

/// What the reductions wait for.
struct Passes {
    std::size_t last_backward = 0;
    std::size_t reduce_loss = 0;
};

Passes add_passes(Builder& builder, const BatchShape& batch, SampleRange samples) {
    const double scale = 1.0 / static_cast<double>(batch.global_tokens());
    const std::int64_t count = samples.count / batch.micro_batch;
    Passes passes;
    for (std::int64_t m = 0; m < count; ++m) {
        // The model holds the activations of one micro-batch: the next waits for them.
        std::vector<Action::After> free;
        if (m > 0) free.push_back({passes.last_backward, builder.parameters()});
        const std::size_t forward =
            builder.add({Action::Kind::forward, m, samples.first + m * batch.micro_batch, scale,
                         std::move(free)});
        if (m == count - 1) {
            passes.reduce_loss =
                builder.add(communication(Action::Kind::reduce_loss, 0, {forward, 0}));
        }
        passes.last_backward = builder.add({Action::Kind::backward, m, 0, scale, {{forward, 0}}});
    }
    return passes;
}

void add_reductions(Builder& builder, const Passes& passes, bool overlap) {
    std::vector<std::size_t> reductions;
    for (const Bucket& bucket : builder.buckets()) {
        const std::int64_t needed = overlap ? bucket.end() : builder.parameters();
        reductions.push_back(builder.add(communication(
            Action::Kind::reduce_bucket, std::ssize(reductions), {passes.last_backward, needed})));
    }
    std::vector<Action::After> all;
    for (const std::size_t reduction : reductions) {
        all.push_back(
            {builder.add(communication(Action::Kind::wait_bucket, std::ssize(all), {reduction, 0})),
             0});
    }
    builder.add(communication(Action::Kind::wait_loss, 0, {passes.reduce_loss, 0}));
    builder.add({Action::Kind::update, 0, 0, 1.0, std::move(all)});
}

}  // namespace

std::vector<Bucket> cut_buckets(std::int64_t parameters, std::int64_t size_bytes) {
    const auto most = size_bytes / static_cast<std::int64_t>(sizeof(float));
    SHARDSTONE_EXPECTS(most > 0);
    std::vector<Bucket> buckets;
    for (std::int64_t first = 0; first < parameters; first += most) {
        buckets.push_back({first, std::min(most, parameters - first)});
    }
    return buckets;
}

std::int64_t default_bucket_bytes(std::int64_t parameters) {
    constexpr std::int64_t least = 256 << 10;
    constexpr std::int64_t most = 25 << 20;
    return std::clamp(parameters * static_cast<std::int64_t>(sizeof(float)) / 8, least, most);
}

SampleRange samples_of(const ParallelPlan& plan, const BatchShape& batch, int rank) {
    const std::int64_t share = batch.global_batch / plan.data;
    return {rank * share, share};
}

StepProgram data_parallel_program(const BatchShape& batch, SampleRange samples,
                                  const ReductionShape& reduction) {
    SHARDSTONE_EXPECTS(samples.count > 0 && samples.count % batch.micro_batch == 0);
    Builder builder(reduction.buckets);
    const Passes passes = add_passes(builder, batch, samples);
    add_reductions(builder, passes, reduction.overlap);
    return builder.take();
}

StepProgram step_program(const ParallelPlan& plan, const BatchShape& batch,
                         const ReductionShape& reduction, int rank) {
    return data_parallel_program(batch, samples_of(plan, batch, rank), reduction);
}

}  // namespace shardstone::reference
