// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "results/schema/schema.hpp"

namespace shardstone::results {

/// Table "surroundings": other activity on the machine during one window of a run.
struct SurroundingsRow {
    using Row = SurroundingsRow;
    double begin_s = not_measured;
    double window_s = not_measured;
    double disturbed = not_measured;
    double others_share = not_measured;
    double waiting_share = not_measured;
    double stolen_share = not_measured;
    double switches = not_measured;
    double clock_mhz = not_measured;

    static const TableSchema<SurroundingsRow> schema;
};

/// Adds the columns that describe the conditions of a measurement to those of a row; tables have
/// them since the given version of the format.
template <class Row>
std::vector<Field<Row>> with_disturbance(std::vector<Field<Row>> fields, int since = 2) {
    const std::vector<Field<Row>> more{
        {"disturbed", "1",
         "1 if other programs, the hypervisor or waits for a core took over 5 % in each of its "
         "tries, else 0; not a number if the system does not report it.",
         &Row::disturbed, since},
        {"others_share", "1",
         "CPU time of other programs as a fraction of the total time of the cores that the ranks "
         "may use, on the node where it was largest.",
         &Row::others_share, since},
        {"waiting_share", "1",
         "Longest time that a rank was ready to run but on no core while others used the cores, as "
         "a fraction of the measurement's time.",
         &Row::waiting_share, since},
        {"stolen_share", "1",
         "Fraction of the time of those cores that the hypervisor gave to other machines.",
         &Row::stolen_share, since},
        {"tries", "1", "Number of tries, of which the least disturbed counts.", &Row::tries,
         since}};
    fields.insert(fields.end(), more.begin(), more.end());
    return fields;
}

}  // namespace shardstone::results
