// SPDX-License-Identifier: BSD-3-Clause
// Pairs alone, at once and beside an all-to-all, pass by pass.
#include "validation/interconnect/load_tests.hpp"

#include "kernels/base/clock.hpp"
#include "validation/interconnect/interconnect_record.hpp"
#include "validation/interconnect/pair_tests.hpp"
#include "validation/interconnect/test_counts.hpp"

namespace shardstone::validation {

benchmarks::Congestion LoadTests::congestion() const {
    return {world_, options_.memory, options_.sizes_bytes, options_.rails, passes_};
}

void LoadTests::run(double budget_s) {
    auto congestion = this->congestion();
    pass(congestion, false);
    const double until_s = now_s() + budget_s;
    const auto time_is_left = [&] {
        return world_.max(world_.is_root() && now_s() < until_s ? 1.0 : 0.0) > 0.0;
    };
    for (int done = 0; done < usual_passes && !measured_.stopped; ++done) {
        if (done >= least_passes && !time_is_left()) return;
        pass(congestion, true);
    }
}

std::int64_t LoadTests::run_again(std::int64_t passes, const UndecidedLimits& limits) {
    auto congestion = this->congestion();
    return limits.repeat(passes, 0.0, [&](bool counts) { pass(congestion, counts); });
}

/// `counts` is false for a pass that opens connections: only its data count.
void LoadTests::pass(benchmarks::Congestion& congestion, bool counts) {
    const auto found = congestion.run([&](const char* what) { observer_.progress(what); });
    ++passes_;
    InterconnectSamples part;
    if (counts) {
        measured_.expected += congestion.samples_of_pass();
        part.congestion = rows_of_loads(found.samples);
        measured_.compared_bytes += found.compared_bytes;
    }
    part.wrong = wrong_rows_of(found.wrong, congestion.clock());
    take(part, observer_, measured_);
}

}  // namespace shardstone::validation
