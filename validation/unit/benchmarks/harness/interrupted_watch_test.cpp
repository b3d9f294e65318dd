// SPDX-License-Identifier: BSD-3-Clause
// Who is asked to stop takes nothing again, on whichever rank the signal comes. A program of its
// own, since a signal is noted for good.
#include <gtest/gtest.h>
#include <signal.h>

#include <memory>

#include "benchmarks/harness/watch.hpp"
#include "kernels/base/interrupt.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::benchmarks {
namespace {

using validation::world;

/// A core that others have all the time.
class TakenByOthers : public MachineReader {
  public:
    std::vector<int> cores_of(std::span<const pid_t>) const override { return {0}; }
    std::optional<CoreTimes> core_times(std::span<const int>) const override {
        return CoreTimes{1, 0.0, 0.0};
    }
    ProcessTimes process_times(pid_t) const override { return {}; }
};

TEST(Watch, NothingIsTakenAgainAfterASignalToAnyRank) {
    for (const bool stops : {false, true}) {
        Watch watch(world(), std::make_unique<TakenByOthers>());
        const Watched watched = watch.until_quiet(
            [&] {
                catch_interrupts("this try");
                if (stops && world().rank() == world().size() - 1) raise(SIGTERM);
            },
            [] {});
        EXPECT_TRUE(watched.surroundings.disturbed());
        EXPECT_EQ(watched.tries, stops ? 1 : most_tries);
    }
}

}  // namespace
}  // namespace shardstone::benchmarks
