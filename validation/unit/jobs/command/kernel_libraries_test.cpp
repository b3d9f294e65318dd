// SPDX-License-Identifier: BSD-3-Clause
// Every command that computes records which libraries did, so that comparisons can name them.
#include <gtest/gtest.h>

#include "benchmarks/kernels/kernel_record.hpp"
#include "kernels/gemm/gemm.hpp"
#include "validation/unit/jobs/command/recorded_run.hpp"

namespace shardstone::validation {
namespace {

class KernelLibraries : public testing::TestWithParam<const char*> {};

// This program is linked to the same ones.
TEST_P(KernelLibraries, AreInTheRecord) {
    const RecordedRun run(2, GetParam());
    ASSERT_LE(run.code(), 1) << run.errors() << run.output();  // small runs may miss a target
    const auto& environment = run.record().environment;
    ASSERT_TRUE(environment.contains("kernels")) << environment.dump(1);
    EXPECT_EQ(environment.at("kernels"), benchmarks::kernel_environment());
    EXPECT_EQ(environment.at("kernels").at("matrix_product"), gemm_library());
    EXPECT_FALSE(run.record().configuration.contains("matrix_product")) << "it is no setting";
}

INSTANTIATE_TEST_SUITE_P(
    Commands, KernelLibraries,
    testing::Values("train --model nano --steps 2 --global-batch 4",
                    "overlap --model nano --rounds 2 --global-batch 4", "step --model nano -n 2",
                    "study pipeline --schedules gpipe --micro-batches 2 --steps 1 --layers 1 "
                    "--channels 32 --warmup 0",
                    "study batch-size --batches 16 --factors 1 --most-sequences 256 --eval-every "
                    "128 --noise-pairs 2 --tokens 20000",
                    "collectives --op all_reduce --algorithm ring -b 1K -e 1K -n 6 "
                    "--cluster " SHARDSTONE_SOURCE_DIR "/jobs/clusters/ethernet-one-nic.toml"),
    [](const auto& each) {
        std::string name = each.param;
        name = name.substr(0, name.find(" --"));
        std::erase_if(name, [](char c) { return c == ' ' || c == '-'; });
        return name;
    });

}  // namespace
}  // namespace shardstone::validation
