// SPDX-License-Identifier: BSD-3-Clause
// What the section on machines says of the binding of ranks: a row for those that are alike.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <regex>

#include "kernels/base/ranges_text.hpp"
#include "results/report/binding_table.hpp"
#include "validation/unit/results/report_rows.hpp"

namespace shardstone::validation {
namespace {

using nlohmann::json;
using results::Record;

json bound(const std::string& cpus, const std::string& numa_nodes, const json& variables) {
    return {{"cpus", cpus}, {"numa_nodes", numa_nodes}, {"variables", variables}};
}

Record bound_training(const std::vector<json>& bindings) {
    Record record = written_training({.ranks = static_cast<int>(bindings.size())});
    record.environment["binding_of_ranks"] = bindings;
    return record;
}

/// Without what only aligns cells.
std::string body_of(const std::vector<Record>& records) {
    const std::string body = results::machine_section(as_sources(records))->body;
    return std::regex_replace(body, std::regex(" class=\"number\""), "");
}

std::string row(const std::vector<std::string>& cells) {
    std::string html = "<tr>";
    for (const auto& cell : cells) html += "<td>" + cell + "</td>";
    return html;
}

std::size_t rows_in(const std::string& body) {
    const auto begin = body.find("<th>Hardware threads");
    std::size_t rows = 0;
    for (auto at = body.find("<tr><td>", begin); at != std::string::npos;
         at = body.find("<tr><td>", at + 1)) {
        ++rows;
    }
    return begin == std::string::npos ? 0 : rows;
}

TEST(ReportBinding, RanksThatAreAlikeShareARow) {
    std::vector<json> bindings;
    for (int rank = 0; rank < 32; ++rank) {
        const bool second = rank / 8 % 2 == 1;
        bindings.push_back(
            second ? bound("threads 8-15", "node 1", {{"UCX_NET_DEVICES", "mlx5_1"}})
                   : bound("threads 0-7", "node 0",
                           {{"CUDA_VISIBLE_DEVICES", "0"}, {"UCX_NET_DEVICES", "mlx5_0"}}));
    }
    const std::string body = body_of({bound_training(bindings)});
    EXPECT_EQ(rows_in(body), 2U) << body;
    EXPECT_NE(body.find(row({"0 to 7, 16 to 23", "threads 0-7", "node 0",
                             "CUDA_VISIBLE_DEVICES=0, UCX_NET_DEVICES=mlx5_0", "a.h5"})),
              std::string::npos)
        << body;
    EXPECT_NE(body.find(row({"8 to 15, 24 to 31", "threads 8-15", "node 1",
                             "UCX_NET_DEVICES=mlx5_1", "a.h5"})),
              std::string::npos)
        << body;
}

// The same ranks bound alike are one row of several records; other ranks are another.
TEST(ReportBinding, RecordsThatAreAlikeShareARow) {
    const json one = bound("any", "", json::object());
    const std::vector<json> four(4, one), two(2, one);
    const std::string few =
        body_of({bound_training(four), bound_training(two), bound_training(four)});
    EXPECT_EQ(rows_in(few), 2U) << few;
    EXPECT_NE(few.find(row({"0 to 3", "any", "-", "-", "a.h5 and c.h5"})), std::string::npos)
        << few;
    EXPECT_NE(few.find(row({"0 to 1", "any", "-", "-", "b.h5"})), std::string::npos) << few;
    const std::string many = body_of(std::vector<Record>(4, bound_training(four)));
    EXPECT_NE(many.find(row({"0 to 3", "any", "-", "-", "4 records"})), std::string::npos) << many;
}

TEST(ReportBinding, ManyBindingsAreFolded) {
    std::vector<json> bindings;
    for (int rank = 0; rank < 13; ++rank) {
        bindings.push_back(bound(fmt::format("thread {}", rank), "0", json::object()));
    }
    const std::string body = body_of({bound_training(bindings)});
    EXPECT_NE(body.find("<summary>What ranks were bound to (13 rows)</summary>"), std::string::npos)
        << body;
    EXPECT_EQ(rows_in(body), 13U);
}

// Records of earlier versions, and documents that others wrote.
TEST(ReportBinding, WithoutBindingsThereIsNoTable) {
    EXPECT_EQ(body_of({written_training({})}).find("bound to"), std::string::npos);
    EXPECT_EQ(body_of({bound_training({})}).find("bound to"), std::string::npos);
    for (const json& odd : {json(7), json("text"), json(nullptr), json{{"variables", 7}}}) {
        const std::string body = body_of({bound_training({odd})});
        EXPECT_NE(body.find("<td>-</td><td>-</td>"), std::string::npos) << odd << body;
    }
}

TEST(RangesText, JoinsNeighbours) {
    EXPECT_EQ(ranges_text(std::vector<int>{}), "");
    EXPECT_EQ(ranges_text(std::vector{5}), "5");
    EXPECT_EQ(ranges_text(std::vector{0, 1, 2, 4, 6, 7}), "0 to 2, 4, 6 to 7");
}

}  // namespace
}  // namespace shardstone::validation
