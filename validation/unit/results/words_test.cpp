// SPDX-License-Identifier: BSD-3-Clause
// Rates, counts, intervals and lists as the report words them, and HTML that text cannot break.
#include "results/report/words.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/base/markup.hpp"
#include "results/report/html.hpp"
#include "results/report/rows_table.hpp"
#include "results/report/unbroken.hpp"

namespace shardstone::results {
namespace {

TEST(Words, RatesHaveThreeDigitsAndADecimalUnit) {
    EXPECT_EQ(rate_text(8.214), "8.21 GB/s");
    EXPECT_EQ(rate_text(0.01234), "12.3 MB/s");
    EXPECT_EQ(rate_text(1500.0), "1.50 TB/s");
    EXPECT_EQ(rate_text(2e-7), "200 B/s");
    EXPECT_EQ(rate_text(std::nan("")), "-");
    EXPECT_EQ(flop_rate_text(235.0), "235 GFLOP/s");
    EXPECT_EQ(rate_tick(1e-2), "10 MB/s");
    EXPECT_EQ(time_tick(1e-4), "100 us");
    EXPECT_EQ(number_tick(0.1), "0.1");
}

TEST(Words, TimesOfDayAreDatesInTables) {
    const ColumnDescription begin{"begin_unix_s", "s", ""}, length{"still_s", "s", ""};
    EXPECT_EQ(cell_text(begin, 1795653690.2504), "2026-11-26T00:41:30.250Z");
    EXPECT_EQ(cell_text({"unix_s", "s", ""}, 0.0), "1970-01-01T00:00:00.000Z");
    EXPECT_EQ(cell_text(length, 2.5), "2.50 s");
    EXPECT_EQ(cell_text(begin, std::nan("")), "-");
    EXPECT_EQ(cell_text(begin, 1e30), time_text(1e30)) << "no day of a calendar";
}

TEST(Words, NothingIsNotNegative) {
    EXPECT_EQ(number_tick(-0.0), "0");
    EXPECT_EQ(time_tick(-0.0), "0 ns");
    EXPECT_EQ(time_text(-0.0), "0.000 us");
    EXPECT_EQ(percent_text(-0.0), "0 %");
    EXPECT_EQ(count_text(-0.4), "0");
}

TEST(Words, CountsAreGrouped) {
    EXPECT_EQ(count_text(0), "0");
    EXPECT_EQ(count_text(999), "999");
    EXPECT_EQ(count_text(1234567), "1 234 567");
    EXPECT_EQ(count_text(-1234), "-1 234");
    EXPECT_EQ(count_text(999e12), "999 000 000 000 000");
    EXPECT_EQ(count_text(1e15), "1.00e+15");
    EXPECT_EQ(count_text(3e300), "3.00e+300");
    EXPECT_EQ(plural(1, "rank"), "1 rank");
    EXPECT_EQ(plural(8, "rank"), "8 ranks");
}

TEST(Words, SignificantDigits) {
    EXPECT_EQ(digits_text(0.0, 3), "0");
    EXPECT_EQ(digits_text(2.3456, 4), "2.346");
    EXPECT_EQ(digits_text(0.004567, 2), "0.0046");
    EXPECT_EQ(digits_text(123456.7, 3), "123457");
    EXPECT_EQ(digits_text(0.99999, 3), "1.00");
    EXPECT_EQ(digits_text(-9.999, 2), "-10");
    EXPECT_EQ(percent_text(0.305), "30.5 %");
}

TEST(Words, IntervalsAreGivenWhereTheyExist) {
    EXPECT_EQ(time_with_interval(2e-3, 1.9e-3, 2.1e-3),
              "2.00 ms (95 % interval 1.90 ms to 2.10 ms)");
    EXPECT_EQ(time_with_interval(2e-3, std::nan(""), std::nan("")), "2.00 ms");
}

TEST(Words, Lists) {
    EXPECT_EQ(listed({}), "");
    EXPECT_EQ(listed({"a"}), "a");
    EXPECT_EQ(listed({"a", "b", "c"}), "a, b and c");
}

TEST(Html, NothingInATextIsTakenForMarkup) {
    EXPECT_EQ(escape_markup("<b a=\"1\" c='2'>&"), "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;");
    const std::string script = json_for_script({{"name", "</script><!--"}, {"x", std::nan("")}});
    EXPECT_EQ(script.find('<'), std::string::npos);
    EXPECT_EQ(nlohmann::json::parse(script).at("name"), "</script><!--");
    EXPECT_TRUE(nlohmann::json::parse(script).at("x").is_null());
}

/// With ~ for a no-break space and _ for a narrow one.
std::string shown_unbroken(const std::string& html) {
    std::string shown = unbroken_numbers(html);
    for (const auto& [space, sign] : {std::pair("\xE2\x80\xAF", "_"), {"\xC2\xA0", "~"}}) {
        for (auto at = shown.find(space); at != shown.npos; at = shown.find(space)) {
            shown.replace(at, std::string(space).size(), sign);
        }
    }
    return shown;
}

TEST(Html, NoLineEndsInANumber) {
    EXPECT_EQ(shown_unbroken("<td>8 720 to 11 032</td>"), "<td>8_720 to 11_032</td>");
    EXPECT_EQ(shown_unbroken("(-1 234 000 567)"), "(-1_234_000_567)");
    EXPECT_EQ(shown_unbroken("keeps 20.3 % of 1.25 GFLOP/s, 1 250 tokens/s."),
              "keeps 20.3~% of 1.25~GFLOP/s, 1_250~tokens/s.");
    EXPECT_EQ(shown_unbroken("20.3 to 31.4 ms (95 % interval)"), "20.3 to 31.4~ms (95~% interval)");
}

TEST(Html, OtherBlanksMayBreak) {
    for (const char* text :
         {"8 ranks", "2026 100", "2026-11-26 100", "1.5 100", "dp=2 100", "1 100.5", "1 1000",
          "2 simple", "s 100", "<a title=\"1 234 ms\"></a>", "<code>--size 1 234 ms</code>"}) {
        EXPECT_EQ(unbroken_numbers(text), text);
    }
}

TEST(Html, BlanksOfNumbersArePlainOnATerminal) {
    const std::string text = "8 720 to 11 032 tokens/s, 20.3 %";
    EXPECT_NE(unbroken_numbers(text), text);
    EXPECT_EQ(with_plain_blanks(unbroken_numbers(text)), text);
}

TEST(Html, NumbersStandRightButForTheFirstColumn) {
    HtmlTable table({"Run", "Time", "Note"});
    table.add_row({"1 rank", "2.0 s", "-"});
    table.add_row({"2 ranks", "-", "<slow>"});
    const std::string html = table.html();
    EXPECT_NE(html.find("<td>1 rank</td><td class=\"number\">2.0 s</td><td>-</td>"),
              std::string::npos);
    EXPECT_NE(html.find("&lt;slow&gt;"), std::string::npos);
}

// Numbers that tell the rows under a heading apart stand right as well.
TEST(Html, ANameThatRowsShareStandsOnceAboveThem) {
    HtmlTable table({"Ranks", "Rate"});
    for (const char* name : {"first", "first", "<second>"}) {
        table.put_under(name);
        table.add_row({"8", "5"});
    }
    const std::string row = "<tr><td class=\"number\">8</td><td class=\"number\">5</td></tr>\n";
    const auto heading = [](const std::string& name) {
        return "<tr><td class=\"heading\" colspan=\"2\"><div>" + name + "</div></td></tr>\n";
    };
    const std::string html = table.html();
    EXPECT_NE(html.find("<tbody>\n" + heading("first") + row + row + heading("&lt;second&gt;") +
                        row + "</tbody>"),
              std::string::npos)
        << html;
    EXPECT_NE(html.find("<th class=\"number\">Ranks</th>"), std::string::npos) << html;
}

TEST(Html, ATableInWhichNothingWasMeasuredHasNoRows) {
    const Table unmeasured{"surroundings", {{"window_s", {not_measured, not_measured}, {}}}};
    const ColumnDescription column{.name = "window_s", .unit = "s", .meaning = "Its length."};
    const auto table = table_of_columns(Source{}, unmeasured, {column});
    EXPECT_TRUE(table.empty());
    EXPECT_EQ(table.html().find("<td"), std::string::npos);
}

TEST(Html, ColumnsInWhichNoRowHasAnythingAreLeftOut) {
    HtmlTable table({"Run", "Loss", "Rate", "Note"});
    table.tell_scripts({"a.h5", "runs", {"run", "loss", "rate", "note"}, {"A", "B", "C", "D"}});
    table.add_row({"one", "-", "5", "-"});
    table.add_row({"two", "", "-", "late"});
    table.drop_empty_columns();
    const std::string html = table.html();
    EXPECT_EQ(html.find("Loss"), std::string::npos) << html;
    EXPECT_NE(html.find("<th class=\"number\" data-column=\"rate\" title=\"C\">Rate</th>"),
              std::string::npos)
        << html;
    EXPECT_NE(html.find("<td>two</td><td class=\"number\">-</td><td>late</td>"), std::string::npos)
        << html;
}

}  // namespace
}  // namespace shardstone::results
