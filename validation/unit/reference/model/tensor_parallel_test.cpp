// SPDX-License-Identifier: BSD-3-Clause
// Tensor ranks together compute what one rank computes: loss and every gradient, in double.
#include <memory>

#include "kernels/transformer/cross_entropy.hpp"
#include "validation/unit/reference/model/lockstep_group.hpp"
#include "validation/unit/reference/model/part_model.hpp"

namespace shardstone::validation {
namespace {

/// Neither 4 heads, 61 tokens nor 80 hidden columns divide by 3.
const GptConfig uneven_config{"uneven", 61, 9, 2, 4, 20};
const GptConfig five_heads{"five heads", 31, 9, 1, 5, 30};

struct Layout {
    int ranks = 1;
    bool sequence_parallel = false;
    Recompute recompute = Recompute::none;
    bool splits_backward = false;
};

struct Result {
    std::vector<double> losses;  // by rank
    NamedValues gradients;
};

/// Bugs of the model that a test can plant from outside.
enum class Bug { none, bias_on_every_rank, own_rows_only };

MicroBatch batch_for(const GptConfig& config) {
    MicroBatch data = random_batch(2, 7, 0, config);  // 14 rows: 5, 5, 4
    for (std::size_t i = 0; i < data.targets.size(); i += 5) data.targets[i] = ignored_target;
    return data;
}

NamedValues weights_with(const NamedValues& weights, Bug bug, int ranks) {
    NamedValues changed = weights;
    for (auto& [name, values] : changed) {
        if (bug != Bug::bias_on_every_rank || !name.ends_with("projection.bias")) continue;
        for (double& v : values) v *= ranks;
    }
    return changed;
}

Result run(const GptConfig& config, const Layout& layout, GroupFault fault = GroupFault::none,
           Bug bug = Bug::none) {
    const MicroBatch data = batch_for(config);
    const NamedValues weights = weights_with(lively_weights(config), bug, layout.ranks);
    LockstepGroup<double> group(layout.ranks, fault);
    std::vector<std::unique_ptr<PartModel<double>>> models;
    for (int rank = 0; rank < layout.ranks; ++rank) {
        ModelPart part = reference::whole_model(config);
        part.tensor_rank = rank;
        part.tensor_ranks = layout.ranks;
        part.sequence_parallel = layout.sequence_parallel;
        const PartShape shape{.micro_batch = data.batch,
                              .sequence = data.sequence,
                              .recompute = layout.recompute,
                              .splits_backward = layout.splits_backward};
        models.push_back(
            std::make_unique<PartModel<double>>(config, part, shape, group.member(rank)));
        models.back()->load(weights);
        models.back()->part().load(0, 0, data.tokens, data.targets);
    }
    Result result{std::vector<double>(models.size()), {}};
    group.run([&](int rank) {
        const auto i = static_cast<std::size_t>(rank);
        result.losses[i] = models[i]->forward(0, 0);
        if (layout.splits_backward) {
            models[i]->backward_input(0, 0, 0.5);
            models[i]->backward_weight(0, 0);
        } else {
            models[i]->backward(0, 0, 0.5);
        }
    });
    const bool sums_replicated = layout.sequence_parallel && bug != Bug::own_rows_only;
    for (std::size_t i = 0; i < models.size(); ++i) {
        models[i]->add_gradients(result.gradients, i == 0 || sums_replicated);
    }
    return result;
}

/// Largest difference of losses and of gradients, relative to the largest element of the tensor.
double difference(const Result& actual, const GptConfig& config) {
    const MicroBatch data = batch_for(config);
    Gpt<double> whole(config, data.batch, data.sequence);
    load(whole, lively_weights(config));
    const double loss = whole.forward(data.tokens, data.targets);
    whole.backward(0.5);
    double worst = 0.0;
    for (const double other : actual.losses) worst = std::max(worst, std::abs(other / loss - 1.0));
    for (const auto& [name, values] : named_gradients(whole)) {
        const double size = largest(values.data(), static_cast<Size>(values.size()));
        const Values bound(values.size(), size);
        worst = std::max(worst, worst_ratio(actual.gradients.at(name), values, bound));
    }
    return worst;
}

constexpr double tolerance = 1e-12;

TEST(TensorParallel, GradientsEqualThoseOfOneRank) {
    for (const GptConfig& config : {uneven_config, five_heads}) {
        for (const int ranks : {1, 2, 3}) {
            for (const bool sequence_parallel : {false, true}) {
                EXPECT_LE(difference(run(config, {ranks, sequence_parallel}), config), tolerance)
                    << config.name << ", tp=" << ranks << ", sp=" << sequence_parallel;
            }
        }
    }
}

TEST(TensorParallel, RecomputationAndHalvesChangeNoBit) {
    for (const bool sequence_parallel : {false, true}) {
        const NamedValues expected = run(uneven_config, {3, sequence_parallel}).gradients;
        for (const Recompute recompute : {Recompute::selective, Recompute::full}) {
            for (const bool splits : {false, true}) {
                const Result actual = run(uneven_config, {3, sequence_parallel, recompute, splits});
                EXPECT_EQ(actual.gradients, expected)
                    << "sp=" << sequence_parallel << " " << to_string(recompute) << splits;
            }
        }
    }
}

TEST(TensorParallel, MissingCommunicationIsSeen) {
    for (const GroupFault fault :
         {GroupFault::no_reduce, GroupFault::no_sums, GroupFault::no_maximum}) {
        for (const bool sequence_parallel : {false, true}) {
            const Result wrong = run(uneven_config, {2, sequence_parallel}, fault);
            EXPECT_GT(difference(wrong, uneven_config), 1e-6) << static_cast<int>(fault);
        }
    }
    const Result wrong = run(uneven_config, {2, true}, GroupFault::no_gather);
    EXPECT_GT(difference(wrong, uneven_config), 1e-6);
}

TEST(TensorParallel, WrongSumsAreSeen) {
    for (const bool sequence_parallel : {false, true}) {
        const Result biased =
            run(uneven_config, {2, sequence_parallel}, GroupFault::none, Bug::bias_on_every_rank);
        EXPECT_GT(difference(biased, uneven_config), 1e-6);
    }
    // Without a sum over the group, norms and biases lack the rows of the other ranks.
    const Result partial = run(uneven_config, {2, true}, GroupFault::none, Bug::own_rows_only);
    EXPECT_GT(difference(partial, uneven_config), 1e-6);
}

}  // namespace
}  // namespace shardstone::validation
