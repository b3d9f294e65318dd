// SPDX-License-Identifier: BSD-3-Clause
// `shardstone convert`: a record in another form.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "jobs/command/command.hpp"
#include "jobs/command/run_record.hpp"
#include "kernels/base/error.hpp"
#include "results/convert/rows.hpp"
#include "results/format/atomic_file.hpp"
#include "results/format/record_files.hpp"

namespace shardstone::command::convert_command {

namespace {

namespace fs = std::filesystem;

struct ConvertOptions {
    std::vector<fs::path> records;
    std::string to = "csv";
    fs::path folder = ".";
};

struct Output {
    fs::path path;
    std::function<void(const fs::path&)> write;
};

Output text_file(const fs::path& path, std::string text) {
    return {path, [text = std::move(text)](const fs::path& to) { results::write_file(to, text); }};
}

std::vector<Output> outputs_of(const results::Record& record, const std::string& name,
                               const std::string& to, const fs::path& folder) {
    const fs::path base = folder / name;
    const auto with = [&](const std::string& ending) { return fs::path(base.string() + ending); };
    if (to == "json") {
        return {{with(".json"), [record](const fs::path& p) { results::write_json(record, p); }}};
    }
    if (to == "hdf5") {
        return {{with(".h5"), [record](const fs::path& p) { results::write_hdf5(record, p); }}};
    }
    if (to == "jsonl") return {text_file(with(".jsonl"), results::to_json_lines(record))};
    std::vector<Output> outputs;
    for (const auto* tables : {&record.derived, &record.samples}) {
        for (const auto& table : *tables) {
            outputs.push_back(text_file(with("." + table.name + ".csv"), results::to_csv(table)));
        }
    }
    return outputs;
}

/// Records of studies are all called 'record': the folders below the one that was named tell them
/// apart.
std::string name_of(const fs::path& record, const fs::path& given) {
    if (!fs::is_directory(given)) return record.stem().string();
    std::string name = record.lexically_relative(given).replace_extension().string();
    std::ranges::replace(name, '/', '-');
    return name;
}

int convert(const ConvertOptions& options) {
    std::vector<Output> outputs;
    std::vector<fs::path> inputs, paths;
    for (const auto& given : options.records) {
        for (const auto& path : results::records_below({given})) {
            inputs.push_back(path);
            const auto record = results::read_record(path);
            for (auto& output :
                 outputs_of(record, name_of(path, given), options.to, options.folder)) {
                paths.push_back(output.path);
                outputs.push_back(std::move(output));
            }
        }
    }
    require_outputs_writable(paths, inputs);
    for (const auto& output : outputs) {
        output.write(output.path);
        fmt::print("{}\n", output.path.string());
    }
    return 0;
}

std::function<int()> declare(CLI::App& app) {
    const auto options = std::make_shared<ConvertOptions>();
    app.add_option("RECORD", options->records, "Records (.h5 or .json), or folders of them")
        ->required()
        ->expected(1, -1);
    app.add_option("--to", options->to,
                   "csv (one file per table), jsonl (one line per row), json, hdf5")
        ->check(CLI::IsMember({"csv", "jsonl", "json", "hdf5"}))
        ->capture_default_str();
    app.add_option("-o,--out", options->folder, "Folder to write to")
        ->check(CLI::ExistingDirectory)
        ->capture_default_str();
    declare_force(app);
    return [options] { return convert(*options); };
}

const Registration registration{
    {"convert", "Convert a record to CSV, JSON lines, JSON or HDF5",
     "RECORD.h5 becomes RECORD.TABLE.csv for each table, RECORD.jsonl, RECORD.json or RECORD.h5; "
     "of a folder, FOLDER/8/record.h5 becomes 8-record.TABLE.csv. "
     "Numbers lose no precision: they are the shortest that read back as the same double. A record "
     "of an older version is written in the current one.\n"
     "Example\n  shardstone convert out/quickstart/collectives.h5 --to csv --out /tmp",
     declare, RunsOn::rank_0}};

}  // namespace

}  // namespace shardstone::command::convert_command
