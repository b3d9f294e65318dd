// SPDX-License-Identifier: BSD-3-Clause
// Korthikanti et al., MLSys 2023 (arXiv 2205.05198), out of the table of kept tensors
// (reference/model/kept_tensor.hpp) and the closed forms of our schedules.
#include <gtest/gtest.h>

#include <array>

#include "reference/step/schedules/schedule.hpp"
#include "validation/unit/reference/step/memory/published_tables.hpp"

namespace shardstone::validation {
namespace {

using reference::Recompute;

constexpr double gibibyte = 1024.0 * 1024.0 * 1024.0;

/// Table 3, with the figures 1 (GiB) and 7 (percent of "tensor parallel"; sequence parallel,
/// selective, both, full).
struct PaperModel {
    const char* name;
    PaperLayer layer;
    std::int64_t layers;
    int stages, chunks;
    std::int64_t micro_batches;
    const char *state, *tensor_parallel, *best;
    std::array<const char*, 4> percent;
    std::array<double, 4> listed;  ///< read off the figure by others
};

const std::array<PaperModel, 4> models{{
    {"22B",
     {2048, 4, 6144, 64, 8},
     48,
     1,
     1,
     1,
     "45.5625",
     "59.25",
     "9.5625",
     {"66.77", "49.37", "16.14", "7.59"},
     {66.84, 49.42, 16.18, 7.64}},
    {"175B",
     {2048, 1, 12288, 96, 8},
     96,
     8,
     3,
     64,
     "45.5625",
     "66.84",
     "12.35",
     {"61.96", "56.52", "18.48", "8.70"},
     {62.04, 56.53, 18.49, 8.71}},
    {"530B",
     {2048, 1, 20480, 128, 8},
     105,
     35,
     3,
     280,
     "31.6406",
     "114.02",
     "23.08",
     {"58.33", "61.90", "20.24", "9.52"},
     {58.31, 62.04, 20.27, 9.42}},
    {"1T",
     {2048, 1, 25600, 160, 8},
     128,
     64,
     1,
     512,
     "32.9590",
     "131.25",
     "26.56",
     {"58.33", "61.90", "20.24", "9.52"},
     {58.31, 62.04, 20.27, 9.42}},
}};

PaperLayer with_sequence_parallel(PaperLayer layer, bool on = true) {
    layer.sequence_parallel = on;
    return layer;
}

/// Activations of so many layers are under way on the first stage.
double layers_under_way(const PaperModel& model) {
    const auto& schedule =
        reference::find_pipeline_schedule(model.chunks > 1 ? "interleaved" : "1f1b");
    const auto live = schedule.live({model.stages, model.chunks, model.micro_batches}, 0);
    return static_cast<double>(live * (model.layers / model.stages / model.chunks));
}

double layer_bytes(PaperLayer layer, bool sequence, Recompute recompute) {
    return kept_bytes(with_sequence_parallel(layer, sequence).table(), recompute);
}

TEST(PublishedActivations, Table2) {
    for (const PaperModel& model : models) {
        PaperLayer layer = model.layer;
        const auto sbh = static_cast<double>(layer.positions() * layer.hidden);
        const double scores = 5.0 * static_cast<double>(layer.heads * layer.sequence) /
                              static_cast<double>(layer.hidden);
        const auto t = static_cast<double>(layer.tensor_ranks);
        const auto bytes = [&](bool sequence, Recompute recompute) {
            return layer_bytes(layer, sequence, recompute) / sbh;
        };
        EXPECT_DOUBLE_EQ(bytes(false, Recompute::none), 10 + 24 / t + scores / t) << model.name;
        EXPECT_DOUBLE_EQ(bytes(true, Recompute::none), 34 / t + scores / t) << model.name;
        EXPECT_DOUBLE_EQ(bytes(false, Recompute::selective), 10 + 24 / t) << model.name;
        EXPECT_DOUBLE_EQ(bytes(true, Recompute::selective), 34 / t) << model.name;
        EXPECT_DOUBLE_EQ(bytes(false, Recompute::full), 2.0) << model.name;
        layer.tensor_ranks = 1;
        EXPECT_DOUBLE_EQ(bytes(false, Recompute::none), 34 + scores) << model.name;
    }
}

TEST(PublishedActivations, SelectiveRecomputationSaves) {
    const auto saved = [](PaperLayer layer) {
        layer.tensor_ranks = 1;
        return 100 - 100 * layer_bytes(layer, false, Recompute::selective) /
                         layer_bytes(layer, false, Recompute::none);
    };
    EXPECT_TRUE(prints_as(saved(models[1].layer), "70"));  // GPT-3
    EXPECT_TRUE(prints_as(saved(models[2].layer), "65"));  // MT-NLG
}

TEST(PublishedActivations, OutsideTheLayers) {
    constexpr std::int64_t vocabulary = 51200;
    for (const PaperModel& model : models) {
        const PaperLayer layer = with_sequence_parallel(model.layer);
        const auto sbh_t =
            static_cast<double>(layer.positions() * layer.hidden / layer.tensor_ranks);
        double bytes = model.stages * kept_bytes(layer.embedding(), Recompute::none);
        double formula = model.stages;
        if (model.stages == 1) {
            bytes += kept_bytes(layer.head(vocabulary), Recompute::none);
            formula += 4.0 * (1.0 + double(vocabulary) / double(layer.hidden));
        }
        EXPECT_DOUBLE_EQ(bytes / sbh_t, formula) << model.name;
    }
}

TEST(PublishedActivations, Figure1) {
    for (const PaperModel& model : models) {
        const double layers = layers_under_way(model);
        const double plain = layers * layer_bytes(model.layer, false, Recompute::none);
        const double best = layers * layer_bytes(model.layer, true, Recompute::selective);
        EXPECT_TRUE(prints_as(plain / gibibyte, model.tensor_parallel)) << model.name;
        EXPECT_TRUE(prints_as(best / gibibyte, model.best)) << model.name;
        const std::int64_t parameters = 12 * model.layers * model.layer.hidden *
                                        model.layer.hidden / model.layer.tensor_ranks /
                                        model.stages;
        const double state = state_bytes(zero_classes(2, 4, 12), even_counts(parameters, 1), 0);
        EXPECT_TRUE(prints_as(state / gibibyte, model.state)) << model.name;
    }
}

/// Percent of the memory with tensor parallelism alone.
std::array<double, 4> percent_of(const PaperLayer& layer) {
    const double whole = layer_bytes(layer, false, Recompute::none) / 100;
    return {layer_bytes(layer, true, Recompute::none) / whole,
            layer_bytes(layer, false, Recompute::selective) / whole,
            layer_bytes(layer, true, Recompute::selective) / whole,
            layer_bytes(layer, false, Recompute::full) / whole};
}

TEST(PublishedActivations, Figure7) {
    for (const PaperModel& model : models) {
        const auto percent = percent_of(model.layer);
        for (std::size_t i = 0; i < percent.size(); ++i) {
            EXPECT_TRUE(prints_as(percent[i], model.percent[i])) << model.name << " " << percent[i];
            EXPECT_NEAR(percent[i], model.listed[i], 0.15) << model.name;
        }
    }
}

TEST(PublishedActivations, AWrongTableIsSeen) {
    const PaperLayer& layer = models[0].layer;
    const double right = kept_bytes(layer.table(), Recompute::selective);
    auto table = layer.table();
    table[4].kept = reference::Kept::unless_full;  // the mask of the softmax
    EXPECT_GT(kept_bytes(table, Recompute::selective), 1.02 * right);
    // Every single line counts.
    for (std::size_t line = 0; line < table.size(); ++line) {
        auto without = layer.table();
        without.erase(without.begin() + static_cast<std::ptrdiff_t>(line));
        const double share =
            kept_bytes(without, Recompute::none) / kept_bytes(layer.table(), Recompute::none);
        EXPECT_FALSE(prints_as(59.25 * share, "59.25")) << line;
    }
}

}  // namespace
}  // namespace shardstone::validation
