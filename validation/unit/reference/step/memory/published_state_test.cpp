// SPDX-License-Identifier: BSD-3-Clause
// Memory of the model's state as published, out of reference/step/memory_model.hpp.
#include <gtest/gtest.h>

#include <array>

#include "validation/unit/reference/step/memory/published_tables.hpp"

namespace shardstone::validation {
namespace {

using reference::StateClass;

constexpr double gigabyte = 1e9;
constexpr double gibibyte = 1024.0 * 1024.0 * 1024.0;
constexpr double mebibyte = 1024.0 * 1024.0;

/// Rajbhandari et al., SC20, table 1: GB per device; stages 1, 2, 3 for 7.5, 128 and 1000 billion.
struct ZeroRow {
    int replicas;
    std::array<const char*, 9> cells;
};
const std::array<ZeroRow, 6> zero_table{{
    {1, {"120", "120", "120", "2048", "2048", "2048", "16000", "16000", "16000"}},
    {4, {"52.5", "41.3", "30", "896", "704", "512", "7000", "5500", "4000"}},
    {16, {"35.6", "21.6", "7.5", "608", "368", "128", "4750", "2875", "1000"}},
    {64, {"31.4", "16.6", "1.88", "536", "284", "32", "4187", "2218", "250"}},
    {256, {"30.4", "15.4", "0.47", "518", "263", "8", "4046", "2054", "62.5"}},
    {1024, {"30.1", "15.1", "0.12", "513", "257", "2", "4011", "2013", "15.6"}},
}};

/// Cells of the table that the classes do not give.
int wrong_cells(const std::vector<StateClass>& classes) {
    constexpr std::array<std::int64_t, 3> models{7'500'000'000, 128'000'000'000, 1'000'000'000'000};
    int wrong = 0;
    for (const ZeroRow& row : zero_table) {
        for (std::size_t cell = 0; cell < row.cells.size(); ++cell) {
            const auto counts = even_counts(models[cell / 3], row.replicas);
            const int zero = static_cast<int>(cell % 3) + 1;
            const double gb = state_bytes(classes, counts, zero) / gigabyte;
            wrong += prints_as(gb, row.cells[cell]) ? 0 : 1;
        }
    }
    return wrong;
}

TEST(PublishedState, ZeroTable1) {
    EXPECT_EQ(wrong_cells(zero_classes(2, 2, 12)), 0);  // of 54
}

TEST(PublishedState, AWrongTableIsSeen) {
    EXPECT_GT(wrong_cells(zero_classes(2, 4, 12)), 0);
    auto late = zero_classes(2, 2, 12);
    late[1].part_of = &reference::Sharding::weights;  // gradients, in stage 3 only
    EXPECT_EQ(wrong_cells(late), 15);                 // all of stage 2 but on one replica
    auto with_buffers = zero_classes(2, 2, 12);
    with_buffers[0].buffer_bytes = 2;
    EXPECT_EQ(wrong_cells(with_buffers), 0);  // the paper counts none: no room, no difference
}

/// Billions of parameters of a model that fills 32 GB on each of 64 replicas.
double largest_model(int zero) {
    const auto per_billion = even_counts(1'000'000'000, 64);
    return 32 * gigabyte / state_bytes(zero_classes(2, 2, 12), per_billion, zero);
}

TEST(PublishedState, ZeroTable2) {
    // Model-parallel 1 to 16 on 64 to 1024 devices: each column twice the one before, as printed.
    EXPECT_TRUE(prints_as(largest_model(0), "2"));
    EXPECT_TRUE(prints_as(largest_model(1), "7.6"));
    EXPECT_TRUE(prints_as(largest_model(2), "14.4"));
    EXPECT_TRUE(prints_as(largest_model(3), "128"));
}

TEST(PublishedState, MegatronBytesPerParameter) {
    struct Precision {
        std::vector<StateClass> classes;
        double whole, kept, shared;
    };
    // FP16 gradients; BF16 with FP32 gradients; all FP32 (Megatron-LM, distributed optimizer).
    const std::array<Precision, 3> precisions{{{zero_classes(2, 2, 16), 20, 4, 16},
                                               {zero_classes(2, 4, 12), 18, 6, 12},
                                               {zero_classes(4, 4, 8), 16, 8, 8}}};
    constexpr std::int64_t parameters = 1 << 20;
    for (const auto& [classes, whole, kept, shared] : precisions) {
        for (const int replicas : {1, 2, 8, 64}) {
            const auto counts = even_counts(parameters, replicas);
            EXPECT_EQ(state_bytes(classes, counts, 0) / parameters, whole);
            EXPECT_EQ(state_bytes(classes, counts, 1) / parameters, kept + shared / replicas);
        }
    }
}

TEST(PublishedState, DeepSpeedEstimates) {
    constexpr std::int64_t t5_3b = 2'851'000'000;
    constexpr std::int64_t t5_large = 737'670'000;
    constexpr std::int64_t largest_layer = std::int64_t{32128} * 1024;  // T5's vocabulary
    // Its stage 2 counts FP16 gradients whole, its stage 3 those on their way only.
    const auto stage_2 = zero_classes(2, 0, 16);
    const StateClass whole_gradients{"gradients", 2};
    const double at_2 = state_bytes(stage_2, even_counts(t5_3b, 8), 2) +
                        state_bytes({whole_gradients}, even_counts(t5_3b, 8), 2);
    EXPECT_TRUE(prints_as(at_2 / gibibyte, "15.93"));
    EXPECT_TRUE(
        prints_as(state_bytes(zero_classes(2, 0, 0), even_counts(t5_3b, 8), 2) / gibibyte, "5.31"));

    const auto stage_3 = [](std::int64_t weights, std::int64_t optimizer) {
        using reference::Sharding;
        return std::vector<StateClass>{{"weights", weights, &Sharding::weights, 2},
                                       {"gradients", 0, &Sharding::gradients, 2},
                                       {"optimizer", optimizer, &Sharding::optimizer}};
    };
    const auto at_3 = [&](std::int64_t parameters, int replicas, std::int64_t weights,
                          std::int64_t optimizer) {
        return state_bytes(stage_3(weights, optimizer),
                           even_counts(parameters, replicas, largest_layer), 3);
    };
    EXPECT_TRUE(prints_as(at_3(t5_3b, 8, 2, 16) / gibibyte, "6.10"));
    EXPECT_TRUE(prints_as(at_3(t5_3b, 8, 2, 0) / gibibyte, "0.79"));
    EXPECT_TRUE(prints_as(at_3(t5_3b, 8, 0, 0) / gibibyte, "0.12"));
    EXPECT_TRUE(prints_as(at_3(t5_large, 4, 2, 16) / mebibyte, "3291"));
    EXPECT_TRUE(prints_as(at_3(t5_large, 4, 2, 0) / mebibyte, "477"));
    EXPECT_TRUE(prints_as(at_3(t5_large, 4, 0, 0) / mebibyte, "125"));
}

}  // namespace
}  // namespace shardstone::validation
