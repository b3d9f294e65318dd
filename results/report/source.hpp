// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "results/format/record.hpp"

namespace shardstone::results {

/// A record that a report is made of, and the file it came from.
struct Source {
    std::filesystem::path path;
    Record record;
    std::string hash;
};

/// Reads all records. Throws Error naming the first file that is damaged, has no passed
/// verification (and which check failed), or repeats another one: the twin formats of one run
/// count as one record, give either.
std::vector<Source> read_sources(const std::vector<std::filesystem::path>& paths);

/// The sources that hold a table, in the order given.
std::vector<const Source*> with_table(const std::vector<Source>& sources, const std::string& table);

/// A column of numbers or of texts. Throws Error naming the file when it is absent or of the other
/// kind.
const std::vector<double>& numbers(const Source& source, const std::string& table,
                                   const std::string& column);
const std::vector<std::string>& texts(const Source& source, const std::string& table,
                                      const std::string& column);

/// The first number of a column, for tables of one row. Throws Error naming the file otherwise.
double number(const Source& source, const std::string& table, const std::string& column);

/// The text at a path such as "/machine/host" in the environment, "" where there is none.
std::string environment_text(const Source& source, const std::string& pointer);

/// Physical cores of the machine that a record describes; at least 1.
double cores_of_node(const Source& source);

/// Physical cores of all nodes of a run: those of the recorded machine times environment["nodes"],
/// which may be a number or a list and counts as 1 when absent. At least 1.
double cores_of(const Source& source);

}  // namespace shardstone::results
