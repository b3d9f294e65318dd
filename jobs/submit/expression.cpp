// SPDX-License-Identifier: BSD-3-Clause
// Values of a study that depend on the number of ranks: products and exact quotients in braces.
#include "jobs/submit/expression.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "kernels/base/error.hpp"

namespace shardstone::submit {

namespace {

constexpr std::int64_t largest_value = 1'000'000'000'000;

std::string_view trimmed(std::string_view text) {
    const auto begin = text.find_first_not_of(' ');
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

std::optional<std::int64_t> factor_value(std::string_view word, const Sizes& sizes) {
    if (word == "ranks") return sizes.ranks;
    if (word == "nodes") return sizes.nodes;
    if (word == "ranks_per_node") return sizes.ranks_per_node;
    std::int64_t number = 0;
    const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), number);
    const bool whole = failed == std::errc{} && end == word.data() + word.size();
    if (!whole || number < 1 || number > largest_value) return std::nullopt;
    return number;
}

std::int64_t evaluate(std::string_view expression, const Sizes& sizes) {
    std::int64_t value = 1;
    char operation = '*';
    for (std::size_t begin = 0; begin <= expression.size();) {
        const auto end = std::min(expression.find_first_of("*/", begin), expression.size());
        const auto word = trimmed(expression.substr(begin, end - begin));
        const auto factor = factor_value(word, sizes);
        require(factor.has_value(), [&] {
            return fmt::format(
                "'{}' is no whole number from 1 on and none of ranks, nodes, "
                "ranks_per_node",
                word);
        });
        if (operation == '/') {
            require(value % *factor == 0, [&] {
                return fmt::format("{} is not divisible by {}: leave this number of ranks out",
                                   value, *factor);
            });
            value /= *factor;
        } else {
            require(value <= largest_value / *factor, "it is over 1e12");
            value *= *factor;
        }
        operation = end < expression.size() ? expression[end] : '*';
        begin = end + 1;
    }
    return value;
}

}  // namespace

std::string expand(std::string_view text, const Sizes& sizes) {
    std::string expanded;
    for (std::size_t at = 0; at < text.size();) {
        const auto open = text.find_first_of("{}", at);
        expanded += text.substr(at, open - at);
        if (open == std::string_view::npos) break;
        const auto close = text.find_first_of("{}", open + 1);
        require(text[open] == '{' && close != std::string_view::npos && text[close] == '}', [&] {
            return fmt::format("'{}': braces do not match: write {{4*ranks}}, for instance", text);
        });
        try {
            expanded += std::to_string(evaluate(text.substr(open + 1, close - open - 1), sizes));
        } catch (const Error& error) {
            fail(fmt::format("'{}' with ranks = {}, nodes = {}, ranks_per_node = {}: {}", text,
                             sizes.ranks, sizes.nodes, sizes.ranks_per_node, error.what()));
        }
        at = close + 1;
    }
    return expanded;
}

}  // namespace shardstone::submit
