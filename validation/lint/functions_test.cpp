// SPDX-License-Identifier: BSD-3-Clause
// Functions are found with their lengths, wherever they stand, and nothing else is taken for one.
#include "validation/lint/functions.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace shardstone::validation {
namespace {

using Found = std::vector<std::pair<int, int>>;  // line, lines

Found found(std::string_view text) {
    Found all;
    for (const FunctionExtent& one : functions_of(text)) all.emplace_back(one.line, one.lines);
    return all;
}

TEST(Functions, AreCountedFromTheirTemplateToTheirBrace) {
    EXPECT_EQ(found("int f() {\n    return 1;\n}\n"), (Found{{1, 3}}));
    EXPECT_EQ(found("int x;\n\ntemplate <class T>\nT f(T a,\n    T b) {\n\n    return a;\n}\n"),
              (Found{{3, 6}}));
    EXPECT_EQ(found("A::A(int x)\n    : x_(x),\n      y_{1} {\n    go();\n}\n"), (Found{{1, 5}}));
    EXPECT_EQ(found("bool A::operator==(const A& b) const {  // all\n    return true;\n}\n"),
              (Found{{1, 3}}));
}

TEST(Functions, AreFoundInNamespacesAndClasses) {
    EXPECT_EQ(found("namespace n {\n"
                    "class A : public B {\n"
                    "  public:\n"
                    "    int one() { return 1; }\n"
                    "    int two() {\n"
                    "        return 2;\n"
                    "    }\n"
                    "\n"
                    "  private:\n"
                    "    struct C {\n"
                    "        // Why.\n"
                    "        void three() const {\n"
                    "            go();\n"
                    "        }\n"
                    "    };\n"
                    "};\n"
                    "}\n"),
              (Found{{5, 3}, {12, 3}}));
}

TEST(Functions, TakeWhatIsInsideThem) {
    EXPECT_EQ(found("int f() {\n"
                    "    const auto g = [&](int a) {\n"
                    "        return a;\n"
                    "    };\n"
                    "    struct A {\n"
                    "        int h() {\n"
                    "            return 1;\n"
                    "        }\n"
                    "    };\n"
                    "    for (int i = 0; i < 3; ++i) {\n"
                    "        go();\n"
                    "    }\n"
                    "}\n"),
              (Found{{1, 13}}));
}

TEST(Functions, AreNoTables) {
    EXPECT_EQ(found("const std::vector<A> table{\n    {\"a\", f()},\n    {\"b\", [](auto& s) {\n"
                    "         go();\n     }},\n};\nint x = f({\n    1,\n});\n"
                    "enum class E {\n    a,\n    b,\n};\n"),
              Found{});
}

}  // namespace
}  // namespace shardstone::validation
