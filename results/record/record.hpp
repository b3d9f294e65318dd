// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace shardstone::results {

/// One check of a run, e.g. "all_reduce ring 4 MiB fp32: exact sum on 8 ranks".
struct Check {
    std::string name;
    bool passed = false;
    std::string detail;
};

/// A rectangular table of numbers with units; text columns hold labels such as the algorithm.
struct Table {
    struct Column {
        std::string name;                ///< with its unit: "time_s", "size_bytes"
        std::vector<double> numbers;     ///< either this ...
        std::vector<std::string> texts;  ///< ... or this, never both

        std::size_t rows() const { return std::max(numbers.size(), texts.size()); }
    };
    std::string name;
    std::vector<Column> columns;

    std::size_t rows() const;
    const Column& column(const std::string& wanted) const;  ///< throws Error when absent
};

/// One run: its identity, configuration and environment, every sample, derived results and checks.
/// Written as HDF5 for the samples, with a JSON twin for people and scripts; both hold everything
/// and the same hash over all of it (layouts: json_format.hpp, hdf5_format.hpp).
///
/// The possible tables are defined in results/schema, with one row type each. Numbers in tables may
/// be infinite or not a number; those in the three JSON documents may not. Tables and columns are
/// named with letters, digits, '_', '-' and '.', once each.
constexpr int format_version = 3;

struct Record {
    std::string kind;              ///< "collectives", "train", "probe", "kernels", ...
    nlohmann::json identity;       ///< id, title, start time (UTC), duration, command line, version
    nlohmann::json configuration;  ///< every option in force, defaults included
    nlohmann::json environment;    ///< allow-listed: machine, compiler, libraries, ranks, nodes
    std::vector<Table> samples;    ///< raw, nothing dropped
    std::vector<Table> derived;    ///< medians, intervals, rates, predictions
    std::vector<Check> verification;  ///< empty means: not verified, and not accepted by reports

    int version = format_version;  ///< of the format from which it was read; not part of the hash
    std::string hash = {};         ///< of a record that was read: hash_of() its contents

    /// True when there is at least one check and all passed.
    bool verified() const;
    const Table& table(const std::string& name) const;  ///< in derived, then samples; throws Error
    bool has_table(const std::string& name) const;
};

/// A record with kind, identity (fresh id, version, command line, when the program started) and
/// environment filled in (environment.hpp). `command_line` is argv as given. The caller adds what
/// this library cannot know: environment["mpi"] (collectives::mpi_library()), ["ranks"], ["nodes"].
/// Local: no communication.
Record new_record(const std::string& kind, const std::string& title,
                  const std::vector<std::string>& command_line);

/// Adds the run time of the program to the identity: "duration_s".
void end_run(Record& record);

/// Hash over everything in the record except `version` and `hash`, as 32 hexadecimal digits (XXH3,
/// 128 bits).
std::string hash_of(const Record& record);

/// Writes one format, under a temporary name in the same folder that is synced and renamed: no
/// partial file is ever left. Throws Error naming an unwritable path, or a record that breaks the
/// rules above.
void write_json(const Record& record, const std::filesystem::path& path);
void write_hdf5(const Record& record, const std::filesystem::path& path);

/// Throws Error when the folder of `path` does not exist or cannot be written, or when `path`
/// exists and is not a regular file; for checking a --json or --hdf5 option before hours of work.
void require_writable(const std::filesystem::path& path);

/// Reads either format (by content, not by name), and records of older versions, whose tables and
/// columns get their current names (results/schema/older.hpp). Throws Error naming the file when it
/// cannot be read, is no record, or was changed after it was written: a hash over all bytes is
/// checked before anything is parsed, and the hash over the contents after.
Record read_record(const std::filesystem::path& path);
/// The same for bytes already read; `path` is for messages and for its ending.
Record record_from_bytes(const std::string& bytes, const std::filesystem::path& path);

}  // namespace shardstone::results
