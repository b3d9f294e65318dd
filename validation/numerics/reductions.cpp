// SPDX-License-Identifier: BSD-3-Clause
// Rounding errors of all-reduces, from schedules replayed in one process against exact sums.
#include "validation/numerics/reductions.hpp"

#include <fmt/format.h>

#include "benchmarks/collectives/accuracy/depth.hpp"
#include "benchmarks/collectives/accuracy/inputs.hpp"
#include "benchmarks/collectives/accuracy/replay.hpp"
#include "collectives/operation/algorithm.hpp"
#include "kernels/base/interrupt.hpp"

namespace shardstone::validation {

namespace {

using namespace collectives;

constexpr const char* operation = "all_reduce";
constexpr int ranks_per_node = 4;

ReductionError error_of(const Algorithm& algorithm, const Topology& topology, ElementType wire,
                        std::int64_t elements) {
    const benchmarks::SumInputs inputs(wire, topology.size());
    const auto exact = inputs.sums(elements);
    const CollectiveSpec spec{{elements, wire, Reduction::sum}, 0, {}};
    ReductionError result{algorithm.name,
                          topology.size(),
                          wire,
                          benchmarks::summation_depth(algorithm, topology, 0),
                          {}};
    for (const auto& of_rank : benchmarks::scheduled_results(algorithm, topology, spec, inputs)) {
        benchmarks::add_errors(wire, of_rank.data(), exact, result.depth, result.error);
    }
    return result;
}

}  // namespace

std::vector<ReductionError> reduction_errors(
    const ReductionStudy& study, const std::function<void(const std::string&)>& progress) {
    std::vector<ReductionError> errors;
    for (const std::string& name : algorithms_for(operation)) {
        const Algorithm algorithm = find_algorithm(operation, name);
        if (!algorithm.has_schedule()) continue;
        if (progress) progress(name);
        for (const int ranks : study.ranks) {
            if (interrupted()) return errors;
            const Topology topology = Topology::blocked(ranks, ranks_per_node);
            for (const ElementType wire : study.wires) {
                errors.push_back(error_of(algorithm, topology, wire, study.elements));
            }
        }
    }
    return errors;
}

PolicyFinding judge_reductions(const std::vector<ReductionError>& errors, ElementType wire,
                               const std::string& subject) {
    std::vector<PolicyFinding> findings;
    for (const ReductionError& error : errors) {
        if (error.wire != wire) continue;
        PolicyFinding finding;
        finding.part = "reductions";
        finding.subject = subject;
        finding.quantity = "error of a sum, of its bound";
        finding.worst = fmt::format("{}, {} ranks", error.algorithm, error.ranks);
        findings.push_back(judged_against(error.error.share_of_bound, 1.0, std::move(finding)));
    }
    return worst_of(findings);
}

}  // namespace shardstone::validation
