// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "collectives/cluster/communicator.hpp"
#include "reference/data/dataset.hpp"
#include "reference/trainer/trainer.hpp"

namespace shardstone::validation {

/// What a training run left behind at every step, down to the last bit: the loss, and the XXH3 of
/// every tensor's gradient (reduced, before clipping) and values (after the update).
struct Trail {
    struct Step {
        double loss = 0.0;
        std::vector<std::uint64_t> gradients;   ///< per tensor
        std::vector<std::uint64_t> parameters;  ///< per tensor
    };
    std::vector<std::string> tensors;
    std::vector<Step> steps;

    std::uint64_t losses_hash() const;
    std::uint64_t gradients_hash() const;
    /// Of the parameters after the last step.
    std::uint64_t parameters_hash() const;
};

/// The first place where two trails part, searched step by step: the loss, then the gradients, then
/// the parameters, tensors in the order of the model.
struct Difference {
    std::int64_t step = 0;
    std::string where;  ///< "loss", "gradient of blocks.1.norm1.bias", "parameter ..."

    std::string text() const;
};
std::optional<Difference> first_difference(const Trail& expected, const Trail& actual);

/// The program that a rank runs, given what the checker has passed. Planted bugs of the tests are
/// such functions; the product has none but the identity.
using ProgramSource =
    std::function<reference::StepProgram(const reference::TrainOptions&, int rank)>;

/// Trains options.steps steps and keeps the trail of this rank. Collective.
Trail follow_training(collectives::Communicator& communicator,
                      const reference::TrainOptions& options, const reference::Dataset& dataset,
                      const ProgramSource& source = reference::checked_step_program);

}  // namespace shardstone::validation
