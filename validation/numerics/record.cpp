// SPDX-License-Identifier: BSD-3-Clause
#include "validation/numerics/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace shardstone::validation {

namespace {

using results::Table;

/// A table that is filled row by row: text columns first.
class Rows {
  public:
    Rows(std::string name, const std::vector<std::string>& columns) {
        table.name = std::move(name);
        for (const auto& column : columns) table.columns.push_back({column, {}, {}});
    }
    void add(const std::vector<std::string>& texts, const std::vector<double>& numbers) {
        std::size_t place = 0;
        for (const auto& text : texts) table.columns[place++].texts.push_back(text);
        for (const double number : numbers) table.columns[place++].numbers.push_back(number);
    }

    Table table;
};

std::string text_of(ElementType type) {
    return std::string(to_string(type));
}

Table verdicts_table(const NumericsResult& result) {
    Rows rows("verdicts", {"part", "subject", "model", "verdict", "quantity", "worst", "value",
                           "low", "high", "allowed_low", "allowed_high", "further"});
    for (const Finding& f : result.findings) {
        rows.add({f.part, f.subject, f.model, to_string(f.verdict), f.quantity, f.worst},
                 {f.value, f.interval.low, f.interval.high, f.allowed.low, f.allowed.high,
                  static_cast<double>(f.further)});
    }
    return rows.table;
}

Table kernels_table(const NumericsResult& result) {
    Rows rows("kernel_errors", {"kernel", "output", "storage", "type", "elements", "median_ulp",
                                "max_ulp", "share_of_bound"});
    for (const KernelError& e : result.kernels) {
        rows.add({e.kernel, e.output, text_of(e.storage), text_of(e.type)},
                 {static_cast<double>(e.elements), e.median_ulp, e.max_ulp, e.share_of_bound});
    }
    return rows.table;
}

Table reductions_table(const NumericsResult& result) {
    Rows rows("reduction_errors",
              {"algorithm", "wire", "ranks", "depth", "max_ulp", "bound_ulp", "share_of_bound"});
    for (const ReductionError& e : result.reductions) {
        rows.add({e.algorithm, text_of(e.wire)},
                 {static_cast<double>(e.ranks), static_cast<double>(e.depth), e.error.max_ulp,
                  e.error.bound_ulp, e.error.share_of_bound});
    }
    return rows.table;
}

Table gradients_table(const NumericsResult& result) {
    Rows rows("gradient_errors",
              {"policy", "model", "state", "tensor", "layer", "relative_norm", "cosine",
               "relative_to_fp32", "cosine_to_fp32", "share_of_bound"});
    for (const GradientComparison& c : result.gradients) {
        for (const TensorGradient& t : c.tensors) {
            rows.add({c.policy, c.model, c.state, t.tensor},
                     {static_cast<double>(t.layer), t.relative_norm, t.cosine, t.to_fp32,
                      t.to_fp32_cosine, std::exp2(benchmarks::mean_estimate(t.log2_shares).mean)});
        }
    }
    return rows.table;
}

/// FP64, FP32 and the policies.
std::vector<const SeedRuns*> all_runs(const TrajectoryResult& result) {
    std::vector<const SeedRuns*> all{&result.fp64, &result.fp32};
    for (const SeedRuns& runs : result.policies) all.push_back(&runs);
    return all;
}

Table losses_table(const NumericsResult& result) {
    Rows rows("held_out_losses", {"policy", "model", "seed", "held_out_loss", "fp32_held_out_loss",
                                  "optimum", "entropy_rate", "skipped_steps"});
    for (const TrajectoryResult& of_model : result.trajectories) {
        for (const SeedRuns* runs : all_runs(of_model)) {
            for (std::size_t s = 0; s < runs->runs.size(); ++s) {
                rows.add({runs->policy, of_model.model},
                         {static_cast<double>(s + 1), runs->runs[s].held_out_loss,
                          of_model.fp32.runs[s].held_out_loss, of_model.optimum,
                          of_model.entropy_rate, runs->runs[s].skipped});
            }
        }
    }
    return rows.table;
}

double mean_loss(const SeedRuns& runs, std::size_t step) {
    double sum = 0.0;
    for (const Trajectory& run : runs.runs) sum += run.losses[step];
    return sum / static_cast<double>(runs.runs.size());
}

/// Mean over the seeds that both have: the seeds' own spread is far larger than the difference.
double mean_difference(const SeedRuns& runs, const SeedRuns& from, std::size_t step) {
    const std::size_t seeds = std::min(runs.runs.size(), from.runs.size());
    double sum = 0.0;
    for (std::size_t s = 0; s < seeds; ++s) {
        sum += runs.runs[s].losses[step] - from.runs[s].losses[step];
    }
    return sum / static_cast<double>(seeds);
}

Table curves_table(const NumericsResult& result) {
    Rows rows("loss_curves", {"policy", "model", "step", "loss", "difference_to_fp32"});
    for (const TrajectoryResult& of_model : result.trajectories) {
        for (const SeedRuns* runs : all_runs(of_model)) {
            for (std::size_t step = 0; step < runs->runs.front().losses.size(); ++step) {
                rows.add({runs->policy, of_model.model},
                         {static_cast<double>(step + 1), mean_loss(*runs, step),
                          mean_difference(*runs, of_model.fp32, step)});
            }
        }
    }
    return rows.table;
}

bool finite_losses(const SeedRuns& runs) {
    return std::ranges::all_of(held_out_losses(runs),
                               [](double loss) { return std::isfinite(loss); });
}

}  // namespace

std::vector<results::Check> checks_of(const NumericsResult& result) {
    std::vector<results::Check> checks;
    for (const Finding& finding : result.findings) {
        if (finding.part != "kernels" && finding.part != "reductions") continue;
        checks.push_back(
            {fmt::format("{}, {}: within derived bounds", finding.part, finding.subject),
             finding.verdict != Verdict::fail,
             fmt::format("at most {:.2g} of a bound ({})", finding.value, finding.worst)});
    }
    for (const GradientComparison& c : result.gradients) {
        checks.push_back({fmt::format("gradients, {} {}, {} weights: compared with FP64", c.model,
                                      c.policy, c.state),
                          !c.tensors.empty(), fmt::format("{} tensors", c.tensors.size())});
    }
    for (const TrajectoryResult& t : result.trajectories) {
        checks.push_back({fmt::format("trajectories, {}: FP32 and FP64 train", t.model),
                          finite_losses(t.fp32) && finite_losses(t.fp64),
                          fmt::format("{} seeds each, finite losses", t.fp32.runs.size())});
    }
    return checks;
}

void fill_record(results::Record& record, const NumericsPlan& plan, const NumericsResult& result) {
    std::vector<std::string> policies, models;
    for (const auto& policy : plan.policies) policies.push_back(policy.name);
    for (const auto& model : plan.models) models.push_back(model.name);
    record.configuration = {{"policies", policies}, {"models", models},
                            {"parts", plan.parts},  {"steps", plan.steps},
                            {"seeds", plan.seeds},  {"gradient_steps", plan.gradient_steps}};
    record.derived = {verdicts_table(result)};
    const auto add = [&](Table table) {
        if (table.rows() > 0) record.derived.push_back(std::move(table));
    };
    add(kernels_table(result));
    add(reductions_table(result));
    add(gradients_table(result));
    add(losses_table(result));
    add(curves_table(result));
    record.verification = checks_of(result);
}

}  // namespace shardstone::validation
