// SPDX-License-Identifier: BSD-3-Clause
// Columns of the tables of trials on simulated clusters.
#include "results/schema/simulated_trials.hpp"

namespace shardstone::results {

namespace {

constexpr const char* fault_meaning =
    "Kind of the one bad part of each cluster, which is drawn: nic-out, an outgoing NIC; healthy: "
    "none.";
constexpr const char* rate_meaning = "Its rate over the healthy one.";
constexpr const char* repetitions_meaning =
    "Messages of each test of a pair and direction: the budget.";

}  // namespace

const TableSchema<TrialRow> TrialRow::schema{
    "simulated_trials",
    Role::samples,
    "Trials on simulated clusters, each with one fault of a kind and severity: counts.",
    {{"fault", "", fault_meaning, &Row::fault, 3},
     {"rate", "1", rate_meaning, &Row::rate, 3},
     {"repetitions", "1", repetitions_meaning, &Row::repetitions, 3},
     {"trials", "1", "Number of trials.", &Row::trials, 3},
     {"faults", "1", "Faults in all of them.", &Row::faults, 3},
     {"detected", "1", "Of these, those at whose place anything was suspected.", &Row::detected, 3},
     {"localised", "1", "Of these, those that were named, with the direction.", &Row::localised, 3},
     {"all_right", "1", "Trials in which all faults were named, and nothing else.", &Row::all_right,
      3},
     {"false_alarms", "1", "Trials in which something was suspected where no fault was.",
      &Row::false_alarms, 3},
     {"further_tests", "1", "Tests beyond the round robin, in all trials.", &Row::further_tests,
      3}}};

const TableSchema<DetectionRow> DetectionRow::schema{
    "simulated_detection",
    Role::derived,
    "Shares of simulated trials in which a fault was seen, with exact 95 % intervals (Clopper and "
    "Pearson).",
    {{"fault", "", fault_meaning, &Row::fault, 3},
     {"rate", "1", rate_meaning, &Row::rate, 3},
     {"repetitions", "1", repetitions_meaning, &Row::repetitions, 3},
     {"detected", "1", "Share of faults at whose place anything was suspected.", &Row::detected, 3},
     {"detected_low", "1", "Its interval, lower end.", &Row::detected_low, 3},
     {"detected_high", "1", "Upper end.", &Row::detected_high, 3},
     {"localised", "1", "Share of faults that were named, with the direction.", &Row::localised, 3},
     {"localised_low", "1", "Its interval, lower end.", &Row::localised_low, 3},
     {"localised_high", "1", "Upper end.", &Row::localised_high, 3},
     {"false_alarms", "1", "Share of trials with something suspected where no fault was.",
      &Row::false_alarms, 3},
     {"false_alarms_low", "1", "Its interval, lower end.", &Row::false_alarms_low, 3},
     {"false_alarms_high", "1", "Upper end.", &Row::false_alarms_high, 3}}};

}  // namespace shardstone::results
