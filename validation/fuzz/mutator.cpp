// SPDX-License-Identifier: BSD-3-Clause
// Random mutation of texts for the fuzz tests, reproducible from a seed, with words that hurt.
#include "validation/fuzz/mutator.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <utility>

namespace shardstone::validation {

namespace {

constexpr std::size_t most_bytes = 128 << 10;

bool in_token(char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '.' ||
           letter == '-' || letter == '+' || letter == '_';
}

const std::vector<std::string> words_that_hurt{
    "",
    "0",
    "-0",
    "-1",
    "-5",
    "1e99G",
    "1e308",
    "1e309",
    "-1e400",
    "4.9e-324",
    "nan",
    "NaN",
    "-nan",
    "inf",
    "+inf",
    "-inf",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "18446744073709551616",
    "2147483647",
    "2147483648",
    "1000000",
    "1000001",
    "0x7fffffff",
    "0b1",
    "1_000",
    "1__0",
    "true",
    "1979-05-27T07:32:00Z",
    "24:00:00",
    "8388608T",
    "16777216T",
    "999999999999G",
    "4KiB",
    "K",
    "TT",
    "\"",
    "'''",
    "\"\"\"",
    "\\u0000",
    "\\uD800",
    "\\UFFFFFFFF",
    "[",
    "]",
    "[[",
    "{",
    "}",
    "=",
    ".",
    ",",
    "#",
    "\n",
    "\r",
    "\r\n",
    "\t",
    std::string(1, '\0'),
    "\x7f",
    "\xff\xfe",
    "\xc0\x80",
    "\xed\xa0\x80",
    "\xf4\x90\x80\x80",
    "\xef\xbb\xbf",
    "%s%n%x",
    "{}",
    "{:99999999}",
    "../../../../etc/passwd",
    "/dev/zero",
    "--",
    "hierarchical:",
    "/",
    ":",
    std::string(300, '['),
    std::string(300, '{'),
    std::string(5000, '9'),
    std::string(5000, 'a'),
};

}  // namespace

Mutator::Mutator(std::vector<std::string> corpus, std::vector<std::string> words,
                 std::uint64_t seed)
    : corpus_(std::move(corpus)), words_(std::move(words)), state_(seed) {}

/// splitmix64 (G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators",
/// OOPSLA 2014). The small bias of the remainder does not matter here.
std::size_t Mutator::below(std::size_t bound) {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebULL;
    return static_cast<std::size_t>(mixed ^ (mixed >> 31U)) % bound;
}

std::string Mutator::piece_of(const std::string& text) {
    const std::size_t begin = below(text.size() + 1);
    return text.substr(begin, below(std::min<std::size_t>(text.size() - begin, 80) + 1));
}

void Mutator::replace_token(std::string& text) {
    std::size_t begin = below(text.size() + 1);
    while (begin < text.size() && !in_token(text[begin])) ++begin;
    while (begin > 0 && in_token(text[begin - 1])) --begin;
    std::size_t end = begin;
    while (end < text.size() && in_token(text[end])) ++end;
    text.replace(begin, end - begin, words_[below(words_.size())]);
}

void Mutator::mutate(std::string& text) {
    const std::size_t place = below(text.size() + 1);
    switch (below(9)) {
        case 0:
            if (place < text.size()) text[place] ^= static_cast<char>(1U << below(8));
            break;
        case 1:
            text.insert(place, 1, static_cast<char>(below(256)));
            break;
        case 2:
            text.erase(place, below(40));
            break;
        case 3:
            text.insert(place, piece_of(text));
            break;
        case 4:
            text.insert(place, piece_of(any_text()));
            break;
        case 5:
            text.insert(place, words_[below(words_.size())]);
            break;
        case 6:
            if (below(8) == 0) text.resize(place);
            break;
        case 7: {
            const std::string piece = piece_of(text).substr(0, 8);
            for (std::size_t times = below(200); times > 0; --times) text.insert(place, piece);
            break;
        }
        default:
            replace_token(text);
            break;
    }
    if (text.size() > most_bytes) text.resize(most_bytes);
}

std::string Mutator::next() {
    return mutated(any_text());
}

std::string Mutator::mutated(std::string text) {
    for (std::size_t times = 1 + below(8); times > 0; --times) mutate(text);
    return text;
}

int fuzz_inputs() {
    constexpr int brief = 2000;
    const char* wanted = std::getenv("SHARDSTONE_FUZZ_INPUTS");
    return wanted == nullptr ? brief : std::max(1, std::atoi(wanted));
}

const std::vector<std::string>& nasty_words() {
    return words_that_hurt;
}

bool is_one_line(std::string_view message) {
    constexpr std::size_t most = 8192;
    return !message.empty() && message.size() <= most &&
           std::ranges::none_of(message, [](char letter) { return letter == '\n'; });
}

}  // namespace shardstone::validation
