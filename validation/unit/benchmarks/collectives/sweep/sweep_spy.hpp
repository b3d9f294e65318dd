// SPDX-License-Identifier: BSD-3-Clause
// An algorithm for each of four operations that writes down how a sweep calls it. For one test
// program: its state is shared.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "benchmarks/collectives/sweep/sweep.hpp"
#include "collectives/executors/collective.hpp"
#include "collectives/operation/algorithm.hpp"
#include "kernels/base/clock.hpp"
#include "validation/unit/benchmarks/harness/quiet_machine.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {

using namespace shardstone::benchmarks;
using collectives::Algorithm;
using collectives::CollectiveSpec;
using collectives::Communicator;
using collectives::Executor;

struct Call {
    const void* input;
    const void* output;
    float first;  ///< of the input
};

/// What the spies have seen since it was last cleared.
struct Seen {
    std::vector<CollectiveSpec> specs;
    std::vector<Call> calls;
};
inline Seen seen;

/// Warm-ups and timed runs of one measurement, which is taken again where the machine was
/// disturbed.
inline constexpr std::int64_t runs_of_a_try = 9;
/// Of the runs of a try, and of those after the last try, counted from 1: the one whose result has
/// its first element spoilt, and the one in which nothing is done; none: 0.
inline std::int64_t spoilt = 0, idle = 0;
inline bool is_run(std::int64_t number, std::int64_t wanted) {
    return wanted > 0 && (number - 1) % runs_of_a_try + 1 == wanted;
}
/// Whether the input is written to.
inline bool spoils_input = false;
/// What a run takes besides, by its number.
inline std::function<double(std::size_t)> pause_s;
/// What every run takes besides, on its core: to the microsecond, as a pause is not.
inline double busy_s = 0.0;

/// The library's own collective, under observation.
class Spy : public Executor {
  public:
    Spy(Communicator& communicator, const collectives::Operation& operation,
        const CollectiveSpec& spec)
        : real_(collectives::make_executor(communicator,
                                           collectives::find_algorithm(operation, "mpi"), spec)) {
        seen.specs.push_back(spec);
    }

    void start(const void* input, void* output) override { real_->start(input, output); }
    Progress progress() override { return real_->progress(); }
    void run(const void* input, void* output) override {
        seen.calls.push_back({input, output, *static_cast<const float*>(input)});
        const auto number = static_cast<std::int64_t>(seen.calls.size());
        if (!is_run(number, idle)) real_->run(input, output);
        if (spoils_input) *static_cast<float*>(const_cast<void*>(input)) += 1.0F;
        if (is_run(number, spoilt)) *static_cast<float*>(output) += 1.0F;
        if (pause_s) {
            std::this_thread::sleep_for(std::chrono::duration<double>(pause_s(seen.calls.size())));
        }
        for (const double start_s = now_s(); now_s() - start_s < busy_s;) {
        }
    }
    std::int64_t bytes_sent() const noexcept override { return 0; }

  private:
    std::unique_ptr<Executor> real_;
};

inline Algorithm spy() {
    Algorithm algorithm;
    algorithm.name = "spy";
    algorithm.summary = "writes down how it is called";
    algorithm.direct = [](Communicator& communicator, const Algorithm& itself,
                          const CollectiveSpec& spec) {
        return std::make_unique<Spy>(communicator, *itself.operation, spec);
    };
    return algorithm;
}

inline const collectives::AlgorithmRegistration on_all_reduce("all_reduce", spy());
inline const collectives::AlgorithmRegistration on_reduce("reduce", spy());
inline const collectives::AlgorithmRegistration on_all_gather("all_gather", spy());
inline const collectives::AlgorithmRegistration on_all_to_all("all_to_all", spy());

/// At one size; 9 runs of 5 elements of 4 bytes for an all-reduce.
inline SweepOptions brief(const std::string& operation) {
    SweepOptions options;
    options.operations = {operation};
    options.algorithms = {"spy"};
    options.smallest = options.largest = "20";
    options.iterations = 7;
    options.warmup = 2;
    options.checks = 1;
    return options;
}

inline Sweep run(const SweepOptions& options) {
    seen = {};
    SweepPlan plan = plan_sweep(options);
    fit_plan(options, world().topology(), plan);
    return run_sweep(world(), options, plan, {}, std::make_unique<QuietMachine>());
}

}  // namespace shardstone::validation
