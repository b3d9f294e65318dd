// SPDX-License-Identifier: BSD-3-Clause
// Columns of the tables of collectives and steps beside their predictions.
#include "results/schema/traffic.hpp"

namespace shardstone::results {

namespace {

constexpr const char* traffic_meaning =
    "\"all_reduce ring\": a collective and its algorithm; \"step dp=8,zero=3\": the messages of a "
    "training step of the plan, whose computations take no time.";
constexpr const char* size_meaning = "Size of the whole vector; of a step, all bytes it sends.";

}  // namespace

const TableSchema<TrafficSampleRow> TrafficSampleRow::schema{
    "traffic_samples",
    Role::samples,
    "One collective, or the messages of one training step, on all ranks.",
    {{"traffic", "", traffic_meaning, &Row::traffic, 3},
     {"size_bytes", "B", size_meaning, &Row::size_bytes, 3},
     {"number", "1", "Its number among those of its kind.", &Row::number, 3},
     {"time_s", "s", "The slowest rank's time.", &Row::time_s, 3},
     {"predicted_s", "s", "By the cost model, from the description of the links.",
      &Row::predicted_s, 3},
     {"judged", "1",
      "1 if the description was measured, with ranks that have cores, or share them, as these do; "
      "else 0: then the prediction judges nothing.",
      &Row::judged, 3},
     {"wrong_elements", "1",
      "Elements of its results that were wrong, on all ranks; not a number of steps, which give no "
      "results.",
      &Row::wrong_elements, 3},
     {"uncertainty", "1",
      "Time of a message or reduction at the ends of the description's 95 % intervals over the "
      "time "
      "described, where that is largest; 1 if it has no intervals.",
      &Row::uncertainty, 3}}};

const TableSchema<TrafficRow> TrafficRow::schema{
    "traffic",
    Role::derived,
    "A collective, or the messages of a training step, beside the prediction.",
    {{"traffic", "", traffic_meaning, &Row::traffic, 3},
     {"size_bytes", "B", size_meaning, &Row::size_bytes, 3},
     {"samples", "1", "Number of samples.", &Row::samples, 3},
     {"time_s", "s", "Median time.", &Row::time_s, 3},
     {"time_low_s", "s", "Its 95 % interval, lower end.", &Row::time_low_s, 3},
     {"time_high_s", "s", "Upper end.", &Row::time_high_s, 3},
     {"predicted_s", "s", "By the cost model.", &Row::predicted_s, 3},
     {"over_prediction", "1", "Median time over the prediction.", &Row::over_prediction, 3},
     {"over_low", "1", "Its 95 % interval, lower end.", &Row::over_low, 3},
     {"over_high", "1", "Upper end.", &Row::over_high, 3},
     {"prediction_error", "1",
      "Factor by which the prediction may be too short: the uncertainty of the description or, if "
      "that is more, the largest factor by which any traffic surely takes less than predicted.",
      &Row::prediction_error, 3},
     {"slow", "1",
      "1 if even the lower end is over 1.25 times the prediction's error, by a description that "
      "judges, unless what others took of the cores may be why; else 0.",
      &Row::slow, 3},
     {"further", "1",
      "Samples still needed to tell whether the median is over 1.25 times the prediction; 0 if "
      "they "
      "tell, or if nothing is judged; 2^20 if no number does.",
      &Row::further, 3},
     {"disturbed", "1", "1 if others took over 5 % of the cores of its machine meanwhile, else 0.",
      &Row::disturbed, 3}}};

}  // namespace shardstone::results
