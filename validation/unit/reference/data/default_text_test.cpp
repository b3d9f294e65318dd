// SPDX-License-Identifier: BSD-3-Clause
// The built-in training text stays byte for byte the same, and hashes tell data sets apart.
#include "reference/data/default_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "reference/data/hash.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

std::string letters_of(const TokenPieces& pieces) {
    std::string text;
    for (const auto& piece : pieces) {
        for (const Token token : piece.all()) text += static_cast<char>(token);
    }
    return text;
}

// A change of it changes the loss of every command without --data: that is a new version of the
// benchmark, not an edit.
TEST(DefaultText, IsWhatItWas) {
    EXPECT_EQ(default_text.size(), 456773U);
    EXPECT_EQ(to_hex(hash_of_bytes(std::as_bytes(std::span(default_text)))), "25956a8eddcc5bcd");
    EXPECT_EQ(default_dataset().hash(), "7b7751af830ab412");
}

TEST(DefaultText, IsPlainTextInOrderWithItsTailHeldOut) {
    EXPECT_TRUE(default_text.starts_with("Paradise Lost\nby John Milton\n\nBook I\n"));
    EXPECT_TRUE(default_text.ends_with("Through Eden took their solitary way.\n"));
    EXPECT_TRUE(std::ranges::all_of(default_text, [](char letter) {
        return letter == '\n' || (letter >= ' ' && letter < 127);
    }));
    const Dataset data = default_dataset();
    EXPECT_EQ(letters_of(data.train()) + letters_of(data.validation()), default_text);
    EXPECT_EQ(token_count(data.validation()), 45677);
    EXPECT_EQ(data.vocabulary(), 256);
}

// The two parts are told apart, and their order is.
TEST(DatasetHash, TellsDataApart) {
    const std::vector<Token> first{1, 2, 3}, second{3, 2, 1};
    const auto hash = [](const std::vector<Token>& train, const std::vector<Token>& held_out) {
        return Dataset::from_tokens("", 4, train, held_out).hash();
    };
    EXPECT_EQ(hash(first, second), hash(first, second));
    EXPECT_NE(hash(first, second), hash(second, first));
    EXPECT_NE(hash(first, second), hash({1, 2, 3, 3}, {2, 1}));
}

}  // namespace
}  // namespace shardstone::validation
