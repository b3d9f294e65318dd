// SPDX-License-Identifier: BSD-3-Clause
// The files of a bundle as manifest and records, with what could not be read of them.
#include "results/bundle/opened.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "kernels/base/error.hpp"
#include "results/bundle/acceptance.hpp"
#include "results/bundle/differences.hpp"
#include "results/bundle/sha256.hpp"
#include "results/format/hdf5_format.hpp"
#include "results/format/hdf5_place.hpp"
#include "results/format/json_format.hpp"
#include "results/report/section.hpp"

namespace shardstone::results {

namespace {

/// "train" of "records/train.h5" and "records/train.json"; "" of other paths.
std::string record_name(const std::string& path) {
    constexpr std::string_view folder = "records/";
    if (!path.starts_with(folder)) return "";
    for (const std::string_view ending : {".h5", ".json"}) {
        if (!path.ends_with(ending)) continue;
        return path.substr(folder.size(), path.size() - folder.size() - ending.size());
    }
    return "";
}

std::vector<std::string> record_names(const std::vector<BundledFile>& files) {
    std::vector<std::string> names;
    for (const BundledFile& file : files) {
        const std::string name = record_name(file.path);
        if (name.empty() || std::ranges::find(names, name) != names.end()) continue;
        names.push_back(name);
    }
    return names;
}

void read_manifest(OpenedBundle& bundle, std::vector<std::string>& wrong) {
    bundle.contents.maker = own_maker();
    const BundledFile* file = bundle.find(manifest_path);
    if (file == nullptr) {
        wrong.push_back(std::string(manifest_path) + ": missing");
        return;
    }
    try {
        bundle.manifest = manifest_from_text(file->bytes);
        bundle.contents.maker = bundle.manifest->maker;
    } catch (const Error& error) {
        wrong.push_back(fmt::format("{}: {}", manifest_path, error.what()));
    }
}

/// The titles of the figures in the report that rest on a record.
std::string figures_from(const BundledRecord& one) {
    BundleContents alone;
    alone.records = {one};
    std::vector<std::string> titles;
    for (const Section& section : make_sections(given_of(alone))) {
        for (const Figure& figure : section.figures) {
            titles.push_back(fmt::format("'{}'", figure.title));
        }
    }
    return titles.empty() ? "" : fmt::format(" (figures from it: {})", fmt::join(titles, ", "));
}

void compare_hashes(OpenedBundle& bundle, std::vector<std::string>& wrong) {
    if (!bundle.manifest) return;
    for (const auto& [path, listed] : bundle.manifest->files) {
        const BundledFile* file = bundle.find(path);
        if (file == nullptr) {
            wrong.push_back(path + ": missing, though the manifest lists it");
        } else if (listed.size_bytes != file->bytes.size() ||
                   listed.sha256 != sha256_of(file->bytes)) {
            bundle.changed.insert(path);
        }
    }
    for (const BundledFile& file : bundle.archive.files) {
        if (file.path == manifest_path || bundle.manifest->files.contains(file.path)) continue;
        wrong.push_back(file.path + ": not in the manifest");
    }
}

/// From JSON that was not changed.
std::optional<BundledRecord> record_from_twin(const OpenedBundle& bundle, const std::string& name) {
    const BundledFile* twin = bundle.find("records/" + name + ".json");
    if (twin == nullptr || bundle.changed.contains(twin->path)) return std::nullopt;
    try {
        Record record = record_from_bytes(twin->bytes, twin->path);
        return BundledRecord{name, to_hdf5_bytes(record), std::move(record)};
    } catch (const Error&) {
        return std::nullopt;
    }
}

/// The record in a file; none, with the reason, if it cannot be read.
std::optional<BundledRecord> record_from_file(const BundledFile& file, const std::string& name,
                                              std::vector<std::string>& wrong) {
    try {
        return BundledRecord{name, file.bytes, record_from_bytes(file.bytes, file.path)};
    } catch (const Error& error) {
        wrong.push_back(fmt::format("{}: {}", file.path, error.what()));
        return std::nullopt;
    }
}

/// ", in samples, table rank_steps, column time_s" for damaged HDF5 of which few bytes differ from
/// what its twin gives; "" if a program wrote it whose HDF5 is laid out otherwise.
std::string damaged_column(const BundledFile& file, const BundledRecord& twin) {
    constexpr std::ptrdiff_t most_changed = 64;
    if (file.bytes.size() != twin.hdf5.size()) return "";
    std::ptrdiff_t count = 0;
    std::size_t first = 0;
    for (std::size_t i = hdf5_head_size; i < file.bytes.size(); ++i) {
        if (file.bytes[i] == twin.hdf5[i]) continue;
        if (count++ == 0) first = i;
    }
    if (count == 0 || count > most_changed) return "";
    return fmt::format("; byte {} is another one, in {}", first, hdf5_place(twin.hdf5, first));
}

/// In which values HDF5 whose own seal holds differs from the JSON beside it.
void name_differences(const BundledRecord& given, const std::optional<BundledRecord>& twin,
                      std::vector<std::string>& wrong) {
    const std::string problem = "not the file that the manifest lists, though its own seal holds";
    if (!twin) {
        wrong.push_back(fmt::format("{}: {}", given.path(), problem));
        return;
    }
    for (const FileDifference& one :
         json_text_differences(to_json_text(given.record), to_json_text(twin->record))) {
        wrong.push_back(fmt::format("{}: {} ({})", given.path(), in_words(one), problem));
    }
}

void read_one(const std::string& name, OpenedBundle& bundle, std::vector<std::string>& wrong) {
    const BundledFile* file = bundle.find("records/" + name + ".h5");
    std::optional<BundledRecord> record;
    if (file != nullptr) record = record_from_file(*file, name, wrong);
    if (record && !bundle.changed.contains(record->path())) {
        bundle.contents.records.push_back(*std::move(record));
        return;
    }
    bundle.whole_records = false;
    auto twin = record_from_twin(bundle, name);
    if (record) {
        name_differences(*record, twin, wrong);
    } else if (file != nullptr && twin) {
        wrong.back() += damaged_column(*file, *twin);
    } else if (file == nullptr && !bundle.manifest) {
        wrong.push_back("records/" + name + ".h5: missing");
    }
    if (twin && objection_to(twin->record).empty() && !wrong.empty()) {
        wrong.back() += figures_from(*twin);
    }
    if (!twin) twin = std::move(record);
    if (twin) bundle.contents.records.push_back(*std::move(twin));
}

}  // namespace

const BundledFile* OpenedBundle::find(const std::string& path) const {
    const auto found = std::ranges::find(archive.files, path, &BundledFile::path);
    return found == archive.files.end() ? nullptr : &*found;
}

OpenedBundle open_bundle(const std::string& bytes, const std::string& source,
                         std::vector<std::string>& wrong) {
    OpenedBundle bundle;
    bundle.archive = from_zip(bytes, source);
    const auto names = record_names(bundle.archive.files);
    require(!names.empty() || bundle.find(manifest_path) != nullptr, [&] {
        return fmt::format("'{}' is no bundle: it has neither a manifest nor records", source);
    });
    read_manifest(bundle, wrong);
    compare_hashes(bundle, wrong);
    for (const std::string& name : names) read_one(name, bundle, wrong);
    if (const BundledFile* acceptance = bundle.find(acceptance_path)) {
        bundle.contents.acceptance = acceptance->bytes;
    }
    return bundle;
}

}  // namespace shardstone::results
