// SPDX-License-Identifier: BSD-3-Clause
// Records as HDF5 and back: a sealed head of 512 bytes, then the library's image of the file.
#include "results/format/hdf5_format.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/error.hpp"
#include "results/format/atomic_file.hpp"
#include "results/format/hash.hpp"
#include "results/format/hdf5_handle.hpp"
#include "results/format/parse_json.hpp"
#include "results/format/seal.hpp"
#include "results/record/wellformed.hpp"
#include "results/schema/schema.hpp"

namespace shardstone::results {

namespace {

using hdf5::Handle;

constexpr const char* format_name = "shardstone record";
constexpr std::string_view head_opening = "shardstone record 1\nseal ";

std::string head_for(std::string_view seal) {
    std::string head = fmt::format("{}{}\n", head_opening, seal);
    head.resize(hdf5_head_size, '\0');
    return head;
}

void write_column(const Handle& table, const Table::Column& column,
                  const TableDescription* described) {
    const Handle set = column.texts.empty() ? hdf5::write(table, column.name, column.numbers)
                                            : hdf5::write(table, column.name, column.texts);
    if (described == nullptr) return;
    const auto found = std::ranges::find(described->columns, column.name, &ColumnDescription::name);
    if (found == described->columns.end()) return;
    if (!found->unit.empty()) hdf5::describe(set, "unit", found->unit);
    hdf5::describe(set, "meaning", found->meaning);
}

void write_tables(const Handle& file, const std::string& name, const std::vector<Table>& tables) {
    const Handle group = hdf5::create_group(file, name);
    for (const Table& table : tables) {
        const Handle inner = hdf5::create_group(group, table.name);
        const auto* described = find_description(table.name);
        if (described != nullptr) hdf5::describe(inner, "meaning", described->meaning);
        for (const auto& column : table.columns) write_column(inner, column, described);
    }
}

std::vector<Table> read_tables(const Handle& file, const std::string& name) {
    std::vector<Table> tables;
    const Handle group = hdf5::open_group(file, name);
    for (const auto& table_name : hdf5::members(group)) {
        Table table{table_name, {}};
        const Handle inner = hdf5::open_group(group, table_name);
        for (const auto& column_name : hdf5::members(inner)) {
            Table::Column column{column_name, {}, {}};
            if (hdf5::holds_texts(inner, column_name)) {
                column.texts = hdf5::read_texts(inner, column_name);
            } else {
                column.numbers = hdf5::read_numbers(inner, column_name);
            }
            table.columns.push_back(std::move(column));
        }
        tables.push_back(std::move(table));
    }
    return tables;
}

void write_verification(const Handle& file, const std::vector<Check>& checks) {
    std::vector<std::string> names;
    std::vector<double> passed;
    std::vector<std::string> details;
    for (const Check& check : checks) {
        names.push_back(check.name);
        passed.push_back(check.passed ? 1.0 : 0.0);
        details.push_back(check.detail);
    }
    const Handle group = hdf5::create_group(file, "verification");
    hdf5::write(group, "name", names);
    hdf5::write(group, "passed", passed);
    hdf5::write(group, "detail", details);
}

std::vector<Check> read_verification(const Handle& file) {
    const Handle group = hdf5::open_group(file, "verification");
    const auto names = hdf5::read_texts(group, "name");
    const auto passed = hdf5::read_numbers(group, "passed");
    const auto details = hdf5::read_texts(group, "detail");
    std::vector<Check> checks;
    for (std::size_t i = 0; i < names.size(); ++i) {
        checks.push_back({names[i], passed.at(i) != 0.0, details.at(i)});
    }
    return checks;
}

void write_contents(const Record& record, const Handle& file) {
    const Handle about = hdf5::create_group(file, "about");
    const auto put = [&](const char* name, const std::string& text) {
        hdf5::write(about, name, std::vector{text});
    };
    put("format", format_name);
    put("version", std::to_string(format_version));
    put("hash", hash_of(record));
    put("kind", record.kind);
    put("identity", record.identity.dump());
    put("configuration", record.configuration.dump());
    put("environment", record.environment.dump());
    write_tables(file, "samples", record.samples);
    write_tables(file, "derived", record.derived);
    write_verification(file, record.verification);
    hdf5::check(H5Fflush(file.get(), H5F_SCOPE_GLOBAL), "H5Fflush");
}

/// The bytes of the file behind the user block, as the library gives them.
std::string image_of(const Record& record) {
    const hdf5::Quiet quiet;
    const Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose, "H5Pcreate");
    hdf5::check(H5Pset_userblock(creation.get(), hdf5_head_size), "H5Pset_userblock");
    const Handle access = hdf5::memory_access();
    const Handle file(H5Fcreate("record", H5F_ACC_TRUNC, creation.get(), access.get()), H5Fclose,
                      "H5Fcreate");
    write_contents(record, file);
    const ssize_t size = H5Fget_file_image(file.get(), nullptr, 0);
    hdf5::check(size < 0 ? -1 : 0, "H5Fget_file_image");
    std::string image(static_cast<std::size_t>(size), '\0');
    hdf5::check(H5Fget_file_image(file.get(), image.data(), image.size()) == size ? 0 : -1,
                "H5Fget_file_image");
    return image;
}

int version_of(const Handle& about) {
    const std::string text = hdf5::read_texts(about, "version").at(0);
    const int version = std::stoi(text);
    require(std::to_string(version) == text,
            [&] { return fmt::format("its version '{}' is not a number", text); });
    return version;
}

Record contents_of(const Handle& file, const Handle& about) {
    const auto get = [&](const char* name) { return hdf5::read_texts(about, name).at(0); };
    const auto document = [&](const char* name) { return parse_json(get(name)); };
    Record record;
    record.kind = get("kind");
    record.identity = document("identity");
    record.configuration = document("configuration");
    record.environment = document("environment");
    record.samples = read_tables(file, "samples");
    record.derived = read_tables(file, "derived");
    record.verification = read_verification(file);
    record.hash = get("hash");
    return record;
}

/// What `action` gives; what it throws, as an Error that names `source`.
template <class Action>
auto reading(const std::string& source, Action&& action) {
    try {
        return action();
    } catch (const Error& error) {
        fail(fmt::format("'{}' is not a Shardstone record: {}", source, error.what()));
    } catch (const std::exception&) {  // nlohmann::json, out_of_range: intact, yet not ours
        fail(fmt::format("'{}' is not a Shardstone record: its HDF5 lacks what a record holds",
                         source));
    }
}

Record read_contents(const std::string& bytes, const std::string& source) {
    const hdf5::Quiet quiet;
    const Handle file = reading(source, [&] { return hdf5::open_image(bytes); });
    const Handle about = reading(source, [&] { return hdf5::open_group(file, "about"); });
    const int version = reading(source, [&] { return version_of(about); });
    require_version(version, source);
    Record record = reading(source, [&] { return contents_of(file, about); });
    record.version = version;
    require_content_hash(record, record.hash, source);
    return record;
}

}  // namespace

bool looks_like_hdf5(const std::string& bytes) {
    return bytes.starts_with(head_opening);
}

Record from_hdf5_bytes(const std::string& bytes, const std::string& source) {
    require(bytes.size() > hdf5_head_size, [&] { return changed_message(source); });
    const auto whole = std::string_view(bytes);
    const auto seal = whole.substr(head_opening.size(), hash_digits);
    require_seal(seal, whole.substr(hdf5_head_size), source);
    require(whole.substr(0, hdf5_head_size) == head_for(seal),
            [&] { return changed_message(source); });
    return read_contents(bytes, source);
}

std::string to_hdf5_bytes(const Record& record) {
    require_wellformed(record);
    const std::string image = image_of(record);
    return head_for(hash_of_bytes(image)) + image;
}

void write_hdf5(const Record& record, const std::filesystem::path& path) {
    write_file(path, to_hdf5_bytes(record));
}

}  // namespace shardstone::results
