// SPDX-License-Identifier: BSD-3-Clause
#include "results/schema/training.hpp"

#include "results/schema/disturbance.hpp"

namespace shardstone::results {

namespace {

constexpr const char* compute_meaning = "Time in which rank 0 computed.";
constexpr const char* communication_meaning = "Time in which rank 0 waited for other ranks.";
constexpr const char* data_meaning = "Time in which rank 0 read data.";
constexpr const char* optimizer_meaning = "Time of rank 0's optimizer.";

}  // namespace

const TableSchema<StepRow> StepRow::schema{
    "steps",
    Role::derived,
    "One optimizer step.",
    {{"step", "1", "Number of the step, from 1.", &Row::step},
     {"loss", "nat", "Mean over the targets of the global batch.", &Row::loss},
     {"learning_rate", "1", "In force in this step.", &Row::learning_rate},
     {"gradient_norm", "1", "Before clipping, the loss scale divided out.", &Row::gradient_norm},
     {"loss_scale", "1", "By which the loss was multiplied.", &Row::loss_scale, 2},
     {"skipped", "1", "1 where a gradient overflowed and nothing was updated, else 0.",
      &Row::skipped, 2},
     {"tokens_per_s", "1/s", "Tokens of the global batch over the step's time.",
      &Row::tokens_per_s},
     {"time_s", "s", "Time of the step, the maximum over ranks.", &Row::time_s},
     {"compute_s", "s", compute_meaning, &Row::compute_s},
     {"communication_s", "s", communication_meaning, &Row::communication_s},
     {"data_s", "s", data_meaning, &Row::data_s},
     {"optimizer_s", "s", optimizer_meaning, &Row::optimizer_s}}};

const TableSchema<TrainingRow> TrainingRow::schema{
    "summary", Role::derived, "The run in one row.",
    with_disturbance<Row>(
        {{"ranks", "1", "Ranks that trained.", &Row::ranks},
         {"model", "", "Name of the model.", &Row::model},
         {"split", "", "How the model is split, data parallelism aside; empty where it is not.",
          &Row::split, 2},
         {"tokens_per_s", "1/s", "Tokens of a global batch over the median time of a step.",
          &Row::tokens_per_s},
         {"mfu", "1", "Model FLOP over what the busy cores could do in that time.", &Row::mfu},
         {"final_loss", "nat", "Loss of the last step.", &Row::final_loss},
         {"validation_loss", "nat", "Loss over held-out sequences at the end.",
          &Row::validation_loss},
         {"entropy_rate", "nat", "Least loss possible, where the language has a known one.",
          &Row::entropy_rate},
         {"compute_s", "s", compute_meaning, &Row::compute_s},
         {"communication_s", "s", communication_meaning, &Row::communication_s},
         {"data_s", "s", data_meaning, &Row::data_s},
         {"optimizer_s", "s", optimizer_meaning, &Row::optimizer_s}})};

const TableSchema<MemoryRow> MemoryRow::schema{
    "memory",
    Role::derived,
    "One class of memory, of the rank that holds most of all.",
    {{"class", "", "What is held.", &Row::name},
     {"measured_bytes", "B", "As counted by the allocator at its peak.", &Row::measured_bytes},
     {"formula_bytes", "B", "As the memory model says.", &Row::formula_bytes}}};

const TableSchema<SentBytesRow> SentBytesRow::schema{
    "bytes",
    Role::derived,
    "What one rank sent in all steps and evaluations.",
    {{"rank", "1", "The rank.", &Row::rank},
     {"sent_bytes", "B", "Bytes handed to MPI or shared memory.", &Row::sent_bytes},
     {"scheduled_bytes", "B", "Bytes that the step programs make it send.",
      &Row::scheduled_bytes}}};

const TableSchema<EvaluationRow> EvaluationRow::schema{
    "evaluations",
    Role::derived,
    "Loss over held-out sequences.",
    {{"step", "1", "Steps done before.", &Row::step},
     {"validation_loss", "nat", "Mean over the targets.", &Row::validation_loss}}};

}  // namespace shardstone::results
