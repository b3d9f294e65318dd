// SPDX-License-Identifier: BSD-3-Clause
// Columns of the tables of stalled samples and of each rank's own times.
#include "results/schema/stalls.hpp"

namespace shardstone::results {

namespace {

/// The columns that name a point of a sweep or of a pipeline study; of a training they hold
/// nothing.
template <class Row>
std::vector<Field<Row>> of_sweep_or_training(std::vector<Field<Row>> figures) {
    std::vector<Field<Row>> fields{
        {"operation", "",
         "Collective operation; \"pipeline\" in a pipeline study, empty in a training.",
         &Row::operation, 3},
        {"algorithm", "",
         "Algorithm; number of micro-batches in a pipeline study, empty in a training.",
         &Row::algorithm, 3},
        {"in_place", "1", "1 if input and output are one buffer, else 0.", &Row::in_place, 3},
        {"size_bytes", "B", "Size of the whole vector.", &Row::size_bytes, 3}};
    fields.insert(fields.end(), figures.begin(), figures.end());
    return fields;
}

}  // namespace

const TableSchema<OutlierRow> OutlierRow::schema{
    "outliers", Role::derived,
    "A sample beyond what its distribution allows, or a stall of a rank outside the timed parts.",
    of_sweep_or_training<Row>({
        {"step", "1", "In a training: number of the step, from 1.", &Row::step, 3},
        {"attempt", "1",
         "Number of the try, from 1: a point with a stalled sample is repeated once.",
         &Row::attempt, 3},
        {"kept", "1", "1 if this try is the one that counts, else 0.", &Row::kept, 3},
        {"excused", "1",
         "1 if no rank can be named, and others used the machine or no sample is longer for it: it "
         "does not count as a stall.",
         &Row::excused, 3},
        {"iteration", "1",
         "In a sweep or command step: number of the iteration, from 0; not a number outside the "
         "iterations.",
         &Row::iteration, 3},
        {"timed", "1", "1 if it happened within the timed part, 0 if before or outside it.",
         &Row::timed, 3},
        {"rank", "1", "Rank that stalled; not a number if none can be named.", &Row::rank, 3},
        {"node", "1", "Its node, or the node whose ranks all stalled, as found.", &Row::node, 3},
        {"place", "", "Rank and node in words, with the host.", &Row::place, 3},
        {"at_s", "s", "Time at which the rank last ran, since the start of measuring.", &Row::at_s,
         3},
        {"time_s", "s", "Time of the sample.", &Row::time_s, 3},
        {"usual_s", "s", "Median of the samples.", &Row::usual_s, 3},
        {"times_as_large", "1", "time_s over usual_s.", &Row::times_as_large, 3},
        {"still_s", "s",
         "Least time for which the rank did not run although a core was available; 0 if none "
         "stalled.",
         &Row::still_s, 3},
        {"waited_s", "s", "Time for which it was ready to run meanwhile, but on no core.",
         &Row::waited_s, 3},
        {"switches", "1", "Number of times that the rank was preempted meanwhile.", &Row::switches,
         3},
        {"faults", "1", "Pages for which it had to wait meanwhile, as from a disk.", &Row::faults,
         3},
        {"stolen_s", "s",
         "Time of the machine's cores that the hypervisor took then and up to 0.5 s before.",
         &Row::stolen_s, 3},
        {"machine", "", "Activity of the machine, in words.", &Row::machine, 3},
    })};

const TableSchema<RankTimesRow> RankTimesRow::schema{
    "rank_times", Role::derived,
    "One rank's part in one point of a sweep, in the steps of a training, or in the rounds of a "
    "pipeline study.",
    of_sweep_or_training<Row>({
        {"rank", "1", "Rank.", &Row::rank, 3},
        {"node", "1", "Node of the rank, as found.", &Row::node, 3},
        {"own_s", "s",
         "Median time by its own clock. In a sweep from its start to its end, which is less for a "
         "rank that arrives late and for which the others wait; in a training its work in a "
         "counted step without communication, waits and time without a core.",
         &Row::own_s, 3},
        {"factor", "1",
         "Straggler factor: own_s over the median of the other ranks' own_s at the same point; not "
         "a number for a single rank. Some records of version 3, whose own description of this "
         "column says so, have it over the median of all ranks.",
         &Row::factor, 3},
        {"late_s", "s",
         "In a sweep: median time from the first rank's start to its own; not a number without a "
         "common clock.",
         &Row::late_s, 3},
    })};

}  // namespace shardstone::results
