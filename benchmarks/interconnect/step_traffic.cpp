// SPDX-License-Identifier: BSD-3-Clause
// Trainings whose computations take no time: what is left of a step are its messages.
#include "benchmarks/interconnect/step_traffic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "kernels/tensor/paced.hpp"
#include "reference/data/dataset.hpp"
#include "reference/step/pricing/prediction.hpp"
#include "reference/trainer/trainer.hpp"

namespace shardstone::benchmarks {

namespace {

using namespace reference;
using collectives::Communicator;
using collectives::Topology;

constexpr const char* model = "tiny";
constexpr std::int64_t sequences_per_replica = 2, sequence = 64;
/// A device that is never waited for.
constexpr double no_limit_per_s = 1e18;

TrainOptions options_of(const std::string& plan, int ranks) {
    TrainOptions options;
    options.model = gpt_preset(model);
    options.plan = parse_plan(plan);
    const int replicas = ranks / (options.plan.tensor * options.plan.pipeline);
    options.batch = {.global_batch = sequences_per_replica * replicas,
                     .micro_batch = 1,
                     .sequence = sequence,
                     .shortest = 0};
    options.communication.bucket_bytes = default_bucket_bytes(options.model.parameter_count());
    options.eval_sequences = 0;
    options.pace = Pace{no_limit_per_s, no_limit_per_s};
    return options;
}

Dataset dataset_of(const TrainOptions& options) {
    std::vector<Token> tokens(static_cast<std::size_t>(2 * options.batch.global_tokens() + 1));
    return Dataset::from_tokens("none", options.model.vocabulary, std::move(tokens), {});
}

Machine machine_of(const Communicator& world) {
    Machine machine{world.cluster(), no_limit_per_s, no_limit_per_s};
    for (int rank = 0; rank < world.size(); ++rank) {
        machine.placement.push_back(world.topology().node_of(rank));
    }
    return machine;
}

std::int64_t bytes_of(const StepPrediction& prediction) {
    std::int64_t bytes = 0;
    for (const auto& traffic : prediction.sent) {
        bytes += static_cast<std::int64_t>(traffic.bytes());
    }
    return bytes;
}

}  // namespace

struct StepTraffic::Training {
    Training(Communicator& ranks, const std::string& plan)
        : world(ranks),
          options(options_of(plan, ranks.size())),
          dataset(dataset_of(options)),
          prediction(ranks.agree([&] {
              validate(options, ranks.size(), dataset);
              return price_step(options, machine_of(ranks), memory_options(options)).prediction;
          })),
          trainer(ranks, options, dataset, checked_step_program(options, ranks.rank())) {}

    Communicator& world;
    TrainOptions options;
    Dataset dataset;
    StepPrediction prediction;
    Trainer<float, Paced> trainer;
};

std::vector<std::string> plans_of_traffic(const Topology& topology) {
    const int ranks = topology.size();
    if (ranks == 1) return {};
    std::vector<std::string> plans{fmt::format("dp={}", ranks), fmt::format("dp={},zero=3", ranks)};
    int together = 0;  // ranks on every node
    for (int node = 0; node < topology.nodes(); ++node) {
        together = std::gcd(together, static_cast<int>(topology.ranks_on(node).size()));
    }
    const int tensor = std::gcd(together, static_cast<int>(gpt_preset(model).heads));
    if (tensor > 1) plans.push_back(fmt::format("tp={},dp={}", tensor, ranks / tensor));
    if (ranks % 2 == 0) plans.push_back(fmt::format("pp=2,dp={}", ranks / 2));
    return plans;
}

StepTraffic::StepTraffic(Communicator& world, const std::string& plan)
    : training_(std::make_unique<Training>(world, plan)) {}
StepTraffic::~StepTraffic() = default;

double StepTraffic::step_s() {
    training_->world.barrier();
    return training_->world.max(training_->trainer.step().time_s);
}

double StepTraffic::predicted_s() const {
    return training_->prediction.step_s;
}

std::int64_t StepTraffic::sent_bytes() const {
    return bytes_of(training_->prediction);
}

}  // namespace shardstone::benchmarks
