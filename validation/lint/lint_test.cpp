// SPDX-License-Identifier: BSD-3-Clause
// All sources keep the house rules, and the lint finds each offence that is planted.
#include "validation/lint/lint.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "validation/lint/captured.hpp"
#include "validation/lint/twins.hpp"

namespace shardstone::validation {
namespace {

constexpr const char* licence = "// SPDX-License-Identifier: BSD-3-Clause\n";
constexpr const char* purpose = "// What it is for.\n";

std::size_t findings(const char* path, const std::string& body) {
    return lint_source(path, std::string(licence) + purpose + body).size();
}

TEST(Lint, WholeTreeIsClean) {
    const std::filesystem::path root = SHARDSTONE_SOURCE_DIR;
    std::map<std::string, std::string> sources;
    for (const char* top :
         {"kernels", "collectives", "results", "reference", "benchmarks", "validation", "jobs"}) {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root / top)) {
            const auto extension = entry.path().extension();
            if (extension != ".cpp" && extension != ".hpp" && extension != ".cu") continue;
            std::ostringstream text;
            text << std::ifstream(entry.path()).rdbuf();
            const auto path = std::filesystem::relative(entry.path(), root).string();
            for (const auto& finding : lint_source(path, text.str())) ADD_FAILURE() << finding;
            if (std::string_view(top) != "validation") sources[path] = text.str();
        }
    }
    EXPECT_GT(sources.size(), 20U);
    for (const auto& finding : captured_names(sources)) ADD_FAILURE() << finding;
    for (const auto& finding : twin_types(sources)) ADD_FAILURE() << finding;
}

// The lint itself can fail: each planted offence is found, each neighbour of it is not.
TEST(Lint, PlantedOffencesAreFound) {
    EXPECT_EQ(findings("collectives/x.cpp", "#include \"kernels/tensor/y.hpp\"\n"), 1U);
    EXPECT_EQ(findings("collectives/x.cpp", "#include \"kernels/base/error.hpp\"\n"), 0U);
    EXPECT_EQ(findings("kernels/base/x.hpp", "#include \"kernels/gemm/y.hpp\"\n"), 1U);
    EXPECT_EQ(findings("kernels/gemm/x.cpp", "#include \"collectives/y.hpp\"\n"), 1U);
    EXPECT_EQ(findings("reference/x.cpp", "#include <mpi.h>\n"), 1U);
    EXPECT_EQ(findings("collectives/x.cpp", "#include <mpi.h>\n"), 0U);
    EXPECT_EQ(findings("benchmarks/collectives/x.cpp", "#include <mpi.h>\n"), 1U);
    EXPECT_EQ(findings("benchmarks/collectives/rivals/x.cpp", "#include <mpi.h>\n"), 0U);
    EXPECT_EQ(findings("collectives/x.cpp", "#include <gloo/context.h>\n"), 1U);
    EXPECT_EQ(findings("benchmarks/collectives/x.cpp", "#include <toml++/toml.h>\n"), 1U);
    EXPECT_EQ(findings("collectives/cluster/x.hpp", "#include <toml++/toml.h>\n"), 0U);
    EXPECT_EQ(findings("kernels/transformer/x.cpp", "#include <Kokkos_Core.hpp>\n"), 1U);
    EXPECT_EQ(findings("reference/x.cpp", "#include \"jobs/command/command.hpp\"\n"), 1U);
    EXPECT_EQ(findings("collectives/x.cpp", "#include <cuda_runtime_api.h>\n"), 1U);
    EXPECT_EQ(findings("collectives/x_cuda.cpp", "#include <cuda_runtime_api.h>\n"), 0U);
    EXPECT_EQ(findings("kernels/gemm/x.cu", "#include <cuda_fp16.h>\n"), 0U);
    EXPECT_EQ(findings("reference/x_cuda.cpp", "#include <cuda_runtime.h>\n"), 1U);
    EXPECT_EQ(findings("collectives/executors/x_cuda.cpp", "#include <nccl.h>\n"), 1U);
    EXPECT_EQ(findings("collectives/executors/nccl/x_cuda.hpp", "#include <nccl.h>\n"), 0U);
    EXPECT_EQ(findings("collectives/x.cpp", "#include \"collectives/y_cuda.hpp\"\n"), 1U);
    EXPECT_EQ(findings("validation/x_cuda_test.cpp", "#include \"collectives/y_cuda.hpp\"\n"), 0U);
    EXPECT_EQ(findings("benchmarks/x.cpp", "#include <boost/math/distributions/normal.hpp>\n"), 1U);
    EXPECT_EQ(findings("reference/x.cpp",
                       "    std::ranges::nth_"
                       "element(v, v.begin() + 1);\n"),
              1U);
    EXPECT_EQ(findings("kernels/base/x.cpp",
                       "    std::nth_"
                       "element(a, b, c);\n"),
              0U);
    EXPECT_EQ(findings("jobs/x.cpp", std::string(400, '\n')), 1U);
    EXPECT_EQ(lint_source("jobs/x.hpp", "int x;\n").size(), 1U);
    EXPECT_EQ(lint_source("jobs/x.hpp", std::string(licence) + "int x;\n").size(), 0U);
    EXPECT_EQ(lint_source("jobs/x.cpp", std::string(licence) + "int x;\n").size(), 1U);
    EXPECT_EQ(lint_source("jobs/x.cu", std::string(licence) + "int x;\n").size(), 1U);
    const auto function = [](std::size_t lines) {
        return "int f() {\n" + std::string(lines - 2, '\n') + "}\n";
    };
    EXPECT_EQ(findings("jobs/x.cpp", function(46)), 1U);
    EXPECT_EQ(findings("jobs/x.cpp", function(45)), 0U);
}

TEST(Lint, RoomsStandOnEachOtherInOneDirection) {
    EXPECT_EQ(findings("kernels/gemm/x.cpp", "#include \"kernels/optimizer/y.hpp\"\n"), 1U);
    EXPECT_EQ(findings("kernels/optimizer/x.cpp", "#include \"kernels/optimizer/y.hpp\"\n"), 0U);
    EXPECT_EQ(findings("collectives/operation/x.cpp", "#include \"collectives/pricing/y.hpp\"\n"),
              1U);
    EXPECT_EQ(findings("collectives/pricing/x.cpp", "#include \"collectives/operation/y.hpp\"\n"),
              0U);
    EXPECT_EQ(findings("collectives/gather/x.cpp", "#include \"collectives/drawing/y.hpp\"\n"), 1U);
    EXPECT_EQ(
        findings("collectives/executors/mpi/x.cpp", "#include \"collectives/executors/y.hpp\"\n"),
        0U);
    EXPECT_EQ(findings("reference/model/context/x.cpp", "#include \"reference/model/y.hpp\"\n"),
              0U);
    EXPECT_EQ(findings("reference/model/context/x.cpp", "#include \"reference/step/y.hpp\"\n"), 1U);
    EXPECT_EQ(findings("reference/model/experts/x.cpp", "#include \"reference/model/y.hpp\"\n"),
              0U);
    EXPECT_EQ(findings("reference/model/experts/x.cpp", "#include \"reference/step/y.hpp\"\n"), 1U);
    EXPECT_EQ(findings("reference/step/check/x.cpp", "#include \"reference/trainer/y.hpp\"\n"), 1U);
    EXPECT_EQ(findings("reference/trainer/x.cpp", "#include \"reference/step/check/y.hpp\"\n"), 0U);
}

}  // namespace
}  // namespace shardstone::validation
