// SPDX-License-Identifier: BSD-3-Clause
// Who holds what: pieces, groups, initial weights and memory of parts of a model.
#include <algorithm>

#include "kernels/base/error.hpp"
#include "reference/model/initial_weights.hpp"
#include "reference/model/memory_formula.hpp"
#include "validation/unit/reference/model/part_model.hpp"

namespace shardstone::validation {
namespace {

using reference::ParameterGroup;
using reference::ParameterLayout;

const GptConfig odd_config{"odd", 61, 19, 3, 5, 30};

/// First, middle and last of a model of three layers, whole, and two chunks with a gap.
std::vector<ModelPart> stages() {
    return {reference::whole_model(odd_config),
            {.chunks = {{0, 1, true, false}}, .embedding_is_shared = true},
            {.chunks = {{1, 1, false, false}}},
            {.chunks = {{2, 1, false, true}}, .embedding_is_shared = true},
            {.chunks = {{0, 0, true, false}}, .embedding_is_shared = true},
            {.chunks = {{3, 0, false, true}}, .embedding_is_shared = true},
            {.chunks = {{0, 1, true, false}, {2, 1, false, true}}}};
}

ModelPart shared(ModelPart part, int ranks, int rank, bool sequence_parallel = false) {
    part.tensor_ranks = ranks;
    part.tensor_rank = rank;
    part.sequence_parallel = sequence_parallel;
    return part;
}

TEST(Partition, EvenSharesCoverEverythingOnce) {
    for (const int parts : {1, 2, 3, 5, 8}) {
        for (const Size total : {0, 1, 7, 8, 61}) {
            Size end = 0, least = total, most = 0;
            for (int part = 0; part < parts; ++part) {
                const auto share = reference::even_share(total, parts, part);
                EXPECT_EQ(share.first, end);
                end += share.count;
                least = std::min(least, share.count);
                most = std::max(most, share.count);
            }
            EXPECT_EQ(end, total);
            EXPECT_LE(most - least, 1);
        }
    }
}

TEST(Partition, RecomputeIsReadAsItIsWritten) {
    for (const Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full}) {
        EXPECT_EQ(reference::parse_recompute(to_string(recompute)), recompute);
    }
    EXPECT_THROW(reference::parse_recompute("some"), Error);
}

/// How often the tensor ranks hold each element of each tensor.
std::map<std::string, std::vector<int>> times_held(const ModelPart& part, int ranks) {
    std::map<std::string, std::vector<int>> times;
    for (int rank = 0; rank < ranks; ++rank) {
        const ParameterLayout layout(odd_config, shared(part, ranks, rank));
        for (const auto& info : layout.parameters()) {
            Size count = 1, local = 0;
            for (const Size extent : info.shape) count *= extent;
            auto& held = times[info.name];
            held.resize(static_cast<std::size_t>(count));
            for (const auto& piece : info.pieces()) {
                EXPECT_EQ(piece.local, local) << info.name;
                local += piece.count;
                for (Size i = 0; i < piece.count; ++i)
                    ++held.at(static_cast<std::size_t>(piece.global + i));
            }
            EXPECT_EQ(local, info.count) << info.name;
            EXPECT_EQ(info.replicated, ranks > 1 && info.count == count) << info.name;
        }
    }
    return times;
}

TEST(ParameterLayout, PiecesCoverEveryElementOnce) {
    for (const ModelPart& part : stages()) {
        for (const int ranks : {1, 2, 3, 5}) {
            for (const auto& [name, held] : times_held(part, ranks)) {
                const bool everywhere = name.find("norm") != std::string::npos ||
                                        name.starts_with("position") ||
                                        name.ends_with("projection.bias");
                const int expected = everywhere ? ranks : 1;
                EXPECT_TRUE(std::ranges::all_of(held, [&](int n) { return n == expected; }))
                    << name << ", tp=" << ranks;
            }
        }
    }
}

void expect_consistent(const ParameterLayout& layout) {
    Size end = 0;
    std::size_t i = 0;
    for (const ParameterGroup& group : layout.groups()) {
        EXPECT_EQ(group.first, end);
        Size replicated = 0;
        for (; i < layout.parameters().size() && end < group.end(); ++i) {
            const ParameterInfo& info = layout.parameters()[i];
            EXPECT_EQ(info.offset, end);
            EXPECT_TRUE(info.replicated || replicated == 0) << info.name << " is out of order";
            if (info.replicated) replicated += info.count;
            end += info.count;
        }
        EXPECT_EQ(end, group.end());
        EXPECT_EQ(replicated, group.replicated);
    }
    EXPECT_EQ(i, layout.parameters().size());
    EXPECT_EQ(end, layout.count());
}

TEST(ParameterLayout, GroupsCutTheBufferWithWhatIsReplicatedLast) {
    for (const ModelPart& part : stages()) {
        for (const int ranks : {1, 2, 3, 5}) {
            const ModelPart share = shared(part, ranks, ranks - 1);
            const ParameterLayout layout(odd_config, share);
            expect_consistent(layout);
            EXPECT_EQ(layout.count(), reference::expected_parameters(odd_config, share));
        }
    }
    EXPECT_EQ(ParameterLayout(odd_config).count(), odd_config.parameter_count());
}

TEST(ParameterLayout, UnitsNameTheirGroups) {
    const ParameterLayout layout(odd_config);
    using Kind = reference::Unit::Kind;
    // Final norm, blocks 2, 1, 0, position, token.
    EXPECT_EQ(layout.groups_of({Kind::head, 0}), (std::vector<std::size_t>{0, 5}));
    EXPECT_EQ(layout.groups_of({Kind::block, 2}), (std::vector<std::size_t>{1}));
    EXPECT_EQ(layout.groups_of({Kind::block, 0}), (std::vector<std::size_t>{3}));
    EXPECT_EQ(layout.groups_of({Kind::embedding, 0}), (std::vector<std::size_t>{4, 5}));
}

TEST(InitialWeights, OfPartsAreThoseOfTheWhole) {
    Gpt<float> whole(odd_config, 1, 4);
    whole.initialize(7);
    NamedValues expected;
    for (const auto& info : whole.parameters()) {
        const auto first = whole.weights().begin() + info.offset;
        expected[info.name] = Values(first, first + info.count);
    }
    for (const ModelPart& part : stages()) {
        for (int rank = 0; rank < 3; ++rank) {
            const ModelPart share = shared(part, 3, rank);
            PartModel<float> model(odd_config, share,
                                   {.slots = std::vector<int>(part.chunks.size(), 1)});
            model.load(expected);
            // In slices that end in the middle of tensors.
            constexpr std::size_t slice = 1000;
            for (std::size_t first = 0; first < model.weights().size(); first += slice) {
                std::vector<float> drawn(std::min(slice, model.weights().size() - first), -1.0F);
                reference::fill_initial_weights<float>(model.layout(), 7, static_cast<Size>(first),
                                                       drawn);
                EXPECT_TRUE(std::equal(drawn.begin(), drawn.end(),
                                       model.weights().begin() + static_cast<Size>(first)));
            }
        }
    }
}

}  // namespace
}  // namespace shardstone::validation
