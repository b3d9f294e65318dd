// SPDX-License-Identifier: BSD-3-Clause
// Every layout is trained on its group of ranks and judged against one rank's plain loop.
#include "validation/equivalence/matrix.hpp"

#include <fmt/format.h>

#include <type_traits>
#include <utility>

#include "collectives/executors/gpu/gpu_of_rank.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/interrupt.hpp"
#include "kernels/base/units.hpp"
#include "kernels/tensor/cuda.hpp"
#include "results/schema/validation.hpp"
#include "validation/equivalence/step_judge.hpp"

namespace shardstone::validation {

using namespace reference;

/// What a layout's training left behind, on the first rank of its group.
template <class Real>
struct EquivalenceMatrix::Run {
    std::vector<StepState<Real>> steps;
    std::optional<Difference> fault;  ///< replicas that differ, bytes that do not add up
};

namespace {

constexpr std::int64_t overflow_step = 2;

/// Bytes sent and scheduled, on every rank of the group.
template <class Real, class Space>
std::optional<Difference> wrong_bytes(const collectives::Communicator& group,
                                      Trainer<Real, Space>& trainer, const TrainOptions& options) {
    if (options.communication.all_reduce == "mpi") return std::nullopt;  // shows no schedule
    const SentBytes scheduled = trainer.scheduled_bytes();
    double surplus = 0.0;
    for (const GroupKind& kind : group_kinds()) {
        const auto sent = trainer.exchange().bytes_sent(kind);
        surplus = std::max(surplus, std::abs(static_cast<double>(sent - scheduled[kind])));
    }
    surplus = group.max(surplus);
    if (surplus == 0.0) return std::nullopt;
    return Difference{options.steps, fmt::format("{:.0f} bytes beside the schedule", surplus),
                      no_bound};
}

template <class Real>
std::vector<StepState<Real>> plain_loop(const TrainOptions& options, const Dataset& text) {
    SerialTrainer<Real> serial(options, text);
    std::vector<StepState<Real>> steps;
    for (std::int64_t step = 1; step <= options.steps && !interrupted(); ++step) {
        steps.push_back(serial.step(step));
    }
    return steps;
}

template <class Real>
std::optional<Difference> judge_steps(const TrainOptions& options, const Dataset& text,
                                      const std::vector<StepState<Real>>& steps,
                                      LayoutVerdict& verdict) {
    StepJudge<Real> judge(options, text);
    ModelState<Real> before = SerialTrainer<Real>(options, text).state();
    for (std::size_t s = 0; s < steps.size() && !interrupted(); ++s) {
        auto found = judge.judge(static_cast<std::int64_t>(s) + 1, before, steps[s]);
        verdict.worst_share = judge.worst();
        verdict.turned = judge.turned();
        if (found) return found;
        before = steps[s].model;
    }
    return std::nullopt;
}

}  // namespace

std::string Arithmetic::name() const {
    const std::string full = fp64 ? "FP64" : "FP32";
    return fmt::format("{} {}", precision == "fp32" ? full : precision, to_string(optimizer));
}

std::vector<Arithmetic> all_arithmetics(const std::vector<OptimizerKind>& optimizers,
                                        const std::string& precision) {
    std::vector<Arithmetic> all;
    for (const bool fp64 : {false, true}) {
        if (fp64 && precision != "fp32") continue;
        for (const OptimizerKind optimizer : optimizers) {
            all.push_back({fp64, optimizer, precision});
        }
    }
    return all;
}

EquivalenceMatrix::EquivalenceMatrix(collectives::Communicator& world, std::int64_t steps,
                                     DeviceKind device)
    : world_(world), steps_(steps), device_(device), text_(equivalence_text()) {
    if (device == DeviceKind::cpu) return;
#ifdef SHARDSTONE_HAS_CUDA
    collectives::choose_gpu_of_rank(world);
    alone_ = world.split(world.rank());
#else
    fail("this program was built without CUDA");
#endif
}

collectives::Communicator& EquivalenceMatrix::group_of(int ranks) {
    const auto known = groups_.find(ranks);
    if (known != groups_.end()) return known->second;
    return groups_.emplace(ranks, world_.split(world_.rank() < ranks ? 0 : 1)).first->second;
}

template <class Real, class Space>
EquivalenceMatrix::Run<Real> EquivalenceMatrix::run(collectives::Communicator& group,
                                                    const TrainOptions& options,
                                                    const ProgramSource& source) {
    ParallelPlan mesh = options.plan;  // without what is chosen besides
    mesh.zero = mesh.sequence = 0;
    auto& groups = plan_groups_[to_string(mesh)];
    if (!groups) groups = std::make_shared<PlanGroups>(group, options.plan);
    Trainer<Real, Space> trainer(group, options, text_, source(options, group.rank()), groups);
    Run<Real> result;
    for (std::int64_t step = 1; step <= options.steps; ++step) {
        const StepReport report = trainer.step();
        try {
            result.steps.push_back(
                {report.loss, report.gradient_norm, gather_state(group, trainer), report.skipped});
        } catch (const Error& error) {
            if (!result.fault) result.fault = Difference{step, error.what(), no_bound};
        }
    }
    if (const auto bytes = wrong_bytes(group, trainer, options); bytes && !result.fault) {
        result.fault = bytes;
    }
    return result;
}

template <class Real, class Space>
std::vector<StepState<Real>> EquivalenceMatrix::one_rank(TrainOptions options) {
    if constexpr (std::is_same_v<Space, Host>) return plain_loop<Real>(options, text_);
    // Whatever is split, but one rank would keep as it is.
    options.plan = {};
    options.pipeline = {};
    options.overflow.rank = 0;
    return run<Real, Space>(*alone_, options, checked_step_program).steps;
}

template <class Real, class Space>
LayoutVerdict EquivalenceMatrix::judge_in(const Layout& layout, const Arithmetic& arithmetic,
                                          const ProgramSource& source) {
    TrainOptions options = with_layout(equivalence_training(steps_), layout);
    options.device = device_;
    choose_optimizer(options, arithmetic.optimizer);
    options.precision = find_precision(arithmetic.precision);
    if (options.precision.scaling.kind != LossScaling::Kind::none) {
        options.overflow = {overflow_step, options.plan.ranks() - 1};
    }
    validate(options, options.plan.ranks(), text_);
    LayoutVerdict verdict{layout, arithmetic};
    collectives::Communicator& group = group_of(options.plan.ranks());
    if (world_.rank() < options.plan.ranks()) {
        TrainOptions as_graphs = options;
        as_graphs.graphs = device_ == DeviceKind::cuda && may_use_graphs(options);
        const auto first = run<Real, Space>(group, as_graphs, source);
        const bool bits = layout.claims_bits();
        // One that has the bits of one rank is held to those each time, and not to its own.
        // On GPUs the first run is of graphs.
        const bool on_gpus = device_ == DeviceKind::cuda;
        const bool again = !bits && (layout.reproducible || on_gpus);
        const auto second = again ? run<Real, Space>(group, options, source) : Run<Real>{};
        if (group.is_root()) {
            const ParameterLayout whole(options.model);
            verdict.difference = first.fault;
            verdict.final_loss = first.steps.empty() ? 0.0 : first.steps.back().loss;
            if (!verdict.difference && bits) {
                verdict.difference =
                    first_difference(whole, one_rank<Real, Space>(options), first.steps);
            }
            // On GPUs equal bits say only that several compute as one does.
            if (!verdict.difference && (!bits || on_gpus)) {
                verdict.difference = judge_steps(options, text_, first.steps, verdict);
            }
            if (!verdict.difference && again && !layout.reproducible) {
                verdict.difference = judge_steps(options, text_, second.steps, verdict);
            }
            verdict.repeats = !again || !layout.reproducible ||
                              !first_difference(whole, first.steps, second.steps);
        }
    }
    world_.barrier();  // yields, unlike the next split: the idle leave the cores to the others
    return verdict;
}

LayoutVerdict EquivalenceMatrix::judge(const Layout& layout, const Arithmetic& arithmetic,
                                       const ProgramSource& source) {
#ifdef SHARDSTONE_HAS_CUDA
    if (device_ == DeviceKind::cuda) return judge_in<float, Cuda>(layout, arithmetic, source);
#endif
    return arithmetic.fp64 ? judge_in<double>(layout, arithmetic, source)
                           : judge_in<float>(layout, arithmetic, source);
}

std::string turned_in_words(std::int64_t turned) {
    return fmt::format("{} between nearly tied experts {}", counted(turned, "choice"),
                       turned == 1 ? "differs" : "differ");
}

std::vector<results::Check> checks_of(const std::vector<LayoutVerdict>& verdicts) {
    std::vector<results::Check> checks;
    for (const LayoutVerdict& verdict : verdicts) {
        const bool bits = verdict.layout.claims_bits();
        const bool bounded = !bits || verdict.worst_share > 0.0;
        std::string detail = bits ? "bitwise" : "";
        if (bounded) {
            detail += fmt::format("{}gradients within {:.2g} of their bound", bits ? "; " : "",
                                  verdict.worst_share);
        }
        if (verdict.turned > 0) detail += "; " + turned_in_words(verdict.turned);
        if (!verdict.repeats) detail = "a second run gave different bits";
        if (verdict.difference) detail = verdict.difference->text();
        checks.push_back({fmt::format("{}, {}: trains as one rank does", verdict.layout.name(),
                                      verdict.arithmetic.name()),
                          verdict.equal(), std::move(detail)});
    }
    return checks;
}

results::Table table_of(const std::vector<LayoutVerdict>& verdicts) {
    std::vector<results::LayoutRow> rows;
    for (const LayoutVerdict& verdict : verdicts) {
        results::LayoutRow row;
        row.layout = verdict.layout.name();
        row.ranks = verdict.layout.parsed_plan().ranks();
        row.arithmetic = verdict.arithmetic.name();
        row.claim = verdict.layout.claims_bits() ? "bitwise" : "bounded";
        row.share_of_bound = verdict.worst_share;
        row.final_loss = verdict.final_loss;
        row.equal = verdict.equal() ? 1.0 : 0.0;
        rows.push_back(std::move(row));
    }
    return results::table_of(rows);
}

}  // namespace shardstone::validation
