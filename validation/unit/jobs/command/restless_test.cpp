// SPDX-License-Identifier: BSD-3-Clause
// An all-reduce whose times never settle, for time_budget_test: no algorithm of ours, and in no
// library, like the wrong ones of spoiler_test.cpp.
#include <time.h>

#include "collectives/operation/algorithm.hpp"

namespace shardstone::collectives {

namespace {

/// The library's result, after a nap of 1 ms or 3 ms, in turns: the interval for the median spans
/// both, however many samples there are.
class Restless : public Executor {
  public:
    Restless(Communicator& communicator, const CollectiveSpec& spec)
        : right_(make_executor(communicator, find_algorithm("all_reduce", "mpi"), spec)) {}

    void start(const void* input, void* output) override {
        constexpr long millisecond_ns = 1'000'000;
        const timespec nap{0, (runs_++ % 2 == 0 ? 1 : 3) * millisecond_ns};
        nanosleep(&nap, nullptr);
        right_->start(input, output);
    }
    Progress progress() override { return right_->progress(); }
    std::int64_t bytes_sent() const noexcept override { return 0; }

  private:
    std::unique_ptr<Executor> right_;
    std::int64_t runs_ = 0;
};

Algorithm restless() {
    Algorithm algorithm;
    algorithm.name = "restless";
    algorithm.summary = "naps";
    algorithm.direct = [](Communicator& communicator, const Algorithm&,
                          const CollectiveSpec& spec) {
        return std::make_unique<Restless>(communicator, spec);
    };
    return algorithm;
}

const AlgorithmRegistration restless_registration("all_reduce", restless());

}  // namespace

}  // namespace shardstone::collectives
