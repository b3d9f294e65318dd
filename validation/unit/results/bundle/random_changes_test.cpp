// SPDX-License-Identifier: BSD-3-Clause
// Every change of a single byte of a bundle is found, and the file in which it lies is named.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>

#include "kernels/base/error.hpp"
#include "results/report/unbroken.hpp"
#include "validation/unit/results/bundle/bundled.hpp"

namespace shardstone::validation {
namespace {

using namespace results;

int changes() {
    const char* wanted = std::getenv("SHARDSTONE_BUNDLE_CHANGES");
    return wanted == nullptr ? 1000 : std::atoi(wanted);
}

/// Where the contents of each file of the archive begin.
std::map<std::size_t, const BundledFile*> places_of(const std::vector<BundledFile>& files) {
    std::map<std::size_t, const BundledFile*> places;
    std::size_t from = 0;
    for (const BundledFile& file : files) {
        const std::size_t place = example_archive().find(file.bytes, from);
        EXPECT_NE(place, std::string::npos) << file.path;
        places[place] = &file;
        from = place + file.bytes.size();
    }
    return places;
}

/// The file whose contents hold a byte; null for the archive's own headers.
const BundledFile* file_at(const std::map<std::size_t, const BundledFile*>& places,
                           std::size_t at) {
    const auto behind = places.upper_bound(at);
    if (behind == places.begin()) return nullptr;
    const auto& [begin, file] = *std::prev(behind);
    return at < begin + file->bytes.size() ? file : nullptr;
}

std::string line_of(const std::string& text, std::size_t at) {
    return fmt::format("line {}",
                       1 + std::count(text.begin(), text.begin() + std::ptrdiff_t(at), '\n'));
}

/// The cells of a line of CSV, by the commas outside of quotation marks.
std::vector<std::string> cells_of(const std::string& line) {
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (const char c : line) {
        if (c == '"') quoted = !quoted;
        if (c == ',' && !quoted) {
            cells.emplace_back();
        } else {
            cells.back() += c;
        }
    }
    return cells;
}

/// "line 3, column time_s" of a byte of CSV; a comma, and the end of a line, belong to what they
/// end.
std::string cell_of(const std::string& csv, std::size_t at) {
    const std::size_t begin = at == 0 ? 0 : csv.rfind('\n', at - 1) + 1;
    const std::size_t number = cells_of(csv.substr(begin, at - begin)).size() - 1;
    return fmt::format("{}, column {}", line_of(csv, at),
                       cells_of(csv.substr(0, csv.find('\n'))).at(number));
}

/// How often `mark` begins in a text from `begin` to `end`, which is counted with.
std::size_t beginnings_of(const std::string& text, const std::string& mark, std::size_t begin,
                          std::size_t end) {
    std::size_t count = 0;
    for (std::size_t i = text.find(mark, begin); i <= end; i = text.find(mark, i + 1)) ++count;
    return count;
}

/// "row 3, column 'Rate'" of a byte in a cell of a table of the page; "" of any other.
std::string cell_of_page(const std::string& page, std::size_t at) {
    const std::size_t table = page.rfind("<table", at), row = page.rfind("<tr", at);
    const std::size_t body = table == std::string::npos ? table : page.find("<tbody>", table);
    if (body > at || page.find("</table>", table) < at || row < body) return "";
    const std::size_t column = beginnings_of(page, "<td", row, at);
    const std::string cell = column == 0 ? "" : page.substr(page.rfind("<td", at), 40);
    if (column == 0 || cell.find("colspan") != std::string::npos) return "";
    std::size_t heading = page.find("<th", page.find("<tr", table));
    for (std::size_t i = 1; i < column; ++i) heading = page.find("<th", heading + 1);
    const std::size_t begin = page.find('>', heading) + 1;
    const std::size_t rows = beginnings_of(page, "<tr", body, at) -
                             beginnings_of(page, "<tr><td class=\"", body, at) +
                             beginnings_of(page, "<tr><td class=\"number", body, at) +
                             beginnings_of(page, "<tr><td class=\"wrong", body, at);
    return fmt::format("row {}, column '{}'", rows,
                       with_plain_blanks(page.substr(begin, page.find('<', begin) - begin)));
}

/// What a complaint on a changed byte must say of where it is: line, column, row, section; found
/// here in the bytes of the file.
std::string place_to_name(const BundledFile& file, std::size_t at) {
    const std::string& bytes = file.bytes;
    if (file.path.ends_with(".csv")) return cell_of(bytes, at);
    if (file.path.ends_with(".md")) return "README.md: " + line_of(bytes, at);
    if (file.path.ends_with(".json")) return " instead of ";
    if (file.path.ends_with(".toml")) return "acceptance.toml: " + line_of(bytes, at);
    if (file.path.ends_with(".h5")) {  // no chart rests on these two
        const bool has_chart = file.path != "records/probe.h5" && file.path != "records/pod.h5";
        return has_chart ? "figures from it" : file.path;
    }
    if (file.path != "report.html") return file.path;
    if (at < bytes.find("<main>")) return "precedes the page's text";
    if (at >= bytes.rfind("<!--")) return "own seal";
    if (at >= bytes.find("</script>", bytes.find("id=\"figures\""))) return "script that draws";
    if (at >= bytes.find("</main>")) return "";
    const std::string cell = cell_of_page(bytes, at);
    if (!cell.empty()) return cell;
    const std::size_t section = bytes.rfind("<section", at);
    const std::size_t title = section == std::string::npos ? section : bytes.find("<h2>", section);
    if (title >= at) return "";  // the head of the page, or the title itself
    return fmt::format("section '{}'",
                       bytes.substr(title + 4, bytes.find('<', title + 4) - title - 4));
}

TEST(BundleChanges, OneByteIsFoundAndItsFileIsNamed) {
    ASSERT_TRUE(judgement_of(example_archive()).wrong.empty())
        << lines_of(judgement_of(example_archive()));
    const auto files = bundle_files(example_contents());
    const auto places = places_of(files);
    std::mt19937_64 random(17);
    std::map<std::string, int> found;
    int of_interconnect = 0;
    for (int i = 0; i < changes(); ++i) {
        std::string bytes = example_archive();
        // Half of them anywhere, half in a file chosen first, so that small ones have their turn.
        std::size_t at = random() % bytes.size();
        if (i % 2 == 1) {
            const auto one =
                std::next(places.begin(), static_cast<std::ptrdiff_t>(random() % places.size()));
            at = one->first + random() % std::max<std::size_t>(1, one->second->bytes.size());
        }
        bytes[at] = static_cast<char>(bytes[at] ^ static_cast<char>(1 + random() % 255));
        const BundledFile* file = file_at(places, at);
        SCOPED_TRACE(fmt::format("change {}, byte {} in {}", i, at,
                                 file == nullptr ? "the headers" : file->path));
        try {
            const auto judgement = judgement_of(bytes);
            ASSERT_FALSE(judgement.wrong.empty());
            if (file == nullptr) {
                ++found["headers"];
                continue;
            }
            const std::string lines = lines_of(judgement);
            ASSERT_NE(lines.find(file->path + ": "), std::string::npos) << lines;
            const std::size_t begin = std::prev(places.upper_bound(at))->first;
            const std::string place = place_to_name(*file, at - begin);
            ASSERT_NE(lines.find(place), std::string::npos) << place << '\n' << lines;
            found["cells of the page"] += place.find(", column '") == std::string::npos ? 0 : 1;
            ++found[file->path.substr(file->path.rfind('.') + 1)];
            of_interconnect += file->path.find("/pod.") != std::string::npos ? 1 : 0;
        } catch (const Error& error) {
            ASSERT_EQ(file, nullptr) << error.what();
            ++found["headers, not readable"];
        }
    }
    EXPECT_GT(of_interconnect, changes() / 5) << "of its record, its JSON and its tables";
    EXPECT_GE(found["cells of the page"], changes() / 200) << "their places are hardly tested";
    for (const auto& [what, count] : found) std::printf("%s: %d found\n", what.c_str(), count);
}

}  // namespace
}  // namespace shardstone::validation
