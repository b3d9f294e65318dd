// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "benchmarks/harness/watch.hpp"
#include "results/record/record.hpp"
#include "results/schema/schema.hpp"

namespace shardstone::benchmarks {

/// Table "surroundings" from the log of a watch.
results::Table surroundings_table(const std::vector<Surroundings>& log);

/// Fills the columns of results::with_disturbance().
template <class Row>
void put_watched(const Watched& watched, Row& row) {
    const Surroundings& seen = watched.surroundings;
    row.disturbed = !seen.known() ? results::not_measured : seen.disturbed() ? 1.0 : 0.0;
    row.others_share = seen.others_share;
    row.waiting_share = seen.waiting_share;
    row.stolen_share = seen.stolen_share;
    row.tries = watched.tries;
}

/// The inverse of put_watched(), as far as the columns contain it.
template <class Row>
Watched watched_of(const Row& row) {
    Watched watched;
    watched.surroundings.others_share = row.others_share;
    watched.surroundings.waiting_share = row.waiting_share;
    watched.surroundings.stolen_share = row.stolen_share;
    watched.tries = static_cast<int>(row.tries);
    return watched;
}

}  // namespace shardstone::benchmarks
