// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/record/record.hpp"
#include "validation/unit/results/shell.hpp"

namespace shardstone::validation {

/// One run of the real command, as a user starts it, and the record that it wrote.
class RecordedRun {
  public:
    /// Runs `mpiexec -n RANKS shardstone COMMAND --json FILE`, without the launcher where `ranks`
    /// is 0, in a folder of its own, where `files` (name and text) lie before.
    RecordedRun(int ranks, const std::string& command,
                const std::vector<std::pair<std::string, std::string>>& files = {});

    int code() const { return outcome_.code; }
    const std::string& output() const { return outcome_.output; }
    const std::string& errors() const { return outcome_.errors; }
    /// Throws Error, with all that was printed, when the run left none.
    const results::Record& record() const;
    /// The number behind these words in what was printed; not a number where they are not.
    double printed(const std::string& words) const;

  private:
    Outcome outcome_;
    std::optional<results::Record> record_;
};

/// A table of a record, by row and the name of a column; both throw when there is no such thing.
class Rows {
  public:
    Rows(const results::Record& record, const std::string& table) : table_(record.table(table)) {}

    std::size_t count() const { return table_.rows(); }
    double number(std::size_t row, const std::string& column) const {
        return table_.column(column).numbers.at(row);
    }
    const std::string& text(std::size_t row, const std::string& column) const {
        return table_.column(column).texts.at(row);
    }

  private:
    const results::Table& table_;
};

/// A column of numbers, and the one number of a table that has a single row; both throw when there
/// is no such thing.
const std::vector<double>& column(const results::Record& record, const std::string& table,
                                  const std::string& name);
double single(const results::Record& record, const std::string& table, const std::string& name);

/// What names a row of a sweep's tables.
struct PointName {
    std::string operation, algorithm;
    double in_place = 1.0;
    double size_bytes = 0.0;

    bool operator==(const PointName&) const = default;
};
PointName name_of(const Rows& rows, std::size_t row);
std::string described(const PointName& name);

/// The one row of "collectives" of that operation and algorithm; throws when there are none or
/// more.
std::size_t row_of(const Rows& points, const std::string& operation, const std::string& algorithm);

/// A column of the samples of one point, in the order of iterations.
std::vector<double> samples_of(const results::Record& record, const PointName& point,
                               const std::string& column = "time_s");

/// The middle value, or the mean of the two: counted here, since it is what is tested.
double middle_of(std::vector<double> values);

/// A cluster description whose messages take 0.1 s inside a node and 10 s between nodes, whatever
/// their size, as do reductions nothing: what is predicted by it counts steps.
extern const char* const clock_cluster;

}  // namespace shardstone::validation
