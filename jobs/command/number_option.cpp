// SPDX-License-Identifier: BSD-3-Clause
// Checks of the numbers on a command line.
#include "jobs/command/number_option.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

#include "kernels/base/error.hpp"
#include "kernels/base/percent.hpp"
#include "kernels/base/units.hpp"

namespace shardstone::command {

namespace {

/// The number that the whole word says, if its type has it.
template <class Number>
std::optional<Number> number_in(const std::string& word) {
    Number number{};
    const char* const end = word.data() + word.size();
    const auto read = std::from_chars(word.data(), end, number);
    return read.ec == std::errc() && read.ptr == end ? std::optional(number) : std::nullopt;
}

template <class IsGood>
CLI::Validator check_of(IsGood is_good, const std::string& wanted) {
    const auto refusal = [is_good, wanted](std::string& word) -> std::string {
        if (word.empty()) return nothing_given;
        return is_good(word) ? "" : fmt::format("'{}': give {}", word, wanted);
    };
    return {refusal, "", ""};
}

template <class Whole>
CLI::Validator whole_number_within(Whole least, Whole most) {
    const auto is_good = [=](const std::string& word) {
        const auto number = number_in<Whole>(word);
        return number && *number >= least && *number <= most;
    };
    if (most < std::numeric_limits<Whole>::max()) {
        return check_of(is_good, fmt::format("a whole number from {} to {}", least, most));
    }
    const std::string bound = least > std::numeric_limits<Whole>::min() || least == 0
                                  ? fmt::format(" from {}, at most {}", least, most)
                                  : fmt::format(" of at most {}", most);
    return check_of(is_good, "a whole number" + bound);
}

bool is_finite(const std::string& word) {
    const auto number = number_in<double>(word);
    return number && std::isfinite(*number);
}

/// By the name that CLI11 gives the type of the variable it fills.
void check_number(CLI::Option& option) {
    const std::string type = option.get_type_name();
    if (type.starts_with("UINT")) {
        using Most = std::numeric_limits<std::uint64_t>;
        option.check(whole_number_within<std::uint64_t>(0, Most::max()));
    } else if (type.starts_with("INT")) {
        option.check(whole_number(std::numeric_limits<std::int64_t>::min()));
    } else if (type.starts_with("FLOAT")) {
        option.check(check_of(is_finite, "a finite number"));
    }
}

}  // namespace

const char* const nothing_given =
    "nothing is given for it (an unset variable?): leave it out, or say what";

CLI::Validator whole_number(std::int64_t least, std::int64_t most) {
    return whole_number_within<std::int64_t>(least, most);
}

CLI::Validator positive_number() {
    return check_of(
        [](const std::string& word) { return is_finite(word) && *number_in<double>(word) > 0.0; },
        "a finite number above 0");
}

CLI::Validator size_in_bytes() {
    const auto refusal = [](std::string& word) -> std::string {
        if (word.empty()) return nothing_given;
        try {
            parse_size_bytes(word);
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    return {refusal, "", ""};
}

CLI::Validator percentage(double least) {
    constexpr double most = 10.0;
    const auto refusal = [least](std::string& word) -> std::string {
        if (word.empty()) return nothing_given;
        try {
            const double share = parse_percent(word);
            if (share >= least && share <= most) return "";
            return fmt::format("'{}': give a percentage from {}% to {}%", word, 100.0 * least,
                               100.0 * most);
        } catch (const Error& error) {
            return error.what();
        }
    };
    return {refusal, "", ""};
}

void check_numbers(CLI::App& app) {
    for (CLI::Option* option : app.get_options([](const CLI::Option*) { return true; })) {
        check_number(*option);
    }
    for (CLI::App* child : app.get_subcommands([](const CLI::App*) { return true; })) {
        check_numbers(*child);
    }
}

}  // namespace shardstone::command
