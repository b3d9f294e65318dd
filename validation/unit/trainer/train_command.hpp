// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <limits>
#include <string>
#include <vector>

#include "results/format/record.hpp"
#include "validation/unit/results/shell.hpp"

namespace shardstone::validation {

/// A recording command as a user runs it, and the record that it wrote.
class TrainCommandRun {
  public:
    TrainCommandRun(int ranks, const std::string& arguments)
        : outcome_(
              run_shell(fmt::format("mpiexec -n {} {} {} --json {}", ranks, shardstone_binary(),
                                    arguments, (folder_ / "record.json").string()),
                        folder_)) {}

    int code() const { return outcome_.code; }
    const std::string& output() const { return outcome_.output; }
    const std::string& errors() const { return outcome_.errors; }
    results::Record record() const { return results::read_record(folder_ / "record.json"); }
    const TemporaryFolder& folder() const { return folder_; }

    /// The number behind these words in what was printed; not a number where they are not.
    double printed(const std::string& words) const {
        const auto place = outcome_.output.find(words);
        if (place == std::string::npos) return std::numeric_limits<double>::quiet_NaN();
        return std::stod(outcome_.output.substr(place + words.size()));
    }

  private:
    TemporaryFolder folder_;
    Outcome outcome_;
};

inline const std::vector<double>& column(const results::Record& record, const std::string& table,
                                         const std::string& name) {
    return record.table(table).column(name).numbers;
}

inline double single(const results::Record& record, const std::string& table,
                     const std::string& name) {
    return column(record, table, name).at(0);
}

}  // namespace shardstone::validation
