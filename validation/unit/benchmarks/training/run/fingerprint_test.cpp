// SPDX-License-Identifier: BSD-3-Clause
// A fingerprint tells which value stands where, and not who holds it.
#include "benchmarks/training/run/fingerprint.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "reference/model/gpt_config.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

const ParameterLayout& layout() {
    static const ParameterLayout whole(gpt_preset("nano"));
    return whole;
}

/// Every element another.
std::vector<float> ramp() {
    std::vector<float> values(static_cast<std::size_t>(layout().count()));
    std::iota(values.begin(), values.end(), 1.0F);
    return values;
}

std::uint64_t fingerprint(const std::vector<float>& all, const std::vector<Range>& ranges) {
    const benchmarks::Fingerprint<float> print(layout());
    return print.of(ranges, {}, [&](const Range& range) {
        const auto first = all.begin() + range.first;
        return std::vector<float>(first, first + range.count);
    });
}

std::uint64_t fingerprint(const std::vector<float>& all) {
    return fingerprint(all, {{0, layout().count()}});
}

TEST(Fingerprint, SeesAChangedBitAndValuesThatChangedPlaces) {
    const auto whole = ramp();
    const std::uint64_t original = fingerprint(whole);
    for (const ParameterInfo& tensor : layout().parameters()) {
        const auto first = static_cast<std::size_t>(tensor.offset);
        auto changed = whole;
        changed[first] = std::nextafter(changed[first], 0.0F);
        EXPECT_NE(fingerprint(changed), original) << "a bit of " << tensor.name;
        auto swapped = whole;
        std::swap(swapped[first], swapped[first + 1]);
        EXPECT_NE(fingerprint(swapped), original) << "two elements of " << tensor.name;
    }
}

TEST(Fingerprint, SeesTensorsThatChangedPlaces) {
    const auto whole = ramp();
    auto swapped = whole;
    const auto& tensors = layout().parameters();
    for (std::size_t i = 0; i + 1 < tensors.size(); ++i) {
        if (tensors[i].count != tensors[i + 1].count) continue;
        swapped = whole;
        std::swap_ranges(swapped.begin() + tensors[i].offset,
                         swapped.begin() + tensors[i].offset + tensors[i].count,
                         swapped.begin() + tensors[i + 1].offset);
        EXPECT_NE(fingerprint(swapped), fingerprint(whole))
            << tensors[i].name << " and " << tensors[i + 1].name;
    }
    EXPECT_NE(swapped, whole) << "no neighbours of one size";
}

TEST(Fingerprint, AddsUpHoweverTheElementsAreShared) {
    const auto whole = ramp();
    const std::int64_t count = layout().count();
    const std::int64_t cut = count / 3 + 1;
    EXPECT_EQ(fingerprint(whole, {{cut, count - cut}}) + fingerprint(whole, {{0, cut}}),
              fingerprint(whole));
}

}  // namespace
}  // namespace shardstone::validation
