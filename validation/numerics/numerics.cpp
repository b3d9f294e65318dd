// SPDX-License-Identifier: BSD-3-Clause
// The numerical validation, part by part and model by model: plan, measurements and verdicts.
#include "validation/numerics/numerics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "collectives/executors/gpu/gpu_of_rank.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/interrupt.hpp"
#include "reference/precision/storage.hpp"
#include "validation/numerics/share_out.hpp"

namespace shardstone::validation {

using namespace reference;

namespace {

using Progress = std::function<void(const std::string&)>;

bool names_all(const std::vector<std::string>& words) {
    return words.size() == 1 && words.front() == "all";
}

void study_kernels(const NumericsPlan& plan, const Progress& progress, NumericsResult& result) {
    result.kernels = kernel_errors([&](std::size_t done, std::size_t of) {
        progress(fmt::format("kernels, {} of {} done", done, of));
    });
    if (interrupted()) return;
    for (const Precision& policy : plan.policies) {
        std::vector<ElementType> storages{element_type<float>(policy.storage)};
        if (policy.fp8_products) storages.push_back(ElementType::fp8_e4m3);
        auto used = result.kernels;
        if (policy.stream == Storage::full) std::erase_if(used, &KernelError::of_narrow_stream);
        result.findings.push_back(judge_kernels(used, storages, policy.name));
    }
}

/// Gradients travel and are added up in FP32 under every policy, partial results of tensor ranks in
/// what the stream is in; the narrow wires of gradients beside it.
void study_reductions(const NumericsPlan& plan, const Progress& progress, NumericsResult& result) {
    const ReductionStudy study;
    result.reductions =
        reduction_errors(study, [&](const std::string& name) { progress("reductions, " + name); });
    if (interrupted()) return;
    for (const Precision& policy : plan.policies) {
        std::vector<PolicyFinding> of_policy{
            judge_reductions(result.reductions, ElementType::fp32, policy.name)};
        if (policy.stream != Storage::full) {
            of_policy.push_back(judge_reductions(result.reductions,
                                                 element_type<float>(policy.stream), policy.name));
        }
        result.findings.push_back(worst_of(of_policy));
    }
    for (const ElementType wire : study.wires) {
        if (wire == ElementType::fp32) continue;
        result.findings.push_back(
            judge_reductions(result.reductions, wire, fmt::format("wire {}", to_string(wire))));
    }
}

/// The two points are shared out among the ranks. False where a signal ended it.
bool study_gradients(const collectives::Communicator& world, const collectives::Communicator& alone,
                     const GptConfig& model, const NumericsPlan& plan, const Progress& progress,
                     NumericsResult& result) {
    const std::array<std::int64_t, 2> steps{0, plan.gradient_steps};
    const auto width = gradient_numbers(model) * plan.policies.size();
    const auto compare = [&](std::size_t item) {
        progress(
            fmt::format("gradients, {}: {} FP32 steps to the weights", model.name, steps[item]));
        GradientStudy study(gradient_point(alone, model, steps[item]));
        std::vector<double> numbers;
        for (const Precision& policy : plan.policies) {
            if (interrupted()) break;
            progress(fmt::format("gradients, {} {}", model.name, policy.name));
            const auto one = numbers_of(
                study.compare(policy.name, gradient_under(policy), storage_roundoff(policy)));
            numbers.insert(numbers.end(), one.begin(), one.end());
        }
        numbers.resize(width);
        return numbers;
    };
    const auto all = share_out(world, steps.size(), width, compare);
    if (!all) return false;
    for (std::size_t p = 0; p < plan.policies.size(); ++p) {
        std::vector<PolicyFinding> of_states;
        for (std::size_t item = 0; item < steps.size(); ++item) {
            const std::size_t each = gradient_numbers(model);
            result.gradients.push_back(
                from_numbers(std::span((*all)[item]).subspan(p * each, each), model,
                             {plan.policies[p].name, model.name, gradient_state(steps[item]), {}}));
            of_states.push_back(judge_gradients(result.gradients.back()));
        }
        result.findings.push_back(worst_of(of_states));
    }
    return true;
}

/// False where a signal ended it.
bool study_trajectories(const collectives::Communicator& world,
                        const collectives::Communicator& alone, std::size_t which,
                        const NumericsPlan& plan, const Progress& progress,
                        NumericsResult& result) {
    const TrajectoryStudy study{plan.models[which], plan.steps, plan.seeds[which],
                                plan.policies,      2,          plan.device};
    auto found = run_trajectories(world, alone, study, [&](const std::string& policy, int seed) {
        progress(fmt::format("trajectories, {} {}: seed {} of {}", study.model.name, policy, seed,
                             study.seeds));
    });
    if (!found) return false;
    result.trajectories.push_back(std::move(*found));
    const auto of_model = findings_of(result.trajectories.back());
    for (const PolicyFinding& finding : of_model) {
        const bool asked = std::ranges::find(plan.policies, finding.subject, &Precision::name) !=
                           plan.policies.end();
        if (asked) result.findings.push_back(finding);
    }
    return true;
}

bool by_model(const std::string& part) {
    return part == "gradients" || part == "trajectories";
}

/// What is judged is told apart by its name.
void refuse_repetition(const char* option, std::vector<std::string> names) {
    std::ranges::sort(names);
    const auto twice = std::ranges::adjacent_find(names);
    require(twice == names.end(),
            [&] { return fmt::format("{} names {} twice: once is enough", option, *twice); });
}

/// On a GPU only trainings: its kernels have a command of their own, and the rest is the host's.
std::vector<std::string> parts_of(const NumericsOptions& options, DeviceKind device) {
    const std::vector<std::string> on_gpus{"trajectories"};
    const bool all = names_all(options.parts);
    if (device == DeviceKind::cpu) return all ? numerics_parts() : options.parts;
    for (const auto& part : options.parts) {
        require(all || part == on_gpus.front(), [&] {
            return fmt::format(
                "--part {} with --device cuda: what is compared on GPUs is {}; for kernels see "
                "shardstone kernels --device cuda",
                part, on_gpus.front());
        });
    }
    return on_gpus;
}

}  // namespace

const std::vector<std::string>& numerics_parts() {
    static const std::vector<std::string> parts{"kernels", "reductions", "gradients",
                                                "trajectories"};
    return parts;
}

bool NumericsPlan::has(const std::string& part) const {
    return std::ranges::find(parts, part) != parts.end();
}

NumericsPlan plan_numerics(const NumericsOptions& options) {
    refuse_repetition("--policy", options.policies);
    refuse_repetition("--model", options.models);
    refuse_repetition("--part", options.parts);
    NumericsPlan plan;
    plan.policies = precisions();
    std::erase_if(plan.policies, &Precision::fp64);  // that is what the others are held against
    if (!names_all(options.policies)) {
        plan.policies.clear();
        for (const auto& name : options.policies) plan.policies.push_back(find_precision(name));
    }
    require(std::ranges::none_of(plan.policies, &Precision::fp64),
            "--policy fp64: policies are compared with FP64; omit it");
    for (const auto& name : options.models) plan.models.push_back(gpt_preset(name));
    plan.device = parse_device(options.device);
    plan.parts = parts_of(options, plan.device);
    for (const auto& part : plan.parts) {
        require(std::ranges::find(numerics_parts(), part) != numerics_parts().end(), [&] {
            return fmt::format("--part {}: choose from all, {}", part,
                               fmt::join(numerics_parts(), ", "));
        });
    }
    require(options.steps > 0 && options.gradient_steps > 0, [&] {
        return fmt::format("--steps {} and --gradient-steps {} must be positive", options.steps,
                           options.gradient_steps);
    });
    require(!options.seeds.empty() && std::ranges::min(options.seeds) >= 2, [&] {
        return fmt::format("--seeds {}: an interval needs at least 2 seeds of every model",
                           fmt::join(options.seeds, ","));
    });
    for (std::size_t m = 0; m < plan.models.size(); ++m) {
        plan.seeds.push_back(options.seeds[std::min(m, options.seeds.size() - 1)]);
    }
    plan.steps = options.steps;
    plan.gradient_steps = options.gradient_steps;
    return plan;
}

std::vector<NumericsItem> items_of(const NumericsPlan& plan) {
    std::vector<NumericsItem> items;
    for (const std::string& part : numerics_parts()) {
        const std::size_t times = by_model(part) ? plan.models.size() : 1;
        for (std::size_t m = 0; m < times && plan.has(part); ++m) items.push_back({part, m});
    }
    return items;
}

bool validate_numerics(collectives::Communicator& world, const NumericsPlan& plan,
                       std::size_t finished, const NumericsObserver& observer) {
#ifdef SHARDSTONE_HAS_CUDA
    if (plan.device == DeviceKind::cuda) collectives::choose_gpu_of_rank(world);
#endif
    const collectives::Communicator alone = world.split(world.rank());
    const auto items = items_of(plan);
    for (std::size_t i = finished; i < items.size(); ++i) {
        const auto& [part, model] = items[i];
        NumericsResult found;
        if (by_model(part)) {
            const bool whole =
                part == "gradients"
                    ? study_gradients(world, alone, plan.models[model], plan, observer.progress,
                                      found)
                    : study_trajectories(world, alone, model, plan, observer.progress, found);
            if (!whole) return false;
        } else {
            if (world.is_root()) {
                const auto study = part == "kernels" ? study_kernels : study_reductions;
                study(plan, observer.progress, found);
            }
            if (world.max(interrupted() ? 1.0 : 0.0) > 0.0) return false;
        }
        if (world.is_root()) observer.finished(found);
    }
    return true;
}

}  // namespace shardstone::validation
