// SPDX-License-Identifier: BSD-3-Clause
// Acceptance files: strictly read, so that no limit is overlooked.
#include "validation/interconnect/acceptance_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "collectives/cluster/toml_reader.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/units.hpp"

namespace shardstone::validation {

namespace {

struct ScaledUnit {
    const char* name;
    Dimension dimension;
    double scale;  ///< of it in a second, in a GB/s, in a TFLOP/s, or in one
};

constexpr std::array units{ScaledUnit{"s", Dimension::time, 1.0},
                           ScaledUnit{"ms", Dimension::time, 1e3},
                           ScaledUnit{"us", Dimension::time, 1e6},
                           ScaledUnit{"GB/s", Dimension::rate, 1.0},
                           ScaledUnit{"MB/s", Dimension::rate, 1e3},
                           ScaledUnit{"TB/s", Dimension::rate, 1e-3},
                           ScaledUnit{"Gbit/s", Dimension::rate, 8.0},
                           ScaledUnit{"Mbit/s", Dimension::rate, 8e3},
                           ScaledUnit{"TFLOP/s", Dimension::flop_rate, 1.0},
                           ScaledUnit{"GFLOP/s", Dimension::flop_rate, 1e3},
                           ScaledUnit{"times", Dimension::ratio, 1.0},
                           ScaledUnit{"ppm", Dimension::ratio, 1e6}};

std::string names_of_quantities() {
    std::vector<std::string> names;
    for (const LimitedQuantity& one : limited_quantities()) names.emplace_back(one.name);
    return fmt::format("{}", fmt::join(names, ", "));
}

std::int64_t size_of(collectives::TomlReader& table, const LimitedQuantity& quantity) {
    if (!quantity.has_size) {
        if (table.has("size")) {
            table.refuse("size", fmt::format("no size, '{}' has none", quantity.name));
        }
        return -1;
    }
    const std::string text = table.text("size");
    const std::int64_t size_bytes = parse_size_bytes(text);
    if (size_bytes <= 0 || size_bytes % 8 != 0) table.refuse("size", "a multiple of 8 bytes");
    return size_bytes;
}

/// judge_limits() knows which there are.
void require_statistic(const AcceptanceLimit& limit, const collectives::TomlReader& table) {
    try {
        judge_limits(std::array{limit}, std::array{std::vector<double>{1.0}});
    } catch (const Error&) {
        table.refuse("statistic", "median, mean, or a percentile such as p99");
    }
}

AcceptanceLimit limit_of(collectives::TomlReader& table, const std::string& memory) {
    AcceptanceLimit limit;
    limit.quantity = table.text("quantity");
    const LimitedQuantity& quantity = find_quantity(limit.quantity);
    if (quantity.is_of_gpu && memory != "gpu") {
        table.refuse("quantity", R"(one of GPUs only below memory = "gpu", above the limits)");
    }
    limit.statistic = table.text("statistic");
    limit.size_bytes = size_of(table, quantity);
    limit.limit = table.number("limit", {0.0, 1e12, "a time, a rate or a ratio, not below 0"});
    limit.unit = table.text("unit");
    in_unit(1.0, quantity, limit.unit);
    limit.at_least =
        quantity.dimension == Dimension::rate || quantity.dimension == Dimension::flop_rate;
    if (limit.at_least && limit.limit == 0.0) {
        table.refuse("limit", "a rate above 0: any rate is at least 0");
    }
    limit.source = table.text_or("source", "");
    table.finish();
    require_statistic(limit, table);
    return limit;
}

std::string read_memory(collectives::TomlReader& root) {
    const std::string memory = root.text_or("memory", "host");
    if (memory != "host" && memory != "gpu") root.refuse("memory", "host or gpu");
    return memory;
}

/// Of two limits on the same, one may be a mistake, and the looser one is of no use.
void require_once(const std::vector<AcceptanceLimit>& limits, const std::string& file) {
    constexpr auto is_same = [](const AcceptanceLimit& one, const AcceptanceLimit& other) {
        return one.quantity == other.quantity && one.statistic == other.statistic &&
               one.size_bytes == other.size_bytes;
    };
    for (std::size_t i = 0; i < limits.size(); ++i) {
        for (std::size_t k = 0; k < i; ++k) {
            require(!is_same(limits[k], limits[i]), [&] {
                return fmt::format(
                    "{}: limits {} and {} are both on the {} of '{}'{}: {:g} {} and {:g} {}: give "
                    "one",
                    file, k + 1, i + 1, limits[i].statistic, limits[i].quantity,
                    limits[i].size_bytes > 0 ? " of " + format_size(limits[i].size_bytes) : "",
                    limits[k].limit, limits[k].unit, limits[i].limit, limits[i].unit);
            });
        }
    }
}

}  // namespace

std::span<const LimitedQuantity> limited_quantities() {
    using enum Dimension;
    static constexpr std::array all{
        LimitedQuantity{"rate between nodes", "of a message from node to node", rate, true},
        LimitedQuantity{"latency between nodes",
                        "time of a message from node to node; up to 4 KiB of the shortest of eight",
                        time, true},
        LimitedQuantity{"rate inside nodes", "of a message between ranks of a node", rate, true},
        LimitedQuantity{"latency inside nodes",
                        "time of a message between ranks of a node; up to 4 KiB of the shortest of "
                        "eight",
                        time, true},
        LimitedQuantity{"wake-up delay", "of a rank that sleeps for a millisecond", time, false},
        LimitedQuantity{"GPU product rate",
                        "of a rank's GPU, in short bursts of square products in BF16", flop_rate,
                        false, true},
        LimitedQuantity{"GPU memory rate", "of a rank's GPU, read and written by a copy of 128 MiB",
                        rate, false, true},
        LimitedQuantity{"GPU transfer rate",
                        "of 32 MiB from pinned memory of a rank's host to its GPU, then back", rate,
                        false, true},
        LimitedQuantity{
            "clock offset",
            "of a node's clock of the day from rank 0's; by the surest reading's bounds, "
            "whatever the statistic",
            time, false},
        LimitedQuantity{"clock drift",
                        "of a node's clock of the day against rank 0's; by bounds, too", ratio,
                        false},
        LimitedQuantity{"bisection rate", "of what half of the nodes send to the other half", rate,
                        false},
        LimitedQuantity{"slowdown of pairs at once",
                        "of a message between two halves of the nodes, by the others at once",
                        ratio, false},
        LimitedQuantity{"slowdown of a victim",
                        "of a message of the size, by an all-to-all of all other nodes", ratio,
                        true},
        LimitedQuantity{"traffic over prediction", "time of a collective or a step, from --cluster",
                        ratio, false}};
    return all;
}

const LimitedQuantity& find_quantity(const std::string& name) {
    const auto all = limited_quantities();
    const auto found = std::ranges::find(all, name, &LimitedQuantity::name);
    require(found != all.end(), [&] {
        return fmt::format("quantity '{}': choose one of {}", collectives::one_line(name),
                           names_of_quantities());
    });
    return *found;
}

double in_unit(double value, const LimitedQuantity& quantity, const std::string& unit) {
    std::vector<std::string> suitable;
    for (const ScaledUnit& one : units) {
        if (one.dimension != quantity.dimension) continue;
        if (unit == one.name) return value * one.scale;
        suitable.emplace_back(one.name);
    }
    fail(fmt::format("unit '{}' of '{}': choose one of {}", collectives::one_line(unit),
                     quantity.name, fmt::join(suitable, ", ")));
}

std::vector<AcceptanceLimit> parse_acceptance(const std::string& text, const std::string& file) {
    const auto tree = collectives::parse_toml(text, file);
    collectives::TomlReader root(tree, file);
    const std::string memory = read_memory(root);
    std::vector<AcceptanceLimit> limits;
    for (auto& table : root.tables_or_none("limit")) {
        try {
            limits.push_back(limit_of(table, memory));
        } catch (const Error& error) {
            const std::string words = error.what();
            fail(words.starts_with(file)
                     ? words
                     : fmt::format("{}: limit {}: {}", file, limits.size() + 1, words));
        }
    }
    root.finish();
    require(!limits.empty(), [&] {
        return fmt::format(
            "{}: no limits: give tables [[limit]] with quantity, statistic, size, "
            "limit and unit",
            file);
    });
    require_once(limits, file);
    return limits;
}

std::string memory_of_acceptance(const std::string& text, const std::string& file) {
    const auto tree = collectives::parse_toml(text, file);
    collectives::TomlReader root(tree, file);
    return read_memory(root);
}

}  // namespace shardstone::validation
