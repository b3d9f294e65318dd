// SPDX-License-Identifier: BSD-3-Clause
// Columns of the tables of a training: steps, ranks' shares of them, memory, traffic, evaluations.
#include "results/schema/training.hpp"

#include "results/schema/disturbance.hpp"
#include "results/schema/model_flop.hpp"

namespace shardstone::results {

namespace {

constexpr const char* compute_meaning =
    "Forward and backward passes, while the rank's thread had a core; mean over ranks.";
constexpr const char* communication_meaning =
    "Exposed communication by the wall clock: starting, progressing and waiting, for messages and "
    "for a core to take them; on a GPU what its computations waited for; mean over ranks.";
constexpr const char* data_meaning = "Drawing and copying sequences; mean over ranks.";
constexpr const char* optimizer_meaning = "Norm, clipping and update; mean over ranks.";
constexpr const char* preempted_meaning =
    "Time in compute, data or optimizer in which something else had the core; mean over ranks. Not "
    "counted in a training that is paced or on GPUs: 0.";

}  // namespace

const TableSchema<StepRow> StepRow::schema{
    "steps",
    Role::derived,
    "One optimizer step.",
    {{"step", "1", "Number of the step, from 1.", &Row::step},
     {"loss", "nat", "Mean loss over the targets of the global batch.", &Row::loss},
     {"learning_rate", "1", "Learning rate of this step.", &Row::learning_rate},
     {"gradient_norm", "1", "Gradient norm before clipping, with the loss scale divided out.",
      &Row::gradient_norm},
     {"loss_scale", "1", "Factor by which the loss was multiplied.", &Row::loss_scale, 2},
     {"skipped", "1", "1 if a gradient overflowed and nothing was updated, else 0.", &Row::skipped,
      2},
     {"tokens_per_s", "1/s", "Tokens of the global batch, padding included, over the step's time.",
      &Row::tokens_per_s},
     {"time_s", "s", "Time of the step, the maximum over ranks.", &Row::time_s},
     {"compute_s", "s", compute_meaning, &Row::compute_s},
     {"communication_s", "s", communication_meaning, &Row::communication_s},
     {"data_s", "s", data_meaning, &Row::data_s},
     {"optimizer_s", "s", optimizer_meaning, &Row::optimizer_s},
     {"preempted_s", "s", preempted_meaning, &Row::preempted_s, 2}}};

const TableSchema<RankStepRow> RankStepRow::schema{
    "rank_steps",
    Role::samples,
    "One rank's measurements of one step by its own clocks; the parts add up to the time. On a GPU "
    "they are what its computations did, and communication is what these waited for.",
    {{"step", "1", "Number of the step, from 1.", &Row::step},
     {"rank", "1", "Rank.", &Row::rank},
     {"time_s", "s", "Time of the step on this rank.", &Row::time_s},
     {"compute_s", "s", "Forward and backward passes, while the thread had a core.",
      &Row::compute_s},
     {"communication_s", "s", "Exposed communication: starting, progressing and waiting.",
      &Row::communication_s},
     {"data_s", "s", "Drawing and copying sequences.", &Row::data_s},
     {"optimizer_s", "s", "Norm, clipping and update.", &Row::optimizer_s},
     {"preempted_s", "s",
      "Time in compute, data or optimizer in which something else had the core. Not counted in a "
      "paced training and on GPUs: 0.",
      &Row::preempted_s}}};

const TableSchema<CoreWaitRow> CoreWaitRow::schema{
    "core_waits",
    Role::samples,
    "How long a rank was ready to run in a step, but on no core, as the kernel counts it.",
    {{"step", "1", "Number of the step, from 1.", &Row::step, 3},
     {"rank", "1", "Rank.", &Row::rank, 3},
     {"waited_s", "s",
      "Also while it looked for messages that were not there yet. Not a number where the kernel "
      "does not tell.",
      &Row::waited_s, 3}}};

const TableSchema<TrainingRow> TrainingRow::schema{
    "summary", Role::derived, "The run in one row; its times are those of all counted steps.",
    with_disturbance<Row>(
        {{"ranks", "1", "Number of ranks.", &Row::ranks},
         {"model", "", "Name of the model.", &Row::model},
         {"split", "", "Splits of the model, apart from data parallelism; empty if there are none.",
          &Row::split, 2},
         {"tokens_per_s", "1/s",
          "Tokens of a global batch, padding included, over the median time of a step.",
          &Row::tokens_per_s},
         {"tokens_per_s_low", "1/s",
          "Lower end of the 95 % interval for it; not a number with fewer "
          "than six counted steps.",
          &Row::tokens_per_s_low, 2},
         {"tokens_per_s_high", "1/s", "Upper end of that interval.", &Row::tokens_per_s_high, 2},
         {"step_s", "s", "Median over counted steps of the time of the slowest rank.", &Row::step_s,
          2},
         {"step_s_low", "s", "Lower end of the 95 % interval for it.", &Row::step_s_low, 2},
         {"step_s_high", "s", "Upper end of that interval.", &Row::step_s_high, 2},
         {"uncounted_steps", "1",
          "First steps, before the times were steady; 'warmup_steps' up to version 2.",
          &Row::uncounted_steps, 2},
         {"counted_steps", "1", "Remaining steps.", &Row::counted_steps, 2},
         {"tokens_per_step", "1",
          "Tokens of a global batch, of all ranks together; with --shortest also its padding, "
          "which is "
          "computed like them.",
          &Row::tokens_per_step, 2},
         {"flop_parameters", "1", flop_parameters_meaning, &Row::flop_parameters, 3},
         {"flop_per_token", "FLOP", flop_per_token_meaning, &Row::flop_per_token, 3},
         {"flop_per_s", "FLOP/s", "Model FLOP of a step over its median time.", &Row::flop_per_s,
          2},
         {"mfu", "1",
          "Model FLOP/s over the measured peak of the cores or GPUs in use: flop_per_s / "
          "(busy_cores "
          "core_peak_flop_per_s).",
          &Row::mfu},
         {"core_peak_flop_per_s", "FLOP/s", "Measured peak of one core; on GPUs, of one GPU.",
          &Row::core_peak_flop_per_s, 2},
         {"busy_cores", "1", "Cores that the ranks can keep busy at once; on GPUs, GPUs.",
          &Row::busy_cores, 2},
         {"peak_arithmetic", "", "Arithmetic in which the peak was measured.",
          &Row::peak_arithmetic, 2},
         {"peak_method", "", "Method by which the peak was measured.", &Row::peak_method, 2},
         {"duration_s", "s", "All steps and evaluations together, the maximum over ranks.",
          &Row::duration_s, 2},
         {"final_loss", "nat", "Loss of the last step.", &Row::final_loss},
         {"validation_loss", "nat", "Loss over held-out sequences at the end.",
          &Row::validation_loss},
         {"entropy_rate", "nat", "Least possible loss, if known for the language.",
          &Row::entropy_rate},
         {"compute_s", "s", compute_meaning, &Row::compute_s},
         {"communication_s", "s", communication_meaning, &Row::communication_s},
         {"data_s", "s", data_meaning, &Row::data_s},
         {"optimizer_s", "s", optimizer_meaning, &Row::optimizer_s},
         {"preempted_s", "s", preempted_meaning, &Row::preempted_s, 2}})};

const TableSchema<MemoryRow> MemoryRow::schema{
    "memory",
    Role::derived,
    "One class of memory of rank 0.",
    {{"class", "", "Contents of the memory.", &Row::name},
     {"measured_bytes", "B", "Bytes allocated, as counted by the trainer's buffers.",
      &Row::measured_bytes},
     {"formula_bytes", "B", "Bytes by the memory model.", &Row::formula_bytes},
     {"fp32_formula_bytes", "B", "Bytes by the memory model for the same plan in FP32.",
      &Row::fp32_formula_bytes, 2}}};

const TableSchema<SentBytesRow> SentBytesRow::schema{
    "bytes",
    Role::derived,
    "Bytes sent by one rank in all steps and evaluations; no rows where an all-reduce has no "
    "schedule, and neither is known.",
    {{"rank", "1", "Rank.", &Row::rank},
     {"sent_bytes", "B", "Bytes handed to MPI, NCCL or shared memory.", &Row::sent_bytes},
     {"scheduled_bytes", "B", "Bytes to be sent according to the step programs.",
      &Row::scheduled_bytes}}};

const TableSchema<EvaluationRow> EvaluationRow::schema{
    "evaluations",
    Role::derived,
    "Loss over held-out sequences.",
    {{"step", "1", "Steps completed before.", &Row::step},
     {"validation_loss", "nat", "Mean loss over the targets.", &Row::validation_loss}}};

const TableSchema<RouterRow> RouterRow::schema{
    "router",
    Role::derived,
    "Use of the experts in one optimizer step; means over blocks and positions, including padding, "
    "without the weights of the losses.",
    {{"step", "1", "Number of the step, from 1.", &Row::step, 3},
     {"balance_loss", "1",
      "1 if all E experts are used equally, E/K if all positions take the same K.",
      &Row::balance_loss, 3},
     {"router_z_loss", "1", "Mean square of the log-sum-exp of the router's logits.",
      &Row::router_z_loss, 3},
     {"dropped_share", "1", "Share of the choices for which the expert had no capacity left.",
      &Row::dropped_share, 3}}};

const TableSchema<GapRow> GapRow::schema{
    "gap",
    Role::derived,
    "Where the time of a step went: the programs replayed with the measured times, without one "
    "loss after another from the last row up; the rows add up to the mean of time_s in table steps "
    "of these very steps, which is not step_s of table summary, a median of more of them.",
    {{"part", "",
      "'useful passes' (the ideal: passes without recomputation, of the median rank of each stage, "
      "mean over stages), 'pipeline bubble' (of several stages), 'optimizer', 'recomputation', "
      "exposed 'latency', "
      "'bandwidth inside nodes' and 'bandwidth between nodes' (at most what the description of the "
      "cluster has of them), 'slower than described inside nodes' and 'slower than described "
      "between nodes' (what transfers took beyond that), 'overlap off' (--no-overlap), 'input', "
      "'imbalance' (of ranks with equal work, those that took longer than their median), 'waiting "
      "for cores' (ranks that were ready, but on no core, in a computation or while messages were "
      "there for them), 'other'.",
      &Row::part, 3},
     {"time_s", "s", "Mean over the split steps.", &Row::time_s, 3},
     {"time_s_low", "s", "Least of them.", &Row::time_s_low, 3},
     {"time_s_high", "s", "Most of them.", &Row::time_s_high, 3},
     {"predicted_s", "s", "The same of the step that the cost model predicts.", &Row::predicted_s,
      3},
     {"split_steps", "1", "Number of steps that were split, the last ones.", &Row::split_steps,
      3}}};

const TableSchema<ChangedStepRow> ChangedStepRow::schema{
    "what_if",
    Role::derived,
    "What a step would take if one thing were different: the programs replayed with the measured "
    "times, these changed. Computed, not measured.",
    {{"change", "",
      "'slowest links twice as fast' (their bytes take half the time that the description has of "
      "them), 'all links as described' (nothing takes longer than that, unless ranks waited for "
      "cores), 'a core for every rank' (none waits for one; of one rank the only change), 'perfect "
      "overlap' (nobody waits for messages; not shorter than any group's transfers in a row), "
      "'another all-reduce' (the fastest other one by the cost model; times but waiting for cores "
      "change by the ratio of the two predictions).",
      &Row::change, 3},
     {"detail", "", "'between nodes' or 'inside nodes'; the name of the all-reduce.", &Row::detail,
      3},
     {"step_s", "s", "Mean over the split steps.", &Row::step_s, 3},
     {"predicted_s", "s", "The same of the step that the cost model predicts.", &Row::predicted_s,
      3}}};

const TableSchema<HashRow> HashRow::schema{
    "hashes",
    Role::derived,
    "Hashes of the results of a --reproducible run: equal for all layouts of the same tp, cp and "
    "ep.",
    {{"of", "", "'losses', 'gradients' (of all steps) or 'parameters' (at the end).", &Row::of, 2},
     {"xxh3", "", "XXH3 hash, 64 bits, in hexadecimal.", &Row::xxh3, 2}}};

}  // namespace shardstone::results
