// SPDX-License-Identifier: BSD-3-Clause
// A machine on which nothing else runs, for tests of what is measured rather than of how disturbed
// it was: next to other tests the real one would have every measurement taken three times.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "benchmarks/harness/machine_reader.hpp"
#include "kernels/base/clock.hpp"

namespace shardstone::validation {

/// One core, always idle; naps take no time, its clock goes on by them instead.
class QuietMachine : public benchmarks::MachineReader {
  public:
    double time_s() const override { return told_s_ = now_s() + napped_s_; }
    void nap(double duration_s) const override { napped_s_ += duration_s; }
    std::vector<int> cores_of(std::span<const pid_t>) const override { return {0}; }
    std::optional<benchmarks::CoreTimes> core_times(std::span<const int>) const override {
        return benchmarks::CoreTimes{1, told_s_, 0.0};
    }
    benchmarks::ProcessTimes process_times(pid_t) const override { return {}; }

  private:
    mutable double napped_s_ = 0.0;
    mutable double told_s_ = 0.0;  ///< so that a look is of one moment, however long it takes
};

}  // namespace shardstone::validation
