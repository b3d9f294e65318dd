// SPDX-License-Identifier: BSD-3-Clause
// The names of cells, lines and sentences of a page, each beside another that it might be taken
// for.
#include "results/bundle/page_place.hpp"

#include <gtest/gtest.h>

#include "kernels/base/error.hpp"
#include "results/report/html.hpp"
#include "results/report/page.hpp"

namespace shardstone::validation {
namespace {

using namespace results;

/// A table whose every text is there once, and two findings.
std::string page() {
    HtmlTable table({"part", "rate", "odds"});
    table.tell_scripts({"i.h5", "suspects", {"culprit", "rate_gb_s", "log10_odds"}, {}});
    table.put_under("node one");
    table.add_row({"cable", "11", "12"}, "rivals of row one");
    table.add_row({"port", "21", "22"});
    table.put_under("node two");
    table.add_row({"pair", "31", "32"}, "rivals of row three");
    Section section{"interconnect", "Links"};
    section.body = "<h3>Suspects</h3>\n" + table.html();
    section.findings = {{"First.", {}, {"detail a", "detail b"}}, {"Second.", {}}};
    return make_page({"Title", "Subtitle"}, {section});
}

std::string place_of(const std::string& text) {
    const std::string all = page();
    const std::size_t at = all.find(">" + text);
    require(at != std::string::npos && all.find(">" + text, at + 1) == std::string::npos,
            [&] { return "'" + text + "' is not there once"; });
    return page_place(all, at + 1);
}

TEST(PagePlace, ACellIsInItsOwnRowAndColumn) {
    const std::string table = "section 'Links', 'Suspects', table suspects of i.h5, ";
    EXPECT_EQ(place_of("cable"), table + "row 1, column 'part'");
    EXPECT_EQ(place_of("11<"), table + "row 1, column 'rate'");
    EXPECT_EQ(place_of("12<"), table + "row 1, column 'odds'");
    EXPECT_EQ(place_of("21<"), table + "row 2, column 'rate'");
    EXPECT_EQ(place_of("32<"), table + "row 3, column 'odds'");
}

TEST(PagePlace, ALineOverTheWholeWidthIsNoRow) {
    const std::string table = "section 'Links', 'Suspects', table suspects of i.h5, ";
    EXPECT_EQ(place_of("rivals of row one"), table + "beneath row 1");
    EXPECT_EQ(place_of("rivals of row three"), table + "beneath row 3");
    EXPECT_EQ(place_of("node two"), table + "above row 3");
}

TEST(PagePlace, AReasonIsALineOfItsFinding) {
    EXPECT_EQ(place_of("First."), "finding 1");
    EXPECT_EQ(place_of("detail b"), "finding 1, line 2");
    EXPECT_EQ(place_of("Second."), "finding 2");
}

}  // namespace
}  // namespace shardstone::validation
