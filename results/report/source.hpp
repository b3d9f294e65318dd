// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "kernels/base/error.hpp"
#include "results/schema/schema.hpp"

namespace shardstone::results {

/// A record in a report, and its file.
struct Source {
    std::filesystem::path path;
    Record record;
    std::string hash;
    /// Names of the tables that a section has read; the others are listed as not shown.
    mutable std::set<std::string> read_tables = {};
    /// The shortest end of the path that is unique in the report: "kernels.h5", or
    /// "monday/kernels.h5" beside "tuesday/kernels.h5".
    std::string name = {};
    /// The host, with its processor if another machine of the report has the same name; of a record
    /// of `scale` the machines of the runs.
    std::string machine = {};

    const std::string& file() const { return name; }
};

/// A part of the input that is not in the page.
struct NotShown {
    std::string file;
    std::string why;
    bool is_twin = false;  ///< the same run as one that is shown
};

/// Input of a report: the records it shows, and those it does not.
struct Given {
    std::vector<Source> sources;
    std::vector<NotShown> refused;
    /// Those among the refused whose end is shown, and nothing that they hold: was_stalled().
    std::vector<Source> stalled = {};
};

/// Reads all records. A file that cannot be read, is damaged or is not one of ours is rejected by
/// name, and the others are shown; so is a record without checks, with a failed one, that lacks a
/// column, or that is the twin of one in the other format. Throws Error, beginning with `nothing`,
/// if nothing is left to show. One that does not exist is such a file: what was named on a command
/// line is for require_there() (results/format/record_files.hpp). A record that was_stalled() is
/// something to show.
Given read_sources(const std::vector<std::filesystem::path>& paths,
                   const std::string& nothing = "nothing to report");

/// Why a record may not enter a report, or "".
std::string objection_to(const Record& record);

/// Whether it is of a validation of the interconnect that a stalled rank ended: that is a finding,
/// though what was measured until then was not verified.
bool was_stalled(const Record& record);

/// Puts a record that objection_to() refuses where it belongs.
void refuse(Source source, const std::string& file, std::string why, Given& given);

/// Sets `name` and `machine` of each to what distinguishes it from the others; read_sources() has
/// done so.
void name_apart(std::vector<Source>& sources);

/// The rows of a table, which counts as shown from then on. None if the record lacks it. Throws
/// Error naming the file when a column is missing or of the wrong kind.
template <class Row>
std::vector<Row> rows(const Source& source) {
    source.read_tables.insert(Row::schema.name());
    try {
        return rows_of<Row>(source.record);
    } catch (const Error& error) {
        fail("'" + source.path.string() + "': " + error.what());
    }
}

/// The sources with rows in the table of such rows, in the order given.
template <class Row>
std::vector<const Source*> with_rows(const std::vector<Source>& sources) {
    std::vector<const Source*> found;
    for (const Source& source : sources) {
        const auto& name = Row::schema.name();
        if (source.record.has_table(name) && source.record.table(name).rows() > 0) {
            found.push_back(&source);
        } else {
            source.read_tables.insert(name);  // nothing in it that could be shown
        }
    }
    return found;
}

/// "mpiexec -n 4 shardstone train --plan dp=4": the command that made a record, behind the
/// variables that were chosen for it, with the program without its folder. With emulated GPUs that
/// is the program that has some, and their number is among the variables.
std::string command_of(const Source& source);

/// HTML that names the files behind a figure or table, and the commands that made them.
std::string origin_html(const std::vector<const Source*>& sources);

/// The text at a path such as "/machine/host" in the environment, "" where there is none.
std::string environment_text(const Source& source, const std::string& pointer);

/// The same in the configuration; `otherwise` where there is none.
std::string setting_text(const Source& source, const std::string& key,
                         const std::string& otherwise);

}  // namespace shardstone::results
