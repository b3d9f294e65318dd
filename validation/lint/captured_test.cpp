// SPDX-License-Identifier: BSD-3-Clause
// A function of a file's own that a header elsewhere declares is found, whatever its namespaces,
// names of parameters and defaults are.
#include "validation/lint/captured.hpp"

#include <gtest/gtest.h>

namespace shardstone::validation {
namespace {

const std::string own =
    "namespace n {\n\nnamespace {\n\n"
    "std::string words(std::size_t done,\n                  const coll::Spec& spec) {\n"
    "    return \"\";\n}\n\n}  // namespace\n\n}\n";

std::size_t found(const std::string& header, const std::string& source = own) {
    return captured_names({{"a/one.hpp", header}, {"b/two.cpp", source}}).size();
}

TEST(Captured, SameNameAndTypesAreFound) {
    EXPECT_EQ(found("std::string words(std::size_t sums, const Spec& of = {});\n"), 1U);
    EXPECT_EQ(found("std::string words(size_t,\n                  Spec& of);\n"), 1U);
    EXPECT_EQ(found("template <class T>\nint words(std::size_t a, const x::Spec& b);\n"), 1U);
}

TEST(Captured, OthersAreNot) {
    EXPECT_EQ(found("std::string words(std::size_t sums);\n"), 0U);
    EXPECT_EQ(found("std::string words(int sums, const Spec& of);\n"), 0U);
    EXPECT_EQ(found("std::string phrases(std::size_t sums, const Spec& of);\n"), 0U);
    EXPECT_EQ(found("class A {\n    std::string words(std::size_t sums, const Spec& of);\n};\n"),
              0U);
    const std::string shared =
        "namespace n {\n\nstd::string words(std::size_t done,\n"
        "                  const Spec& spec) {\n    return \"\";\n}\n\n}\n";
    EXPECT_EQ(found("std::string words(std::size_t sums, const Spec& of);\n", shared), 0U);
}

TEST(Captured, AHeaderMayDeclareWhatItsOwnSourceHas) {
    const std::string header = "std::string words(std::size_t sums, const Spec& of);\n";
    EXPECT_EQ(captured_names({{"a/one.hpp", header}, {"a/one.cpp", own}}).size(), 0U);
}

}  // namespace
}  // namespace shardstone::validation
