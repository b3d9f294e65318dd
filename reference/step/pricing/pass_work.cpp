// SPDX-License-Identifier: BSD-3-Clause
#include "reference/step/pricing/pass_work.hpp"

#include "reference/model/memory_formula.hpp"
#include "reference/strategies/exact_sum.hpp"

namespace shardstone::reference {

namespace {

using Kind = Action::Kind;
using Group = ParameterGroup::Kind;

bool makes_input(Kind kind) {
    return kind == Kind::backward || kind == Kind::backward_input;
}

bool makes_weights(Kind kind) {
    return kind == Kind::backward || kind == Kind::backward_weight;
}

/// FLOP of products, whose backward halves take as much each, and of attention, whose backward
/// pass takes twice as much and belongs to the input half.
double in_pass(Kind kind, double products, double attention) {
    if (kind == Kind::forward) return products + attention;
    double flop = 0.0;
    if (makes_input(kind)) flop += products + 2.0 * attention;
    if (makes_weights(kind)) flop += products;
    return flop;
}

double block_flop(const StepSpec& spec, const ModelPart& part, Kind kind) {
    const auto positions = static_cast<double>(spec.batch.micro_tokens());
    const auto channels = static_cast<double>(spec.model.channels);
    const auto own = static_cast<double>(part.heads(spec.model).count * spec.model.head_size());
    const auto hidden = static_cast<double>(part.hidden(spec.model).count);
    const double column = 2.0 * positions * channels;  // of a product
    const double attention = 2.0 * positions * static_cast<double>(spec.batch.sequence) * own;
    if (kind != Kind::recompute) {
        return in_pass(kind, column * (4.0 * own + 2.0 * hidden), attention);
    }
    if (spec.recompute == Recompute::selective) return column * 3.0 * own + attention;
    return column * (4.0 * own + hidden) + attention;
}

double embedding_bytes(const StepSpec& spec, Kind kind, std::int64_t element_bytes) {
    constexpr double reads_and_writes = 3.0;
    if (kind != Kind::forward && !makes_weights(kind)) return 0.0;
    return reads_and_writes *
           static_cast<double>(spec.batch.micro_tokens() * spec.model.channels * element_bytes);
}

std::int64_t parameters_of(const StepSpec& spec, const ModelPart& part, const Unit& unit) {
    const auto of = [&](Group kind) { return expected_parameters(spec.model, part, kind); };
    switch (unit.kind) {
        case Unit::Kind::embedding:
            return of(Group::position) + of(Group::token);
        case Unit::Kind::block:
            return of(Group::block);
        default:
            return of(Group::final_norm) + of(Group::token);
    }
}

}  // namespace

PassWork pass_work(const StepSpec& spec, const ModelPart& part, const Action& pass,
                   std::int64_t element_bytes) {
    const auto units = part.chunks[static_cast<std::size_t>(pass.chunk)].units();
    const Unit& unit = units[static_cast<std::size_t>(pass.unit)];
    PassWork work;
    switch (unit.kind) {
        case Unit::Kind::embedding:
            work.bytes = embedding_bytes(spec, pass.kind, element_bytes);
            break;
        case Unit::Kind::block:
            work.flop = block_flop(spec, part, pass.kind);
            break;
        case Unit::Kind::head:
            work.flop =
                in_pass(pass.kind,
                        2.0 * static_cast<double>(spec.batch.micro_tokens() * spec.model.channels *
                                                  part.vocabulary(spec.model).count),
                        0.0);
            break;
    }
    if (spec.reproducible && makes_weights(pass.kind)) {
        // The sum and the gradient, which is cleared, are read and written.
        const auto each = 2 * (static_cast<std::int64_t>(sizeof(ExactPair)) + element_bytes);
        work.bytes += static_cast<double>(each * parameters_of(spec, part, unit));
    }
    return work;
}

}  // namespace shardstone::reference
