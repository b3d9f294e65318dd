// SPDX-License-Identifier: BSD-3-Clause
// The real executors run as simulated processes in SimGrid; bytes sent and sums are checked.
#include "benchmarks/collectives/simgrid/simulated_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <simgrid/s4u.hpp>
#include <stdexcept>

#include "benchmarks/collectives/simgrid/folded_memory.hpp"
#include "benchmarks/collectives/simgrid/platform.hpp"
#include "collectives/cluster/native.hpp"
#include "collectives/executors/collective.hpp"
#include "collectives/operation/algorithm.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::benchmarks {

namespace {

namespace s4u = simgrid::s4u;
using collectives::Communicator;
using collectives::NativeCommunicator;

constexpr std::int64_t longest_checked_bytes = 1 << 20;

/// All that the ranks share; they take turns in one thread.
struct Experiment {
    const SimulationPlan& plan;
    std::vector<SimGridPoint> points;
    std::vector<s4u::BarrierPtr> gates;  ///< by rank count; passing one takes no simulated time
    std::string wrong;                   ///< the first thing found
};

/// Small whole numbers: every order of additions gives the same FP32 sum.
float value_at(int rank, std::int64_t i) {
    return static_cast<float>(rank % 5 + 1) + static_cast<float>(i % 7);
}

bool sums_right(const float* vector, std::int64_t count, int ranks) {
    float first = 0.0F;
    for (int rank = 0; rank < ranks; ++rank) first += value_at(rank, 0);
    for (std::int64_t i = 0; i < count; ++i) {
        if (vector[i] != first + static_cast<float>(ranks) * static_cast<float>(i % 7))
            return false;
    }
    return true;
}

void run_point(Communicator& communicator, SimGridPoint& point, s4u::Barrier& gate,
               std::string& wrong) {
    const bool checked = point.size_bytes <= longest_checked_bytes;
    const collectives::CollectiveSpec spec{
        {point.size_bytes / static_cast<std::int64_t>(sizeof(float)), ElementType::fp32}, 0, {}};
    const std::int64_t count = spec.vector.count;
    auto folding = std::make_unique<FoldingScope>(!checked);
    const std::unique_ptr<float[]> vector(new float[static_cast<std::size_t>(count)]);
    collectives::Collective all_reduce(communicator, "all_reduce", point.algorithm, spec);
    folding.reset();
    for (std::int64_t i = 0; checked && i < count; ++i)
        vector[i] = value_at(communicator.rank(), i);

    gate.wait();
    const double start_s = s4u::Engine::get_clock();
    all_reduce.run(vector.get(), vector.get());
    point.time_s = std::max(point.time_s, s4u::Engine::get_clock() - start_s);
    gate.wait();

    const auto algorithm = collectives::find_algorithm("all_reduce", point.algorithm);
    const bool right_bytes =
        all_reduce.bytes_sent() ==
        scheduled_bytes(algorithm, communicator.topology(), communicator.rank(), spec);
    const bool right_sums = !checked || sums_right(vector.get(), count, communicator.size());
    if (wrong.empty() && !(right_bytes && right_sums)) {
        wrong = fmt::format("{} of {} B on {} ranks: wrong {} on rank {}", point.algorithm,
                            point.size_bytes, point.ranks, right_bytes ? "sums" : "bytes sent",
                            communicator.rank());
    }
}

/// What every simulated process does.
void run_rank(Experiment& experiment) {
    MPI_Init(nullptr, nullptr);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (std::size_t i = 0; i < experiment.plan.ranks.size(); ++i) {
        const int ranks = experiment.plan.ranks[i];
        MPI_Comm part = MPI_COMM_NULL;
        MPI_Comm_split(MPI_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, rank, &part);
        if (part == MPI_COMM_NULL) continue;
        Communicator communicator(std::make_unique<NativeCommunicator>(part));
        MPI_Comm_free(&part);
        for (SimGridPoint& point : experiment.points) {
            if (point.ranks != ranks) continue;
            run_point(communicator, point, *experiment.gates[i], experiment.wrong);
        }
    }
    MPI_Finalize();
}

void start_ranks(Experiment& experiment, int ranks) {
    SMPI_app_instance_register("shardstone", nullptr, ranks);
    for (int rank = 0; rank < ranks; ++rank) {
        const std::string name = fmt::format("{}", rank);
        const auto actor = s4u::Actor::init(name, s4u::Host::by_name(name));
        actor->set_property("instance_id", "shardstone");
        actor->set_property("rank", name);
        actor->start([&experiment] { run_rank(experiment); });
    }
}

}  // namespace

std::vector<SimGridPoint> run_in_simgrid(const SimulationPlan& plan, double bandwidth_factor) {
    Experiment experiment{plan, {}, {}, {}};
    for (const int ranks : plan.ranks) {
        experiment.gates.push_back(s4u::Barrier::create(static_cast<unsigned>(ranks)));
        for (const std::int64_t size_bytes : plan.sizes_bytes) {
            for (const std::string& algorithm : names_of(plan.algorithms)) {
                experiment.points.push_back({algorithm, ranks, size_bytes, 0.0});
            }
        }
    }
    const int most_ranks = *std::ranges::max_element(plan.ranks);
    std::string program = "simgrid_comparison";
    std::string quiet = "--log=root.thresh:warning";
    char* words[] = {program.data(), quiet.data(), nullptr};
    int arguments = 2;
    s4u::Engine engine(&arguments, words);
    build_platform(plan.cluster, most_ranks, bandwidth_factor);
    SMPI_init();
    start_ranks(experiment, most_ranks);
    bool stuck = false;
    s4u::Engine::on_deadlock_cb([&stuck] { stuck = true; });
    engine.run();
    SMPI_finalize();
    require(!stuck, "SimGrid: the ranks deadlock; check the schedules");
    if (!experiment.wrong.empty()) throw std::runtime_error("SimGrid: " + experiment.wrong);
    return experiment.points;
}

}  // namespace shardstone::benchmarks
