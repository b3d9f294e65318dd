// SPDX-License-Identifier: BSD-3-Clause
// Columns, units and meanings of the tables of collective sweeps, of accuracy and of simulations.
#include "results/schema/collectives.hpp"

#include "results/schema/disturbance.hpp"

namespace shardstone::results {

namespace {

constexpr const char* operation_meaning = "Collective operation.";
constexpr const char* algorithm_meaning =
    "Algorithm; 'mpi' and 'nccl' are the libraries' own, 'auto' chooses one.";
constexpr const char* in_place_meaning = "1 if input and output are one buffer, else 0.";
constexpr const char* size_meaning = "Size of the whole vector, as counted by nccl-tests.";

/// The columns that name a point of a sweep.
template <class Row>
std::vector<Field<Row>> point_fields(std::vector<Field<Row>> figures) {
    std::vector<Field<Row>> fields{{"operation", "", operation_meaning, &Row::operation, 2},
                                   {"algorithm", "", algorithm_meaning, &Row::algorithm},
                                   {"in_place", "1", in_place_meaning, &Row::in_place, 2},
                                   {"size_bytes", "B", size_meaning, &Row::size_bytes}};
    fields.insert(fields.end(), figures.begin(), figures.end());
    return fields;
}

}  // namespace

const TableSchema<CollectiveRow> CollectiveRow::schema{
    "collectives", Role::derived, "One algorithm at one size: statistics of the samples.",
    with_disturbance<Row>(point_fields<Row>({
        {"ranks", "1", "Number of ranks.", &Row::ranks},
        {"time_s", "s", "Median over iterations of the time by which results are compared.",
         &Row::time_s},
        {"mean_s", "s", "Mean of the same times, as printed by IMB and OSU.", &Row::mean_s, 2},
        {"time_low_s", "s", "Lower end of the distribution-free 95 % interval for the median.",
         &Row::time_low_s},
        {"time_high_s", "s", "Upper end of that interval.", &Row::time_high_s},
        {"p95_s", "s", "95th percentile; not a number if the samples do not support it.",
         &Row::p95_s, 2},
        {"p99_s", "s", "99th percentile; not a number if the samples do not support it.",
         &Row::p99_s, 2},
        {"skew_s", "s", "Median time from the first rank's start to the last one's.", &Row::skew_s,
         2},
        {"algbw_gb_s", "GB/s", "Size over time; not a number on one rank.", &Row::algbw_gb_s},
        {"busbw_gb_s", "GB/s", "algbw times the operation's factor, as defined by nccl-tests.",
         &Row::busbw_gb_s},
        {"predicted_s", "s",
         "Time predicted by the cost model; for 'auto' only if it chose by the model.",
         &Row::predicted_s},
        {"measured_before_s", "s",
         "For 'auto', if it chose by an earlier measurement: the time measured then for its "
         "choice.",
         &Row::measured_before_s, 3},
        {"bytes_sent_per_rank", "B",
         "Bytes of the messages that the rank that sent the most sent in one run.",
         &Row::bytes_sent_per_rank},
        {"inside_node_bytes", "B",
         "Bytes sent to its own node by the schedule, the maximum over ranks.",
         &Row::inside_node_bytes, 2},
        {"between_nodes_bytes", "B",
         "Bytes sent to other nodes by the schedule, the maximum over ranks.",
         &Row::between_nodes_bytes, 2},
        {"rotated_buffers", "1", "Number of buffers that the iterations cycled through.",
         &Row::rotated_buffers, 2},
        {"warmup_iterations", "1", "Iterations before the timed ones, which are discarded.",
         &Row::warmup_iterations, 2},
        {"checked", "1", "1 if every element was checked and correct, else 0.", &Row::checked},
        {"reason", "", "For 'auto': its choice, with the reason.", &Row::reason, 2},
    }))};

const TableSchema<CollectiveSampleRow> CollectiveSampleRow::schema{
    "samples", Role::samples, "One timed iteration of one algorithm at one size.",
    point_fields<Row>({
        {"iteration", "1", "Number of the iteration, from 0.", &Row::iteration},
        {"time_s", "s", "Time by which results are compared: see configuration, 'time'.",
         &Row::time_s},
        {"with_skew_s", "s", "Maximum over ranks of the time since their own start.",
         &Row::with_skew_s, 2},
        {"skew_s", "s", "Time from the first rank's start to the last one's.", &Row::skew_s, 2},
    })};

const TableSchema<NoiseFloorRow> NoiseFloorRow::schema{
    "noise_floor", Role::derived,
    "The fastest of our algorithms at one size against itself, as two alternating contenders.",
    with_disturbance<Row>(point_fields<Row>({
        {"ratio", "1", "Median over rounds of the second's time over the first's.", &Row::ratio},
        {"ratio_low", "1", "Lowest ratio of a round.", &Row::ratio_low},
        {"ratio_high", "1", "Highest ratio of a round.", &Row::ratio_high},
        {"iterations_per_round", "1", "Iterations of each contender in a round.",
         &Row::iterations_per_round},
    }))};

const TableSchema<NoiseFloorRoundRow> NoiseFloorRoundRow::schema{
    "noise_floor_rounds", Role::samples, "One round of the noise floor.",
    point_fields<Row>({
        {"round", "1", "Number of the round, from 0.", &Row::round},
        {"ratio", "1", "The second's median time over the first's.", &Row::ratio},
    })};

const TableSchema<CostParameterRow> CostParameterRow::schema{
    "cost_parameters", Role::derived,
    "Parameters of the cost model, one value per row; whether a given description was disturbed is "
    "not known.",
    with_disturbance<Row>({{"name", "", "Name of the parameter, with its unit.", &Row::name},
                           {"value", "", "Its value, in that unit.", &Row::value}},
                          3)};

const TableSchema<AccuracyRow> AccuracyRow::schema{
    "accuracy",
    Role::derived,
    "Accuracy of the sums of one algorithm in one element type.",
    {{"operation", "", operation_meaning, &Row::operation},
     {"algorithm", "", algorithm_meaning, &Row::algorithm},
     {"type", "", "Element type.", &Row::type},
     {"elements", "1", "Elements of the vector.", &Row::elements},
     {"depth", "1", "Additions on the longest path into a result.", &Row::depth},
     {"max_ulp", "ulp", "Largest error, in units in the last place of the type.", &Row::max_ulp},
     {"rms_ulp", "ulp", "Root mean square of the errors.", &Row::rms_ulp},
     {"bound_ulp", "ulp", "Derived bound at its largest.", &Row::bound_ulp},
     {"share_of_bound", "1", "Largest error over its own bound.", &Row::share_of_bound},
     {"same_in_all_runs", "1", "1 if all runs gave the same bits, else 0.", &Row::same_in_all_runs},
     {"same_on_all_ranks", "1",
      "1 if all ranks have the same bits, 0 if not; not a number if they get different elements.",
      &Row::same_on_all_ranks},
     {"as_scheduled", "1",
      "1 if the bits are those of the schedule executed without messages, 0 if not; not a number "
      "if there is no schedule.",
      &Row::as_scheduled},
     {"digest", "", "Hash of the result's bits.", &Row::digest}}};

const TableSchema<SimulatedRow> SimulatedRow::schema{
    "simulated",
    Role::derived,
    "One algorithm at one size on a described cluster: predicted, not measured.",
    {{"algorithm", "", algorithm_meaning, &Row::algorithm},
     {"ranks", "1", "Number of participating ranks of the described cluster.", &Row::ranks},
     {"size_bytes", "B", size_meaning, &Row::size_bytes},
     {"predicted_s", "s", "Simulated time.", &Row::predicted_s},
     {"predicted_algbw_gb_s", "GB/s", "Size over that time.", &Row::predicted_algbw_gb_s},
     {"predicted_busbw_gb_s", "GB/s", "algbw times the operation's factor.",
      &Row::predicted_busbw_gb_s},
     {"messages", "1", "Number of simulated messages.", &Row::messages}}};

const TableSchema<SimulatedTrafficRow> SimulatedTrafficRow::schema{
    "simulated_traffic",
    Role::derived,
    "Load of a simulated algorithm on the links of one class: predicted, not measured.",
    {{"algorithm", "", algorithm_meaning, &Row::algorithm},
     {"ranks", "1", "Number of participating ranks of the described cluster.", &Row::ranks},
     {"size_bytes", "B", size_meaning, &Row::size_bytes},
     {"link_class", "", "intra_node, inter_node or uplink.", &Row::link_class},
     {"bytes", "B", "Bytes over all links of the class.", &Row::bytes},
     {"busiest_link_bytes", "B", "Bytes over the busiest of them.", &Row::busiest_link_bytes},
     {"busiest_link_gb_s", "GB/s", "Those bytes over the simulated time.", &Row::busiest_link_gb_s},
     {"capacity_gb_s", "GB/s", "Capacity of a link of the class.", &Row::capacity_gb_s},
     {"busy_s", "s", "Time for which the busiest link was busy.", &Row::busy_s}}};

}  // namespace shardstone::results
