// SPDX-License-Identifier: BSD-3-Clause
#include "validation/equivalence/trail.hpp"

#include <fmt/format.h>

#include <bit>

#include "reference/data/hash.hpp"

namespace shardstone::validation {

namespace {

using namespace reference;

std::vector<std::uint64_t> hash_tensors(const std::vector<ParameterInfo>& tensors,
                                        std::span<const float> values) {
    std::vector<std::uint64_t> hashes;
    for (const auto& tensor : tensors) {
        hashes.push_back(hash_of_bytes(std::as_bytes(values.subspan(
            static_cast<std::size_t>(tensor.offset), static_cast<std::size_t>(tensor.count)))));
    }
    return hashes;
}

/// The first tensor whose hashes differ.
std::optional<std::size_t> first_unequal(const std::vector<std::uint64_t>& expected,
                                         const std::vector<std::uint64_t>& actual) {
    for (std::size_t t = 0; t < expected.size(); ++t) {
        if (expected[t] != actual[t]) return t;
    }
    return std::nullopt;
}

}  // namespace

std::uint64_t Trail::losses_hash() const {
    Hasher hasher;
    for (const auto& step : steps) hasher.add(std::span<const double>(&step.loss, 1));
    return hasher.value();
}

std::uint64_t Trail::gradients_hash() const {
    Hasher hasher;
    for (const auto& step : steps) hasher.add(std::span<const std::uint64_t>(step.gradients));
    return hasher.value();
}

std::uint64_t Trail::parameters_hash() const {
    return hash_of_bytes(std::as_bytes(std::span(steps.back().parameters)));
}

std::string Difference::text() const {
    return fmt::format("first difference at step {}: {}", step, where);
}

std::optional<Difference> first_difference(const Trail& expected, const Trail& actual) {
    for (std::size_t s = 0; s < expected.steps.size(); ++s) {
        const auto number = static_cast<std::int64_t>(s) + 1;
        if (s >= actual.steps.size()) return Difference{number, "the run ends before this step"};
        const auto& a = expected.steps[s];
        const auto& b = actual.steps[s];
        if (std::bit_cast<std::uint64_t>(a.loss) != std::bit_cast<std::uint64_t>(b.loss)) {
            return Difference{number, "loss"};
        }
        if (const auto t = first_unequal(a.gradients, b.gradients)) {
            return Difference{number, "gradient of " + expected.tensors[*t]};
        }
        if (const auto t = first_unequal(a.parameters, b.parameters)) {
            return Difference{number, "parameter " + expected.tensors[*t]};
        }
    }
    return std::nullopt;
}

Trail follow_training(collectives::Communicator& communicator, const TrainOptions& options,
                      const Dataset& dataset, const ProgramSource& source) {
    Trainer trainer(communicator, options, dataset, source(options, communicator.rank()));
    const auto& tensors = trainer.model().parameters();
    Trail trail;
    for (const auto& tensor : tensors) trail.tensors.push_back(tensor.name);
    for (std::int64_t step = 0; step < options.steps; ++step) {
        const StepReport report = trainer.step();
        trail.steps.push_back({report.loss, hash_tensors(tensors, trainer.model().gradients()),
                               hash_tensors(tensors, trainer.model().weights())});
    }
    return trail;
}

}  // namespace shardstone::validation
