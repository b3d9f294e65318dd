// SPDX-License-Identifier: BSD-3-Clause
// Blanks inside of the numbers of a page, at which no line may end.
#include "results/report/unbroken.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace shardstone::results {

namespace {

constexpr std::string_view narrow_no_break_space = "\xE2\x80\xAF";  // U+202F
constexpr std::string_view no_break_space = "\xC2\xA0";             // U+00A0

bool is_digit(std::string_view text, std::size_t at) {
    return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0;
}

bool is_word(std::string_view text, std::size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 ||
                                text[at] == '_' || text[at] == '.' || text[at] == '=');
}

/// Whether digits that end before `end` are the beginning of a number with groups, or one of its
/// groups: the "1" and the "234" of "1 234 567", not the "26" of a date or that of "dp=26".
bool is_head_of_groups(std::string_view text, std::size_t end) {
    std::size_t begin = end;
    while (begin > 0 && is_digit(text, begin - 1)) --begin;
    const std::size_t digits = end - begin;
    if (digits < 1 || digits > 3 || (digits < 3 && text[begin] == '0')) return false;
    if (begin > 0 && text[begin - 1] == '-') --begin;
    return begin == 0 || !is_word(text, begin - 1);
}

bool is_between_groups(std::string_view text, std::size_t blank) {
    const std::size_t end = blank + 4;
    const bool is_group =
        is_digit(text, blank + 1) && is_digit(text, blank + 2) && is_digit(text, blank + 3);
    const bool goes_on =
        end < text.size() && text[end] == '.' ? is_digit(text, end + 1) : is_word(text, end);
    return is_group && !goes_on && is_head_of_groups(text, blank);
}

bool is_before_unit(std::string_view text, std::size_t blank) {
    constexpr std::array<std::string_view, 24> units{
        "%",       "s",       "ms",      "us",   "ns",   "B",    "KiB",  "MiB",
        "GiB",     "TiB",     "B/s",     "kB/s", "MB/s", "GB/s", "TB/s", "FLOP/s",
        "MFLOP/s", "GFLOP/s", "TFLOP/s", "FLOP", "ulp",  "MHz",  "GHz",  "tokens/s"};
    if (blank == 0 || !is_digit(text, blank - 1)) return false;
    const std::size_t end = text.find_first_of(" <&,;:.)]", blank + 1);
    const auto word = text.substr(blank + 1, end == text.npos ? text.npos : end - blank - 1);
    return std::ranges::find(units, word) != units.end();
}

/// Behind the tag that begins at `begin`, with all that a <code> holds.
std::size_t end_of_markup(std::string_view html, std::size_t begin) {
    const bool is_code = html.substr(begin).starts_with("<code>");
    const std::size_t end = is_code ? html.find("</code>", begin) : begin;
    const std::size_t close = html.find('>', std::min(end, html.size()));
    return close == html.npos ? html.size() : close + 1;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (auto at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
}

}  // namespace

std::string unbroken_numbers(std::string_view html) {
    std::string unbroken;
    unbroken.reserve(html.size());
    for (std::size_t at = 0; at < html.size();) {
        if (html[at] == '<') {
            const std::size_t end = end_of_markup(html, at);
            unbroken += html.substr(at, end - at);
            at = end;
            continue;
        }
        if (html[at] == ' ' && is_between_groups(html, at)) {
            unbroken += narrow_no_break_space;
        } else if (html[at] == ' ' && is_before_unit(html, at)) {
            unbroken += no_break_space;
        } else {
            unbroken += html[at];
        }
        ++at;
    }
    return unbroken;
}

std::string with_plain_blanks(std::string_view text) {
    std::string plain(text);
    replace_all(plain, narrow_no_break_space, " ");
    replace_all(plain, no_break_space, " ");
    return plain;
}

}  // namespace shardstone::results
