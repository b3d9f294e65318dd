// SPDX-License-Identifier: BSD-3-Clause
// Bytes of an HDF5 record are found in the column whose values they are, in chunks and out of them.
#include "results/format/hdf5_place.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "results/format/hdf5_format.hpp"
#include "validation/unit/results/example_record.hpp"

namespace shardstone::validation {
namespace {

using namespace results;

/// Numbers that do not compress, so that another one of them moves nothing.
Record with_columns() {
    Record record = example_record();
    Table::Column large{"large_s", {}, {}}, small{"small_s", {0.1, 0.7, 0.3}, {}};
    for (int i = 0; i < 40000; ++i) large.numbers.push_back(std::sin(i * i) * 1e3);
    record.samples = {{"stretches", {large}}, {"few", {small}}};
    return record;
}

/// How many of the bytes in which two files differ lie in which place.
std::map<std::string, int> places_of_difference(const std::string& a, const std::string& b) {
    std::map<std::string, int> places;
    EXPECT_EQ(a.size(), b.size());
    for (std::size_t i = hdf5_head_size; i < a.size(); ++i) {
        if (a[i] != b[i]) ++places[hdf5_place(a, i)];
    }
    return places;
}

TEST(Hdf5Place, IsTheColumnWhoseValuesDiffer) {
    const Record record = with_columns();
    const std::string bytes = to_hdf5_bytes(record);
    Record small = record;
    small.samples[1].columns[0].numbers[1] = 0.9;
    auto places = places_of_difference(bytes, to_hdf5_bytes(small));
    EXPECT_GT(places["samples, table few, column small_s"], 0);
    EXPECT_EQ(places.count("samples, table stretches, column large_s"), 0U);
    Record derived = record;
    derived.derived[1].columns[0].numbers[0] = 43.5;
    places = places_of_difference(bytes, to_hdf5_bytes(derived));
    EXPECT_GT(places["derived, table a_second, column value"], 0);
}

/// Each byte of a chunk: as many as the library says that they take.
TEST(Hdf5Place, CountsTheBytesOfChunks) {
    const std::string bytes = to_hdf5_bytes(with_columns());
    constexpr std::size_t step = 4096;
    std::size_t in_column = 0;
    for (std::size_t at = 0; at < bytes.size(); at += step) {
        in_column += hdf5_place(bytes, at) == "samples, table stretches, column large_s" ? step : 0;
    }
    EXPECT_GT(in_column, bytes.size() / 2);
    EXPECT_LT(in_column, bytes.size());
    EXPECT_EQ(hdf5_place(bytes, hdf5_head_size + 1), "its structure");
}

}  // namespace
}  // namespace shardstone::validation
