// SPDX-License-Identifier: BSD-3-Clause
// What a watch saw, as a table of the record.
#include "benchmarks/harness/watch_record.hpp"

#include "results/schema/disturbance.hpp"

namespace shardstone::benchmarks {

results::Table surroundings_table(const std::vector<Surroundings>& log) {
    std::vector<results::SurroundingsRow> rows;
    for (const Surroundings& seen : log) {
        rows.push_back({seen.begin_s, seen.window_s, seen.disturbed() ? 1.0 : 0.0,
                        seen.others_share, seen.waiting_share, seen.stolen_share, seen.switches,
                        seen.clock_mhz});
    }
    return results::table_of(rows);
}

}  // namespace shardstone::benchmarks
