// SPDX-License-Identifier: BSD-3-Clause
// The tables and checks of a numerics record, and the findings read back from one to resume it.
#include "validation/numerics/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "results/schema/validation.hpp"

namespace shardstone::validation {

namespace {

std::string text_of(ElementType type) {
    return std::string(to_string(type));
}

std::vector<results::VerdictRow> verdict_rows(const NumericsResult& result) {
    std::vector<results::VerdictRow> rows;
    for (const PolicyFinding& f : result.findings) {
        rows.push_back({f.part, f.subject, f.model, to_string(f.verdict), f.quantity, f.worst,
                        f.value, f.interval.low, f.interval.high, f.allowed.low, f.allowed.high,
                        static_cast<double>(f.further)});
    }
    return rows;
}

std::vector<results::KernelErrorRow> kernel_rows(const NumericsResult& result) {
    std::vector<results::KernelErrorRow> rows;
    for (const KernelError& e : result.kernels) {
        rows.push_back({e.kernel, e.output, text_of(e.storage), text_of(e.type),
                        static_cast<double>(e.elements), e.median_ulp, e.max_ulp,
                        e.share_of_bound});
    }
    return rows;
}

std::vector<results::ReductionErrorRow> reduction_rows(const NumericsResult& result) {
    std::vector<results::ReductionErrorRow> rows;
    for (const ReductionError& e : result.reductions) {
        rows.push_back({e.algorithm, text_of(e.wire), static_cast<double>(e.ranks),
                        static_cast<double>(e.depth), e.error.max_ulp, e.error.bound_ulp,
                        e.error.share_of_bound});
    }
    return rows;
}

std::vector<results::GradientErrorRow> gradient_rows(const NumericsResult& result) {
    std::vector<results::GradientErrorRow> rows;
    for (const GradientComparison& c : result.gradients) {
        for (const TensorGradient& t : c.tensors) {
            rows.push_back({c.policy, c.model, c.state, t.tensor, static_cast<double>(t.layer),
                            t.relative_norm, t.cosine, t.to_fp32, t.to_fp32_cosine,
                            std::exp2(mean_estimate(t.log2_shares).mean)});
        }
    }
    return rows;
}

/// FP64, FP32 and the policies.
std::vector<const SeedRuns*> all_runs(const TrajectoryResult& result) {
    std::vector<const SeedRuns*> all{&result.fp64, &result.fp32};
    for (const SeedRuns& runs : result.policies) all.push_back(&runs);
    return all;
}

std::vector<results::HeldOutLossRow> loss_rows(const NumericsResult& result) {
    std::vector<results::HeldOutLossRow> rows;
    for (const TrajectoryResult& of_model : result.trajectories) {
        for (const SeedRuns* runs : all_runs(of_model)) {
            for (std::size_t s = 0; s < runs->runs.size(); ++s) {
                rows.push_back({runs->policy, of_model.model, static_cast<double>(s + 1),
                                runs->runs[s].held_out_loss, of_model.fp32.runs[s].held_out_loss,
                                of_model.optimum, of_model.entropy_rate,
                                static_cast<double>(runs->runs[s].skipped)});
            }
        }
    }
    return rows;
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

std::vector<results::LossCurveRow> curve_rows(const NumericsResult& result) {
    std::vector<results::LossCurveRow> rows;
    for (const TrajectoryResult& of_model : result.trajectories) {
        for (const SeedRuns* runs : all_runs(of_model)) {
            for (std::size_t step = 0; step < runs->runs.front().losses.size(); ++step) {
                rows.push_back({runs->policy, of_model.model, static_cast<double>(step + 1),
                                mean_loss(*runs, step),
                                mean_difference(*runs, of_model.fp32, step)});
            }
        }
    }
    return rows;
}

/// Parts that were not asked for leave no table.
template <class Row>
void add_rows(const std::vector<Row>& rows, results::Record& record) {
    if (!rows.empty()) record.derived.push_back(results::table_of(rows));
}

bool finite_losses(const SeedRuns& runs) {
    return std::ranges::all_of(held_out_losses(runs),
                               [](double loss) { return std::isfinite(loss); });
}

std::vector<results::Check> checks_of(const NumericsResult& result) {
    std::vector<results::Check> checks;
    for (const PolicyFinding& finding : result.findings) {
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

}  // namespace

void begin_record(const NumericsPlan& plan, results::Record& record) {
    std::vector<std::string> policies, models;
    for (const auto& policy : plan.policies) policies.push_back(policy.name);
    for (const auto& model : plan.models) models.push_back(model.name);
    record.configuration = {{"policies", policies}, {"models", models},
                            {"parts", plan.parts},  {"steps", plan.steps},
                            {"seeds", plan.seeds},  {"gradient_steps", plan.gradient_steps}};
    record.derived = {results::table_of(std::vector<results::VerdictRow>{})};
}

results::Record part_of(const NumericsResult& result) {
    results::Record part;
    add_rows(verdict_rows(result), part);
    add_rows(kernel_rows(result), part);
    add_rows(reduction_rows(result), part);
    add_rows(gradient_rows(result), part);
    add_rows(loss_rows(result), part);
    add_rows(curve_rows(result), part);
    part.verification = checks_of(result);
    return part;
}

std::vector<PolicyFinding> findings_in(const results::Record& record) {
    std::vector<PolicyFinding> findings;
    for (const auto& row : results::rows_of<results::VerdictRow>(record)) {
        PolicyFinding f;
        f.part = row.part;
        f.subject = row.subject;
        f.model = row.model;
        for (const Verdict one : {Verdict::pass, Verdict::fail, Verdict::undecided}) {
            if (to_string(one) == row.verdict) f.verdict = one;
        }
        f.quantity = row.quantity;
        f.worst = row.worst;
        f.value = row.value;
        f.interval = {row.low, row.high};
        f.allowed = {row.allowed_low, row.allowed_high};
        f.further = static_cast<std::int64_t>(row.further);
        // Of which kind is in the record as far as the part says it (trajectories.cpp has both).
        f.sample_unit = row.part == "gradients" ? "batches" : "seeds or steps";
        findings.push_back(std::move(f));
    }
    return findings;
}

std::size_t finished_items(const results::Record& record) {
    std::set<std::pair<std::string, std::string>> items;
    for (const auto& row : results::rows_of<results::VerdictRow>(record)) {
        if (row.part == "entropy") continue;  // comes with the trajectories
        const bool by_model = row.part == "gradients" || row.part == "trajectories";
        items.emplace(row.part, by_model ? row.model : "");
    }
    return items.size();
}

}  // namespace shardstone::validation
