// SPDX-License-Identifier: BSD-3-Clause
// Records from files into a bundle: read once each, named apart, marked by what they are.
#include "results/bundle/gather.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "kernels/base/error.hpp"
#include "results/bundle/acceptance.hpp"
#include "results/format/atomic_file.hpp"
#include "results/format/hdf5_format.hpp"
#include "results/format/record_files.hpp"
#include "results/record/nature.hpp"

namespace shardstone::results {

namespace {

namespace fs = std::filesystem;

/// A name of letters that every file system and every ZIP program takes.
std::string plain_name(const std::string& name) {
    std::string plain;
    for (const char c : name) {
        const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                              (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-' ||
                              c == '/';
        plain += is_plain ? c : '_';
    }
    return plain.empty() ? "record" : plain;
}

/// A file that was read, before it has its name.
struct ReadFile {
    fs::path path;
    std::string bytes;
    Record record;
};

ReadFile read_one(const fs::path& path) {
    ReadFile file{path, read_file(path), {}};
    file.record = record_from_bytes(file.bytes, path);
    return file;
}

/// None of what is broken and was not named itself, but lay in a folder.
std::optional<ReadFile> read_or_note(const fs::path& path, bool is_named,
                                     std::vector<NotShown>& broken) {
    try {
        return read_one(path);
    } catch (const Error& error) {
        if (is_named) throw;
        broken.push_back({path.string(), error.what()});
        return std::nullopt;
    }
}

void require_own_limits(const BundleContents& contents, const std::optional<fs::path>& acceptance) {
    const auto contradictions = use_of_acceptance(contents).contradictions;
    require(contradictions.empty(), [&] {
        return fmt::format(
            "--acceptance '{}' has {}: give the file that it was judged by, or none: the record "
            "holds its text",
            acceptance->string(), contradictions.front());
    });
}

/// HDF5 before JSON of the same run, since it is what the run wrote its samples to.
void take(ReadFile file, std::vector<ReadFile>& files, std::vector<NotShown>& repeated) {
    const auto twin = std::ranges::find_if(files, [&](const ReadFile& other) {
        return other.record.identity.value("id", "") == file.record.identity.value("id", "-");
    });
    if (twin == files.end()) {
        files.push_back(std::move(file));
        return;
    }
    require(twin->record.hash == file.record.hash, [&] {
        return fmt::format("'{}' and '{}' have different contents, though both are of run {}",
                           file.path.string(), twin->path.string(),
                           file.record.identity.value("id", ""));
    });
    if (looks_like_hdf5(file.bytes) == looks_like_hdf5(twin->bytes)) {
        repeated.push_back(
            {file.path.string(),
             fmt::format("it is the run of '{}', which is taken once", twin->path.string())});
    }
    if (looks_like_hdf5(file.bytes)) twin->bytes = std::move(file.bytes);
}

/// As the report names files apart, without their endings.
std::vector<std::string> names_of(const std::vector<ReadFile>& files) {
    std::vector<Source> sources;
    for (const ReadFile& file : files) {
        std::error_code ignored;
        fs::path path = fs::weakly_canonical(file.path, ignored);
        sources.push_back({path.replace_extension(), {}, {}});
    }
    name_apart(sources);
    std::vector<std::string> names;
    std::set<std::string> taken;
    for (std::size_t i = 0; i < files.size(); ++i) {
        const std::string name =
            named_for(plain_name(sources[i].file()), nature_of(files[i].record));
        std::string free = name;
        for (int number = 2; !taken.insert(free).second; ++number) {
            free = fmt::format("{}-{}", number, name);
        }
        names.push_back(free);
    }
    return names;
}

}  // namespace

Gathered gather(const std::vector<fs::path>& records, const std::optional<fs::path>& acceptance) {
    Gathered gathered;
    BundleContents& contents = gathered.contents;
    contents.maker = own_maker();
    std::vector<ReadFile> files;
    for (const fs::path& path : records_below(records)) {
        const bool is_named = std::ranges::find(records, path) != records.end();
        if (auto file = read_or_note(path, is_named, gathered.broken))
            take(*std::move(file), files, gathered.repeated);
    }
    require(!files.empty() || gathered.broken.empty(), [&] {
        const NotShown& first = gathered.broken.front();
        return fmt::format("no record to bundle: '{}' is broken: {}", first.file, first.why);
    });
    const auto names = names_of(files);
    for (std::size_t i = 0; i < files.size(); ++i) {
        ReadFile& file = files[i];
        if (!looks_like_hdf5(file.bytes)) file.bytes = to_hdf5_bytes(file.record);
        contents.records.push_back({names[i], std::move(file.bytes), std::move(file.record)});
    }
    if (acceptance) {
        contents.acceptance = read_file(*acceptance);
    } else if (const auto own = common_limits(contents.records); own && !own->empty()) {
        contents.acceptance = own;  // the commands in the README name that file
    }
    require_own_limits(contents, acceptance);
    return gathered;
}

}  // namespace shardstone::results
