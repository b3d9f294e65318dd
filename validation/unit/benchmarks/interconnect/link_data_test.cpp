// SPDX-License-Identifier: BSD-3-Clause
// Whatever happens to a message of a pair test, it is seen, and its first wrong element is named.
#include "benchmarks/interconnect/link_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace shardstone::validation {
namespace {

using benchmarks::fill_link_data;
using benchmarks::find_wrong_link_data;
using benchmarks::LinkMessage;

constexpr LinkMessage message{3, 5, 17};

std::vector<std::uint64_t> filled(const LinkMessage& of, std::size_t elements = 4096) {
    std::vector<std::uint64_t> data(elements);
    fill_link_data(data, of);
    return data;
}

TEST(LinkData, ArrivesAsItWasSent) {
    EXPECT_FALSE(find_wrong_link_data(filled(message), message));
    EXPECT_FALSE(find_wrong_link_data(filled(message, 1), message));
}

TEST(LinkData, EveryFlippedBitIsLocated) {
    for (const std::size_t element : {0UL, 1UL, 1000UL, 4095UL}) {
        for (unsigned bit = 0; bit < 64; ++bit) {
            auto data = filled(message);
            data[element] ^= std::uint64_t{1} << bit;
            const auto wrong = find_wrong_link_data(data, message);
            ASSERT_TRUE(wrong);
            EXPECT_EQ(wrong->elements, 1);
            EXPECT_EQ(wrong->first, static_cast<std::int64_t>(element));
            EXPECT_EQ(wrong->bits(), 1);
            EXPECT_EQ(wrong->expected ^ wrong->found, std::uint64_t{1} << bit);
        }
    }
}

TEST(LinkData, ExchangedAndShiftedElementsAreSeen) {
    auto data = filled(message);
    std::swap(data[7], data[4000]);
    const auto exchanged = find_wrong_link_data(data, message);
    ASSERT_TRUE(exchanged);
    EXPECT_EQ(exchanged->elements, 2);
    EXPECT_EQ(exchanged->first, 7);
    data = filled(message);
    std::ranges::rotate(data, data.begin() + 1);
    EXPECT_EQ(find_wrong_link_data(data, message).value().elements, 4096);
}

TEST(LinkData, AnotherMessageIsWrongInEveryElement) {
    for (const LinkMessage& other :
         {LinkMessage{4, 5, 17}, LinkMessage{3, 6, 17}, LinkMessage{5, 3, 17},
          LinkMessage{3, 5, 16}, LinkMessage{3, 5, 18}}) {
        const auto wrong = find_wrong_link_data(filled(other), message);
        ASSERT_TRUE(wrong);
        EXPECT_EQ(wrong->elements, 4096);
        EXPECT_EQ(wrong->first, 0);
    }
}

TEST(LinkData, WordsNameWhoWhenAndWhere) {
    auto data = filled(message);
    data[1000] ^= 0x20;
    const std::string words = find_wrong_link_data(data, message).value().in_words();
    EXPECT_TRUE(
        words.starts_with("rank 5 received from rank 3 in step 17: 1 wrong element; the "
                          "first is element 1000: bit 5 (found 0x"))
        << words;
}

}  // namespace
}  // namespace shardstone::validation
