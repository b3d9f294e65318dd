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
         "The collective operation; \"pipeline\" in a pipeline study, empty in a training.",
         &Row::operation, 3},
        {"algorithm", "",
         "Its algorithm; how many micro-batches in a pipeline study, empty in a training.",
         &Row::algorithm, 3},
        {"in_place", "1", "1 where input and output are one buffer, else 0.", &Row::in_place, 3},
        {"size_bytes", "B", "Size of the whole vector.", &Row::size_bytes, 3}};
    fields.insert(fields.end(), figures.begin(), figures.end());
    return fields;
}

}  // namespace

const TableSchema<OutlierRow> OutlierRow::schema{
    "outliers", Role::derived,
    "A sample that is beyond what its distribution allows, or a standstill of a rank outside of "
    "what was timed.",
    of_sweep_or_training<Row>({
        {"step", "1", "Of a training: number of the step, from 1.", &Row::step, 3},
        {"attempt", "1", "In which try, from 1: a point with a stalled sample is taken again once.",
         &Row::attempt, 3},
        {"kept", "1", "1 where this try is the one that counts, else 0.", &Row::kept, 3},
        {"excused", "1",
         "1 where no rank can be named, and others had the machine or no sample is longer for it: "
         "it "
         "counts as no stall.",
         &Row::excused, 3},
        {"iteration", "1",
         "Of a sweep, or of command step: number of the iteration, from 0; not a number outside of "
         "all.",
         &Row::iteration, 3},
        {"timed", "1", "1 where it happened within the timed part, 0 where before it or outside.",
         &Row::timed, 3},
        {"rank", "1", "The rank that stood still; not a number where none can be named.",
         &Row::rank, 3},
        {"node", "1", "Its node, or the one all ranks of which stood still, as found.", &Row::node,
         3},
        {"place", "", "The same in words, with the host.", &Row::place, 3},
        {"at_s", "s", "When the rank last ran, since the measuring began.", &Row::at_s, 3},
        {"time_s", "s", "Time of the sample.", &Row::time_s, 3},
        {"usual_s", "s", "Median of the samples.", &Row::usual_s, 3},
        {"times_as_large", "1", "One over the other.", &Row::times_as_large, 3},
        {"still_s", "s",
         "How long the rank did not run at least, though nothing kept it from a core; 0 where none "
         "stood still.",
         &Row::still_s, 3},
        {"waited_s", "s", "How long it was ready to run meanwhile, but on no core.", &Row::waited_s,
         3},
        {"switches", "1", "Times that the rank had to leave a core meanwhile.", &Row::switches, 3},
        {"faults", "1", "Pages that it had to wait for meanwhile, as of a disk.", &Row::faults, 3},
        {"stolen_s", "s",
         "What the hypervisor took of the machine's cores then and up to 0.5 s before.",
         &Row::stolen_s, 3},
        {"machine", "", "What the machine did, in words.", &Row::machine, 3},
    })};

const TableSchema<RankTimesRow> RankTimesRow::schema{
    "rank_times", Role::derived,
    "One rank's part in one point of a sweep, in the steps of a training, or in the turns of a "
    "pipeline study.",
    of_sweep_or_training<Row>({
        {"rank", "1", "The rank.", &Row::rank, 3},
        {"node", "1", "Its node, as found.", &Row::node, 3},
        {"own_s", "s",
         "Median time by its own clock: of a sweep from its start to its end, so that who comes "
         "late, for whom the others wait, has less; of a training its work in a counted step "
         "without communication, waits and time without a core.",
         &Row::own_s, 3},
        {"factor", "1",
         "That over the median of the other ranks' in the same point, its straggler factor; not a "
         "number of a single rank. A record in which this column's own sentence says otherwise has "
         "it over the median of all ranks.",
         &Row::factor, 3},
        {"late_s", "s",
         "Of a sweep: median time from the first rank's start to its own; not a number without a "
         "common clock.",
         &Row::late_s, 3},
    })};

}  // namespace shardstone::results
