// SPDX-License-Identifier: BSD-3-Clause
// `shardstone show`: what a record holds, on the screen.
#include <fmt/format.h>

#include <memory>

#include "jobs/command/command.hpp"
#include "jobs/command/shown_json.hpp"
#include "kernels/base/error.hpp"
#include "results/convert/rows.hpp"
#include "results/format/record_files.hpp"
#include "results/journal/resume.hpp"
#include "results/schema/format_page.hpp"
#include "results/schema/own_verdict.hpp"
#include "results/schema/schema.hpp"

namespace shardstone::command::show_command {

namespace {

struct ShowOptions {
    std::vector<std::filesystem::path> records;
    std::string table;
    bool format = false;
};

std::string tables_text(const std::vector<results::Table>& tables) {
    std::string text;
    for (const auto& table : tables) {
        const auto* described = results::find_description(table.name);
        text += fmt::format("  {:<22} {:>8} x {:<4} {}\n", table.name, table.rows(),
                            table.columns.size(), described ? described->meaning : "");
    }
    return text;
}

std::string checks_text(const std::vector<results::Check>& checks) {
    const auto passed = std::ranges::count(checks, true, &results::Check::passed);
    std::string text = fmt::format("{} of {} checks passed\n", passed, checks.size());
    for (const auto& check : checks) {
        if (!check.passed) text += fmt::format("  FAILED  {} ({})\n", check.name, check.detail);
    }
    return text;
}

std::string verdict_text(const results::Record& record) {
    const auto own = results::own_verdict(record);
    if (!own) return "";
    auto text = fmt::format("Its verdict on what it tested is {}\n", results::verdict_words(*own));
    for (const std::string& reason : own->reasons) text += "  - " + reason + "\n";
    return text;
}

std::string summary_of(const results::Record& record, const std::filesystem::path& path) {
    const auto& identity = record.identity;
    const auto duration =
        identity.contains("duration_s")
            ? fmt::format(", took {:.1f} s", identity.at("duration_s").get<double>())
            : "";
    std::string command;
    for (const auto& word : identity.value("command_line", std::vector<std::string>{})) {
        command += (command.empty() ? "" : " ") + word;
    }
    std::string earlier = results::continued_in_words(record);
    if (!earlier.empty()) earlier += "\n";
    return fmt::format("{}\n{} ({}), started {}{}\n{}{}\nhash {}, format version {}\n\n",
                       path.string(), identity.value("title", ""), record.kind,
                       identity.value("start_time", "?"), duration, earlier, command, record.hash,
                       record.version) +
           verdict_text(record) + checks_text(record.verification) +
           "\ntable                     rows x columns\n" + tables_text(record.derived) +
           tables_text(record.samples) + "\nconfiguration " + shown_json(record.configuration) +
           "\nenvironment " + shown_json(record.environment) + "\n\n";
}

int show(const ShowOptions& options) {
    if (options.format) {
        fmt::print("{}", results::format_page());
        return 0;
    }
    require(!options.records.empty(), "show: give a record (.h5 or .json) or a folder of them");
    std::string text;  // shown when all could be read
    for (const auto& path : results::records_below(options.records)) {
        const auto record = results::read_record(path);
        text += options.table.empty() ? summary_of(record, path)
                                      : results::to_csv(record.table(options.table));
    }
    fmt::print("{}", text);
    return 0;
}

std::function<int()> declare(CLI::App& app) {
    const auto options = std::make_shared<ShowOptions>();
    app.add_option("RECORD", options->records, "Records (.h5 or .json), or folders of them");
    app.add_option("--table", options->table, "Print this table as CSV instead of the summary");
    app.add_flag("--format", options->format,
                 "Describe every table and column that records may hold, then exit");
    return [options] { return show(*options); };
}

const Registration registration{
    {"show", "Show a record: identity, settings, tables, checks",
     "Examples\n"
     "  shardstone show out/quickstart/train-2.h5\n"
     "  shardstone show out/quickstart/collectives.h5 --table collectives\n"
     "  shardstone show --format      all tables and columns, with units and meanings",
     declare, RunsOn::rank_0}};

}  // namespace

}  // namespace shardstone::command::show_command
