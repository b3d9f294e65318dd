// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/format/record.hpp"
#include "validation/equivalence/trail.hpp"

namespace shardstone::validation {

/// One way to run the same training.
struct Layout {
    int ranks = 1;
    std::string all_reduce = "ring";
};

/// What came of it, on rank 0 of the job.
struct LayoutResult {
    Layout layout;
    Trail trail;
    bool replicas_equal = false;           ///< every rank kept the same trail
    std::optional<Difference> difference;  ///< to the first layout
};

/// The training that layouts are compared on: 24 sequences per step (divisible over 1, 2, 3, 4, 6
/// and 8 ranks), reproducible, AdamW with clipping. `steps` and the model are the caller's.
reference::TrainOptions equivalence_training(const reference::GptConfig& model, std::int64_t steps);

/// A small text in a synthetic language, the same everywhere, without files.
reference::Dataset equivalence_text();

/// `ranks` x `algorithms`, first the first of both. Throws Error for a rank count that is not
/// positive or larger than `available`, an unknown algorithm, and options that do not allow them.
std::vector<Layout> make_layouts(const std::vector<int>& ranks,
                                 const std::vector<std::string>& algorithms, int available,
                                 reference::TrainOptions options);

/// Trains each layout on the first ranks of `world`, the others idle, and compares each with the
/// first, bit by bit. Collective over `world`; results on rank 0 (elsewhere empty).
std::vector<LayoutResult> compare_layouts(
    collectives::Communicator& world, const std::vector<Layout>& layouts,
    const reference::TrainOptions& options,
    const ProgramSource& source = reference::checked_step_program);

/// One check per layout; the table "layouts" for the record.
std::vector<results::Check> checks_of(const std::vector<LayoutResult>& results);
results::Table table_of(const std::vector<LayoutResult>& results);

}  // namespace shardstone::validation
