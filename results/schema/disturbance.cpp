// SPDX-License-Identifier: BSD-3-Clause
// Columns of the table that tells what else the machine did in each window of a measurement.
#include "results/schema/disturbance.hpp"

namespace shardstone::results {

const TableSchema<SurroundingsRow> SurroundingsRow::schema{
    "surroundings",
    Role::samples,
    "What else the machine did while it measured, window by window.",
    {{"begin_s", "s", "Beginning of the window since the watch began.", &Row::begin_s, 2},
     {"window_s", "s", "Its length.", &Row::window_s, 2},
     {"disturbed", "1", "1 where one of the three shares is over 5 %, else 0.", &Row::disturbed, 2},
     {"others_share", "1",
      "CPU time of other programs over all time of the cores that the ranks may use, on the node "
      "where it was most.",
      &Row::others_share, 2},
     {"waiting_share", "1",
      "Longest time that a rank was ready to run but on no core, as far as others used the cores "
      "meanwhile, over the window's; 0 where ranks outnumber cores.",
      &Row::waiting_share, 2},
     {"stolen_share", "1", "Time of those cores that the hypervisor gave to other machines.",
      &Row::stolen_share, 2},
     {"switches", "1", "Times that a rank had to leave a core to another program or rank.",
      &Row::switches, 2},
     {"clock_mhz", "MHz", "Clock of those cores at the end of the window, their mean.",
      &Row::clock_mhz, 2}}};

}  // namespace shardstone::results
