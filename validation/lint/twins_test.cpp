// SPDX-License-Identifier: BSD-3-Clause
// Two types of one name in one namespace are found, and none that may have the same name.
#include "validation/lint/twins.hpp"

#include <gtest/gtest.h>

namespace shardstone::validation {
namespace {

std::string in(const std::string& scope, const std::string& body) {
    return "namespace " + scope + " {\n\n" + body + "\n}  // namespace " + scope + "\n";
}

std::size_t found(const std::string& one, const std::string& other) {
    return twin_types({{"a/one.hpp", one}, {"b/two.cpp", other}}).size();
}

TEST(Twins, AreFound) {
    const std::string one = in("n::m", "/// This.\nstruct Twin {\n    int a;\n};\n");
    EXPECT_EQ(found(one, in("n::m", "class Twin final : public Base {\n};\n")), 1U);
    EXPECT_EQ(found(one, in("n::m", "enum class Twin : std::uint8_t { a, b };\n")), 1U);
    EXPECT_EQ(found(one, in("n::m", "struct alignas(64) Twin {\n};\n")), 1U);
    EXPECT_EQ(found(one, in("n", "namespace {\n\nint x;\n\n}  // namespace\n") +
                             in("n::m", "struct Twin {};\n")),
              1U);
}

TEST(Twins, OthersAreNot) {
    const std::string one = in("n::m", "struct Twin {\n};\n");
    EXPECT_EQ(found(one, in("n::o", "struct Twin {\n};\n")), 0U);
    EXPECT_EQ(found(one, in("n::m", "struct Twin;\nclass TwinOfOthers {\n};\n")), 0U);
    EXPECT_EQ(found(one, in("n::m", "namespace {\n\nstruct Twin {\n};\n\n}  // namespace\n")), 0U);
    EXPECT_EQ(found(one, in("n::m", "struct Twin::Inner {\n};\n")), 0U);
    EXPECT_EQ(found(one, in("n::m", "class Outer {\n    struct Twin {\n    };\n};\n")), 0U);
}

}  // namespace
}  // namespace shardstone::validation
