// SPDX-License-Identifier: BSD-3-Clause
// Columns of the tables of overlap, of pipeline utilisation and of the study of batch sizes.
#include "results/schema/studies.hpp"

#include "results/schema/disturbance.hpp"

namespace shardstone::results {

const TableSchema<OverlapRow> OverlapRow::schema{
    "overlap", Role::derived, "Communication hidden by the backward pass, one figure per row.",
    with_disturbance<Row>(
        {{"figure", "", "Name of the figure, with its unit; a ratio if it has none.", &Row::figure},
         {"median", "", "Median over the rounds, in that unit.", &Row::median},
         {"low", "", "Lower end of the 95 % interval for the median.", &Row::low},
         {"high", "", "Upper end of that interval.", &Row::high}})};

const TableSchema<OverlapRoundRow> OverlapRoundRow::schema{
    "overlap_rounds",
    Role::samples,
    "One step in one of the two modes.",
    {{"way", "", "'overlapped', or 'apart': communication after the backward pass.", &Row::way},
     {"round", "1", "Number of the round, from 0.", &Row::round},
     {"step_s", "s", "Time of the step, the maximum over ranks.", &Row::step_s},
     {"exposed_s", "s", "Part of it in which a rank only waited.", &Row::exposed_s},
     {"compute_s", "s", "Part of it in which a rank computed and had a core.", &Row::compute_s},
     {"preempted_s", "s",
      "Part of it in which a rank had work to do but something else had its core.",
      &Row::preempted_s, 3}}};

const TableSchema<OverlapRankRow> OverlapRankRow::schema{
    "overlap_ranks",
    Role::samples,
    "One rank's part in a step in one of the two modes.",
    {{"way", "", "'overlapped', or 'apart': communication after the backward pass.", &Row::way},
     {"round", "1", "Number of the round, from 0.", &Row::round},
     {"rank", "1", "Rank.", &Row::rank},
     {"step_s", "s", "Time of the step on this rank.", &Row::step_s},
     {"exposed_s", "s", "Part of it in which the rank only waited.", &Row::exposed_s},
     {"compute_s", "s", "Part of it in which the rank computed and had a core.", &Row::compute_s},
     {"preempted_s", "s",
      "Part of it in which the rank had work to do but something else had its core.",
      &Row::preempted_s, 3}}};

const TableSchema<UtilisationRow> UtilisationRow::schema{
    "utilisation", Role::derived,
    "Share of its time in which a pipeline computes, for one schedule.",
    with_disturbance<Row>(
        {{"schedule", "", "Pipeline schedule.", &Row::schedule},
         {"micro_batches", "1", "Micro-batches per step.", &Row::micro_batches},
         {"measured", "1", "Median over steps, by wall clock.", &Row::measured},
         {"measured_low", "1", "Lower end of the 95 % interval for the median.",
          &Row::measured_low},
         {"measured_high", "1", "Upper end of that interval.", &Row::measured_high},
         {"replayed", "1", "Simulated timeline with the measured times of the actions.",
          &Row::replayed},
         {"virtual_time", "1", "Simulated timeline with equal times for equal work.",
          &Row::virtual_time},
         {"formula", "1", "Closed form of the schedule.", &Row::formula},
         {"median_span_s", "s", "Median time from the first pass of a step to the last.",
          &Row::median_span_s},
         {"median_span_low_s", "s", "Lower end of the 95 % interval for it.",
          &Row::median_span_low_s, 2},
         {"median_span_high_s", "s", "Upper end of that interval.", &Row::median_span_high_s, 2},
         {"warmup_steps", "1", "Steps before the measured ones.", &Row::warmup_steps, 2}})};

const TableSchema<PipelineStepRow> PipelineStepRow::schema{
    "pipeline_steps",
    Role::samples,
    "One step of a pipeline.",
    {{"schedule", "", "Pipeline schedule.", &Row::schedule},
     {"micro_batches", "1", "Micro-batches per step.", &Row::micro_batches},
     {"utilisation", "1", "Share of the step in which the stages computed.", &Row::utilisation},
     {"span_s", "s", "Time from the first pass of the step to the last.", &Row::span_s}}};

const TableSchema<BatchRow> BatchRow::schema{
    "batches",
    Role::derived,
    "Cost of training to the target at one batch size.",
    {{"batch", "1", "Sequences per global batch.", &Row::batch},
     {"peak_rate", "1", "Peak learning rate of the best run.", &Row::peak_rate},
     {"factor", "1", "Factor on the learning rate in the best run.", &Row::factor},
     {"steps", "1", "Steps to the target; not a number if it was not reached.", &Row::steps},
     {"tokens", "1", "Tokens to the target.", &Row::tokens},
     {"fitted_steps", "1", "Steps by the fitted curve.", &Row::fitted_steps},
     {"fitted_tokens", "1", "Tokens by the fitted curve.", &Row::fitted_tokens}}};

const TableSchema<NoiseRow> NoiseRow::schema{
    "noise",
    Role::derived,
    "Gradient noise scale after a number of steps.",
    {{"step", "1", "Steps completed before.", &Row::step},
     {"validation_loss", "nat", "Loss over held-out sequences.", &Row::validation_loss},
     {"gradient_square", "1", "Unbiased estimate of the squared norm of the true gradient.",
      &Row::gradient_square},
     {"trace", "1", "Estimate of the trace of the gradient's covariance over sequences.",
      &Row::trace},
     {"noise_scale", "1", "Their quotient, in sequences.", &Row::noise_scale},
     {"noise_scale_low", "1", "Lower end of its 95 % interval.", &Row::noise_scale_low},
     {"noise_scale_high", "1", "Upper end of that interval.", &Row::noise_scale_high}}};

const TableSchema<TradeOffRow> TradeOffRow::schema{
    "trade_off",
    Role::derived,
    "Curve fitted to the batch sizes, in one row.",
    {{"least_steps", "1", "Least number of steps, for any batch size.", &Row::least_steps},
     {"least_sequences", "1", "Least number of sequences, for any batch size.",
      &Row::least_sequences},
     {"critical_batch", "1", "Batch size in sequences at which both are twice their least.",
      &Row::critical_batch}}};

}  // namespace shardstone::results
