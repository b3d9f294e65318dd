// SPDX-License-Identifier: BSD-3-Clause
// Runs the real command under mpiexec for a test, and picks columns and samples from its record.
#include "validation/unit/jobs/command/recorded_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>

#include "kernels/base/error.hpp"

namespace shardstone::validation {

const char* const clock_cluster = R"(name = "clock"
source = "made up: steps can be counted in what is predicted"
nodes = 8
ranks_per_node = 8
[links.intra_node]
alpha_s = 0.1
bandwidth_gb_s = 1e6
source = "made up"
[links.inter_node]
alpha_s = 10.0
bandwidth_gb_s = 1e6
source = "made up"
[reduction]
rate_gb_s = 1e6
source = "made up"
)";

RecordedRun::RecordedRun(int ranks, const std::string& command,
                         const std::vector<std::pair<std::string, std::string>>& files) {
    const TemporaryFolder folder;
    for (const auto& [name, text] : files) std::ofstream(folder / name) << text;
    const std::string launcher = ranks > 0 ? fmt::format("mpiexec -n {} ", ranks) : "";
    outcome_ = run_shell(fmt::format("cd {} && {}{} {} --json record.json", folder.path().string(),
                                     launcher, shardstone_binary(), command),
                         folder);
    if (std::filesystem::exists(folder / "record.json")) {
        record_ = results::read_record(folder / "record.json");
    }
}

const results::Record& RecordedRun::record() const {
    if (!record_) throw std::runtime_error("no record: " + outcome_.errors + outcome_.output);
    return *record_;
}

double RecordedRun::printed(const std::string& words) const {
    const auto place = output().find(words);
    if (place == std::string::npos) return std::numeric_limits<double>::quiet_NaN();
    return std::stod(output().substr(place + words.size()));
}

const std::vector<double>& column(const results::Record& record, const std::string& table,
                                  const std::string& name) {
    return record.table(table).column(name).numbers;
}

double single(const results::Record& record, const std::string& table, const std::string& name) {
    const auto& numbers = column(record, table, name);
    if (numbers.size() != 1) {
        throw std::runtime_error(
            fmt::format("{} rows of {}, where one should be", numbers.size(), table));
    }
    return numbers.front();
}

PointName name_of(const Rows& rows, std::size_t row) {
    return {rows.text(row, "operation"), rows.text(row, "algorithm"), rows.number(row, "in_place"),
            rows.number(row, "size_bytes")};
}

std::string described(const PointName& name) {
    return fmt::format("{} {}, {} bytes{}", name.operation, name.algorithm, name.size_bytes,
                       name.in_place == 1.0 ? "" : ", out of place");
}

std::size_t row_of(const Rows& points, const std::string& operation, const std::string& algorithm) {
    std::vector<std::size_t> found;
    for (std::size_t row = 0; row < points.count(); ++row) {
        const PointName name = name_of(points, row);
        if (name.operation == operation && name.algorithm == algorithm) found.push_back(row);
    }
    if (found.size() != 1) {
        throw std::runtime_error(
            fmt::format("{} rows of {} {}", found.size(), operation, algorithm));
    }
    return found.front();
}

std::vector<double> samples_of(const results::Record& record, const PointName& point,
                               const std::string& column) {
    const Rows samples(record, "samples");
    std::vector<double> values;
    for (std::size_t row = 0; row < samples.count(); ++row) {
        if (name_of(samples, row) != point) continue;
        if (samples.number(row, "iteration") != static_cast<double>(values.size())) {
            throw std::runtime_error("samples of " + described(point) + " are out of order");
        }
        values.push_back(samples.number(row, column));
    }
    return values;
}

double middle_of(std::vector<double> values) {
    std::ranges::sort(values);
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values.at(half) : (values.at(half - 1) + values.at(half)) / 2.0;
}

}  // namespace shardstone::validation
