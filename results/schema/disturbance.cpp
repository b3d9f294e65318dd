// SPDX-License-Identifier: BSD-3-Clause
// Columns of the table that tells what else the machine did in each window of a measurement.
#include "results/schema/disturbance.hpp"

namespace shardstone::results {

const TableSchema<SurroundingsRow> SurroundingsRow::schema{
    "surroundings",
    Role::samples,
    "Other activity on the machine during the measurements, one window per row.",
    {{"begin_s", "s", "Start of the window since the start of the watch.", &Row::begin_s, 2},
     {"window_s", "s", "Its length.", &Row::window_s, 2},
     {"disturbed", "1", "1 if one of the three shares is over 5 %, else 0.", &Row::disturbed, 2},
     {"others_share", "1",
      "CPU time of other programs as a fraction of the total time of the cores that the ranks may "
      "use, on the node where it was largest.",
      &Row::others_share, 2},
     {"waiting_share", "1",
      "Longest time that a rank was ready to run but on no core while others used the cores, as a "
      "fraction of the window's length; 0 if ranks outnumber cores.",
      &Row::waiting_share, 2},
     {"stolen_share", "1",
      "Fraction of the time of those cores that the hypervisor gave to other machines.",
      &Row::stolen_share, 2},
     {"switches", "1", "Number of times that a rank was preempted by another program or rank.",
      &Row::switches, 2},
     {"clock_mhz", "MHz", "Mean clock of those cores at the end of the window.", &Row::clock_mhz,
      2}}};

}  // namespace shardstone::results
