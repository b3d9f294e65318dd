// SPDX-License-Identifier: BSD-3-Clause
// Choices are counted and given rows on the device exactly as on the host.
#include "reference/model/experts/row_assignment.hpp"

#include <algorithm>

#include "kernels/base/random.hpp"
#include "validation/numerics/kernels/located.hpp"
#include "validation/unit/kernels/device/needs_gpu.hpp"

namespace shardstone::validation {
namespace {

using DeviceRowAssignment = OnDevice;
using reference::ExpertPart;
using Indices = std::vector<std::int32_t>;

/// K different experts of each position, the first ones more often.
Indices random_choices(const ExpertPart& part) {
    const RandomStream stream(7, "choices");
    Indices all;
    for (std::int64_t n = 0; n < part.rows(); ++n) {
        for (std::int64_t k = 0; k < part.top_k; ++k) {
            const auto draw = stream.below(static_cast<std::uint64_t>(part.experts),
                                           static_cast<std::uint64_t>(n * part.top_k + k));
            auto expert =
                static_cast<std::int32_t>(draw * draw / static_cast<std::uint64_t>(part.experts));
            while (std::find(all.end() - k, all.end(), expert) != all.end()) {
                expert = (expert + 1) % static_cast<std::int32_t>(part.experts);
            }
            all.push_back(expert);
        }
    }
    return all;
}

ExpertPart part_of(std::int64_t experts, std::int64_t top_k, std::int64_t sequences,
                   std::int64_t positions, std::int64_t slots) {
    return {.experts = experts,
            .top_k = top_k,
            .own = {0, experts},
            .sequences = sequences,
            .length = positions,
            .positions = positions,
            .slots = slots};
}

// A choice; less than a step of a warp; several of each of a block's warps, with a rest; as
// many experts as a block has all its warps for, and more. Slots: none, few, enough for most.
std::vector<ExpertPart> parts() {
    std::vector<ExpertPart> all;
    for (const std::int64_t slots : {0, 1, 40}) {
        all.push_back(part_of(2, 1, 1, 1, slots));
        all.push_back(part_of(3, 2, 2, 3, slots));
        all.push_back(part_of(5, 5, 3, 7, slots));
        all.push_back(part_of(8, 2, 3, 999, slots));
        all.push_back(part_of(128, 8, 2, 1100, slots));
        all.push_back(part_of(512, 2, 1, 300, slots));
        all.push_back(part_of(700, 3, 1, 300, slots));
    }
    return all;
}

TEST_F(DeviceRowAssignment, GivesTheHostsRows) {
    for (const ExpertPart& part : parts()) {
        Indices from = random_choices(part), rows(from.size(), -7);
        const Located<std::int32_t, Cuda> choices(from);
        Located<std::int32_t, Cuda> given(rows);
        Located<double, Cuda> dropped(1, 100.0);
        double expected_dropped = 100.0;  // is added to
        const std::int64_t n = part.rows();
        reference::assign_rows(CudaQueue(), part, choices.view(n), given.view(n), dropped.data());
        reference::assign_rows(HostQueue(), part, matrix(from.data(), n, part.top_k),
                               matrix(rows.data(), n, part.top_k), &expected_dropped);
        EXPECT_EQ(given.read(), rows) << part.experts << " experts, slots: " << part.slots;
        EXPECT_EQ(dropped.read()[0], expected_dropped);
    }
}

TEST_F(DeviceRowAssignment, CountsAsTheHost) {
    for (const ExpertPart& part : parts()) {
        Indices from = random_choices(part);
        const Located<std::int32_t, Cuda> choices(from);
        std::vector<float> picks(static_cast<std::size_t>(part.sequences * part.experts), -7.0F);
        std::vector<float> counts(static_cast<std::size_t>(part.experts), -7.0F);
        Located<float, Cuda> picked(picks), counted(counts);
        const std::int64_t n = part.rows();
        reference::count_picks<float>(CudaQueue(), part, choices.view(n),
                                      picked.view(part.sequences));
        reference::count_choices<float>(CudaQueue(), choices.view(n), counted.data(), part.experts);
        reference::count_picks<float>(HostQueue(), part, matrix(from.data(), n, part.top_k),
                                      matrix(picks.data(), part.sequences, part.experts));
        reference::count_choices<float>(HostQueue(), matrix(from.data(), n, part.top_k),
                                        counts.data(), part.experts);
        EXPECT_EQ(picked.read(), picks) << part.experts;
        EXPECT_EQ(counted.read(), counts) << part.experts;
    }
}

// The choices of a position lie further apart, as do its rows.
TEST_F(DeviceRowAssignment, KeepsToTheStrides) {
    const ExpertPart part = part_of(3, 2, 1, 3, 0);
    const Located<std::int32_t, Cuda> choices(Indices{0, 1, 9, 0, 2, 9, 1, 2, 9});
    Located<std::int32_t, Cuda> rows(Indices(9, -7));
    Located<double, Cuda> dropped(1, 0.0);
    const Matrix<const std::int32_t, Cuda> from = choices.view(3).columns_from(0, 2);
    reference::assign_rows(CudaQueue(), part, from, rows.view(3).columns_from(0, 2),
                           dropped.data());
    EXPECT_EQ(rows.read(), (Indices{0, 2, -7, 1, 4, -7, 3, 5, -7}));
}

TEST_F(DeviceRowAssignment, OfNoChoicesCountsNone) {
    const Located<std::int32_t, Cuda> choices(1, 0);
    Located<float, Cuda> counts(3, 9.0F);
    Located<double, Cuda> dropped(1, 5.0);
    const Matrix<const std::int32_t, Cuda> none{choices.data(), 0, 2, 2};
    reference::count_choices<float>(CudaQueue(), none, counts.data(), 3);
    reference::assign_rows(CudaQueue(), part_of(3, 2, 0, 0, 0), none, {nullptr, 0, 2, 2},
                           dropped.data());
    EXPECT_EQ(counts.read(), std::vector<float>(3, 0.0F));
    EXPECT_EQ(dropped.read(), std::vector<double>{5.0});
}

}  // namespace
}  // namespace shardstone::validation
