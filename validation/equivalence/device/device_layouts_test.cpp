// SPDX-License-Identifier: BSD-3-Clause
// Layouts of several GPUs, or emulated ones, against one: bit by bit where no sum is split, else
// within the bound of the equivalence matrix.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "collectives/device/devices.hpp"
#include "collectives/executors/gpu/gpu_of_rank.hpp"
#include "validation/equivalence/device/device_layout.hpp"
#include "validation/equivalence/matrix.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

/// The second one is given to the GPU as a graph; from the third one on the graph takes over
/// values.
std::int64_t steps() {
    const char* asked = std::getenv("SHARDSTONE_TEST_STEPS");
    return asked == nullptr ? 2 : std::atoi(asked);
}

class DeviceLayouts : public testing::TestWithParam<Layout> {
  protected:
    static void SetUpTestSuite() {
        if (std::ssize(collectives::list_devices().devices) < world().size()) return;
        matrix = std::make_unique<EquivalenceMatrix>(world(), steps(), DeviceKind::cuda);
    }
    static void TearDownTestSuite() { matrix.reset(); }  // before MPI ends
    void SetUp() override {
        if (!matrix) GTEST_SKIP() << "there is no GPU for each rank";
    }
    static void expect_equal(const std::string& precision) {
        if (GetParam().parsed_plan().ranks() > world().size()) GTEST_SKIP() << "needs more ranks";
        const std::string why = why_left_out(GetParam(), precision);
        if (!why.empty()) GTEST_SKIP() << why;
        const Arithmetic arithmetic{false, OptimizerKind::adamw, precision};
        const LayoutVerdict verdict = matrix->judge(GetParam(), arithmetic);
        ASSERT_FALSE(verdict.difference) << verdict.difference->text();
        EXPECT_TRUE(verdict.repeats) << "a second run gave different bits";
        RecordProperty("worst_share_of_bound", std::to_string(verdict.worst_share));
    }

  private:
    static std::unique_ptr<EquivalenceMatrix> matrix;
};

std::unique_ptr<EquivalenceMatrix> DeviceLayouts::matrix;

TEST(DeviceLayoutsOfAPrecision, AreMostOfTheMatrix) {
    for (const auto& [precision, least] : {std::pair{"fp32", 190}, {"bf16", 190}, {"fp8", 120}}) {
        EXPECT_GE(std::ranges::count_if(equivalence_layouts(),
                                        [&](const Layout& layout) {
                                            return why_left_out(layout, precision).empty();
                                        }),
                  least)
            << precision;
    }
}

TEST_P(DeviceLayouts, TrainInFp32AsOneRankDoes) {
    expect_equal("fp32");
}

TEST_P(DeviceLayouts, TrainInBf16AsOneRankDoes) {
    expect_equal("bf16");
}

TEST_P(DeviceLayouts, TrainInFp8AsOneRankDoes) {
    expect_equal("fp8");
}

INSTANTIATE_TEST_SUITE_P(All, DeviceLayouts, testing::ValuesIn(equivalence_layouts()),
                         test_name_of);

}  // namespace
}  // namespace shardstone::validation
