// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <vector>

#include "reference/trainer/options.hpp"

namespace shardstone::validation {

/// Small enough that a block's gradients travel in several buckets, the last one shorter.
constexpr std::int64_t usual_bucket_bytes = 30000;

/// One way to run the same training, and what is changed in the training itself.
struct Layout {
    std::string plan = "dp=1";
    std::string schedule = "1f1b";
    std::string recompute = "none";
    int chunks = 1;
    std::vector<std::int64_t> stage_layers = {};  ///< empty: even
    std::string all_reduce = "ring";
    bool overlap = true;
    bool scatter_gather = false;
    std::map<std::string, std::string> choices = {};  ///< StepSpec::choices
    bool reproducible = true;
    std::int64_t bucket_bytes = usual_bucket_bytes;

    // What one rank has to do alike.
    std::int64_t micro_batch = 1;
    std::int64_t shortest = 0;  ///< of unequal sequences
    bool frozen = false;        ///< token embedding and second block keep their values
    reference::ExpertOptions experts = {};

    /// The plan and all that is not as above.
    std::string name() const;
    reference::ParallelPlan parsed_plan() const { return reference::parse_plan(plan); }
    /// GPUs can train so: MPI's own all-reduce would read their memory from the host.
    bool works_between_gpus() const { return all_reduce != "mpi"; }
    /// Equal bits to one rank are claimed, not only a bound.
    bool claims_bits() const {
        const reference::ParallelPlan parsed = parsed_plan();
        // An expert adds up the rows of all ranks before they become one term of an exact sum.
        return reproducible && parsed.tensor == 1 && parsed.context == 1 && parsed.expert == 1;
    }
};

/// The matrix: every strategy alone, pairs and triples, odd counts, uneven everything; on up to
/// eight ranks.
std::vector<Layout> equivalence_layouts();

/// The training that layouts are compared on: a model of 5 blocks, 5 heads, 40 channels and a
/// vocabulary of 61, so that nothing divides evenly over 2, 3 or 4; 24 sequences of 16 tokens per
/// step. Optimizer, steps and layout are the caller's.
reference::TrainOptions equivalence_training(std::int64_t steps);

/// The training as a layout runs it.
reference::TrainOptions with_layout(reference::TrainOptions options, const Layout& layout);

/// A small text in a synthetic language of 61 symbols, the same everywhere, without files.
reference::Dataset equivalence_text();

}  // namespace shardstone::validation
