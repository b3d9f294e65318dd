// SPDX-License-Identifier: BSD-3-Clause
// Counts the FLOP and bytes of a rank's work in the phases of a pass.
#include "reference/step/pricing/pass_work.hpp"

#include "kernels/base/exact_sum.hpp"
#include "reference/model/experts/expert_part.hpp"
#include "reference/model/memory_formula.hpp"

namespace shardstone::reference {

namespace {

using Group = ParameterGroup::Kind;

std::int64_t positions_of(const StepSpec& spec, const ModelPart& part) {
    return part.positions(spec.batch.micro_batch, spec.batch.sequence);
}

/// Of the products of experts and their router, which is on every tensor rank.
double expert_flop(const StepSpec& spec, const ModelPart& part, const UnitPhase& phase) {
    const ExpertPart experts =
        expert_part(spec.model, part, spec.batch.micro_batch, spec.batch.sequence);
    const std::int64_t channels = spec.model.channels;
    const std::int64_t product = experts.expected_rows() * channels * part.hidden(spec.model).count;
    const auto routed = [&](std::int64_t rows) {
        return 2.0 * static_cast<double>(rows * channels * experts.experts);
    };
    switch (phase.computation) {
        case Computation::column_product:
        case Computation::row_product:
        case Computation::row_gradient:
        case Computation::input_gradient:
        case Computation::row_weights:
        case Computation::column_weights:
            return 2.0 * static_cast<double>(product);
        case Computation::route:
            return routed(experts.rows());
        case Computation::router_gradient:
        case Computation::router_weights:
            return routed(part.stream_rows(experts.rows()).count);
        default:
            return 0.0;
    }
}

double block_flop(const StepSpec& spec, const ModelPart& part, const UnitPhase& phase) {
    const bool of_experts = phase.branch == UnitPhase::Branch::mlp && spec.model.experts.any();
    if (of_experts) return expert_flop(spec, part, phase);
    const auto positions = static_cast<double>(positions_of(spec, part));
    const auto heads = static_cast<double>(part.heads(spec.model).count * spec.model.head_size());
    const auto hidden = static_cast<double>(part.hidden(spec.model).count);
    const bool attends = phase.branch == UnitPhase::Branch::attention;
    const double column = 2.0 * positions * static_cast<double>(spec.model.channels);
    const double first = column * (attends ? 3.0 * heads : hidden);
    const double second = column * (attends ? heads : hidden);
    // Q K^T and P V of the pairs that the step is about.
    const double attention =
        4.0 * static_cast<double>(spec.batch.micro_batch) * phase.pairs * heads;
    switch (phase.computation) {
        case Computation::column_product:
        case Computation::input_gradient:
        case Computation::column_weights:
            return first;
        case Computation::row_product:
        case Computation::row_gradient:
        case Computation::row_weights:
            return second;
        case Computation::middle:
            return attention;
        case Computation::middle_gradient:
            return 2.0 * attention;
        default:
            return 0.0;
    }
}

double head_flop(const StepSpec& spec, const ModelPart& part, const UnitPhase& phase) {
    const bool multiplies = phase.computation == Computation::column_product ||
                            phase.computation == Computation::loss_gradient ||
                            phase.computation == Computation::column_weights;
    const std::int64_t products =
        positions_of(spec, part) * spec.model.channels * part.vocabulary(spec.model).count;
    return multiplies ? 2.0 * static_cast<double>(products) : 0.0;
}

double embedding_bytes(const StepSpec& spec, const ModelPart& part, const UnitPhase& phase,
                       std::int64_t element_bytes) {
    const bool reads_rows = phase.computation == Computation::embedding_lookup ||
                            phase.computation == Computation::embedding_weights;
    constexpr double reads_and_writes = 3.0;
    if (!reads_rows) return 0.0;
    return reads_and_writes *
           static_cast<double>(positions_of(spec, part) * spec.model.channels * element_bytes);
}

PassWork phase_work(const StepSpec& spec, const ModelPart& part, Unit::Kind unit,
                    const UnitPhase& phase, std::int64_t element_bytes) {
    if (unit == Unit::Kind::embedding) {
        return {0.0, embedding_bytes(spec, part, phase, element_bytes)};
    }
    if (unit == Unit::Kind::head) return {head_flop(spec, part, phase), 0.0};
    return {block_flop(spec, part, phase), 0.0};
}

std::int64_t parameters_of(const StepSpec& spec, const ModelPart& part, Unit::Kind unit) {
    const auto of = [&](Group kind) { return expected_parameters(spec.model, part, kind); };
    switch (unit) {
        case Unit::Kind::embedding:
            return of(Group::position) + of(Group::token);
        case Unit::Kind::block:
            return of(Group::block) + of(Group::experts);
        default:
            return of(Group::final_norm) + of(Group::token);
    }
}

}  // namespace

UnitWork unit_work(const StepSpec& spec, const ModelPart& part, Unit::Kind unit, Pass pass,
                   std::int64_t element_bytes) {
    UnitWork work;
    for (const UnitPhase& phase : phases_of(phase_shape(spec, part), unit, pass)) {
        work.phases.push_back(phase_work(spec, part, unit, phase, element_bytes));
    }
    if (spec.reproducible && makes_weight_gradients(pass)) {
        // The sum and the gradient, which is cleared, are read and written.
        const auto each = 2 * (static_cast<std::int64_t>(sizeof(ExactPair)) + element_bytes);
        work.end.bytes = static_cast<double>(each * parameters_of(spec, part, unit));
    }
    return work;
}

PassWork UnitWork::of(const Action& pass) const {
    PassWork sum = pass.ends_pass ? end : PassWork{};
    for (int i = pass.phases.first; i < pass.phases.end(); ++i) {
        sum += phases[static_cast<std::size_t>(i)];
    }
    return sum;
}

PassWork pass_work(const StepSpec& spec, const ModelPart& part, const Action& pass,
                   std::int64_t element_bytes) {
    const auto units = part.chunks[static_cast<std::size_t>(pass.chunk)].units();
    const Unit::Kind unit = units[static_cast<std::size_t>(pass.unit)].kind;
    return unit_work(spec, part, unit, pass.pass(), element_bytes).of(pass);
}

}  // namespace shardstone::reference
