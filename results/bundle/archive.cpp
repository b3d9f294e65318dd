// SPDX-License-Identifier: BSD-3-Clause
// ZIP archives in memory by libzip: written the same every time, read without trust.
#include "results/bundle/archive.hpp"

#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <memory>
#include <set>

#include "kernels/base/error.hpp"

namespace shardstone::results {

namespace {

struct CloseArchive {
    void operator()(zip_t* archive) const { zip_discard(archive); }
};
using Archive = std::unique_ptr<zip_t, CloseArchive>;

struct FreeSource {
    void operator()(zip_source_t* source) const { zip_source_free(source); }
};
using ArchiveSource = std::unique_ptr<zip_source_t, FreeSource>;

struct CloseFile {
    void operator()(zip_file_t* file) const { zip_fclose(file); }
};

/// 1980-01-01 in the form of DOS; a time_t would be written in the zone of the machine.
constexpr zip_uint16_t first_day = (1U << 5U) | 1U;

ArchiveSource source_over(std::string_view bytes) {
    zip_error_t error;
    zip_error_init(&error);
    ArchiveSource source(zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error));
    require(source != nullptr, "out of memory while opening a ZIP archive");
    return source;
}

/// libzip's own reason, in a few words.
std::string reason_of(zip_error_t& error) {
    std::string reason = zip_error_strerror(&error);
    zip_error_fini(&error);
    return reason;
}

/// Owns its source; nothing, with the reason, when it cannot be opened.
Archive open_archive(const ArchiveSource& source, int flags, std::string& reason) {
    zip_error_t error;
    zip_error_init(&error);
    zip_source_keep(source.get());
    Archive archive(zip_open_from_source(source.get(), flags, &error));
    if (archive == nullptr) {
        zip_source_free(source.get());
        reason = reason_of(error);
    }
    return archive;
}

void require_done(bool done, zip_t* archive) {
    require(done, [&] {
        return fmt::format("the archive cannot be made: {}",
                           zip_error_strerror(zip_get_error(archive)));
    });
}

void add_file(zip_t* archive, const BundledFile& file) {
    zip_source_t* contents = zip_source_buffer(archive, file.bytes.data(), file.bytes.size(), 0);
    require_done(contents != nullptr, archive);
    const zip_int64_t place = zip_file_add(archive, file.path.c_str(), contents, ZIP_FL_ENC_UTF_8);
    if (place < 0) zip_source_free(contents);
    require_done(place >= 0, archive);
    const auto index = static_cast<zip_uint64_t>(place);
    require_done(zip_set_file_compression(archive, index, ZIP_CM_STORE, 0) == 0, archive);
    require_done(zip_file_set_dostime(archive, index, 0, first_day, 0) == 0, archive);
    constexpr zip_uint32_t readable = 0100644U << 16U;
    require_done(zip_file_set_external_attributes(archive, index, 0, ZIP_OPSYS_UNIX, readable) == 0,
                 archive);
}

bool is_plain_path(std::string_view path) {
    const auto is_plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '.' || c == '_' || c == '-' || c == '/';
    };
    std::size_t begin = 0;
    while (begin <= path.size()) {
        const std::size_t end = std::min(path.find('/', begin), path.size());
        const auto part = path.substr(begin, end - begin);
        if (part.empty() || part == "." || part == "..") return false;
        begin = end + 1;
    }
    return std::ranges::all_of(path, is_plain);
}

/// What no bundle of ours has; "" if nothing.
std::string objection_to_entry(const zip_stat_t& entry, const std::set<std::string>& seen) {
    const std::string name = entry.name == nullptr ? "" : entry.name;
    if (!is_plain_path(name)) return "is no name of a file in a bundle";
    if (seen.contains(name)) return "is in it twice";
    if (entry.encryption_method != ZIP_EM_NONE) return "is encrypted";
    if (entry.comp_method != ZIP_CM_STORE || entry.comp_size != entry.size) {
        return "is compressed, which 'shardstone bundle' never does";
    }
    return "";
}

/// As much as there is; `damage` gets what is wrong with it.
BundledFile read_entry(zip_t* archive, zip_uint64_t index, const zip_stat_t& entry,
                       std::vector<std::string>& damage) {
    BundledFile file{entry.name, std::string(entry.size, '\0')};
    const std::unique_ptr<zip_file_t, CloseFile> opened(zip_fopen_index(archive, index, 0));
    if (opened == nullptr) {
        damage.push_back(file.path + ": its header in the archive is damaged");
        file.bytes.clear();
        return file;
    }
    std::size_t done = 0;
    zip_int64_t got = 1;
    while (done < file.bytes.size() && got > 0) {
        got = zip_fread(opened.get(), file.bytes.data() + done, file.bytes.size() - done);
        if (got > 0) done += static_cast<std::size_t>(got);
    }
    file.bytes.resize(done);
    char beyond = 0;  // the end is where the check sum is compared
    if (done < entry.size) {
        damage.push_back(file.path + ": it is cut");
    } else if (zip_fread(opened.get(), &beyond, 1) != 0) {
        damage.push_back(file.path + ": its bytes do not match their check sum in the archive");
    }
    return file;
}

Archive open_for_reading(const ArchiveSource& source, const std::string& name,
                         std::vector<std::string>& damage) {
    std::string reason;
    Archive archive = open_archive(source, ZIP_RDONLY | ZIP_CHECKCONS, reason);
    if (archive != nullptr) return archive;
    const std::string inconsistent = reason;
    archive = open_archive(source, ZIP_RDONLY, reason);
    require(archive != nullptr, [&] {
        return fmt::format("'{}' is damaged: the directory of its ZIP archive cannot be read ({})",
                           name, reason);
    });
    damage.push_back(fmt::format("the headers of the ZIP archive are damaged ({})", inconsistent));
    return archive;
}

}  // namespace

std::string to_zip(const std::vector<BundledFile>& files) {
    zip_error_t error;
    zip_error_init(&error);
    const ArchiveSource target(zip_source_buffer_create(nullptr, 0, 0, &error));
    require(target != nullptr, "out of memory while making a ZIP archive");
    std::string reason;
    Archive archive = open_archive(target, ZIP_CREATE | ZIP_TRUNCATE, reason);
    require(archive != nullptr, [&] { return "a ZIP archive cannot be made: " + reason; });
    for (const BundledFile& file : files) add_file(archive.get(), file);
    require_done(zip_close(archive.get()) == 0, archive.get());
    static_cast<void>(archive.release());  // closed
    zip_stat_t made;
    zip_stat_init(&made);
    require(zip_source_stat(target.get(), &made) == 0 && zip_source_open(target.get()) == 0,
            "the archive that was made cannot be read");
    std::string bytes(made.size, '\0');
    const zip_int64_t got = zip_source_read(target.get(), bytes.data(), bytes.size());
    zip_source_close(target.get());
    require(got == static_cast<zip_int64_t>(bytes.size()), "the archive that was made is cut");
    return bytes;
}

std::string zip_library_version() {
    return zip_libzip_version();
}

bool looks_like_zip(std::string_view bytes) {
    return bytes.starts_with("PK\x03\x04");
}

OpenedArchive from_zip(const std::string& bytes, const std::string& source) {
    OpenedArchive opened;
    const ArchiveSource buffer = source_over(bytes);
    const Archive archive = open_for_reading(buffer, source, opened.damage);
    const zip_int64_t entries = zip_get_num_entries(archive.get(), 0);
    std::set<std::string> seen;
    std::uint64_t total_bytes = 0;
    for (zip_int64_t i = 0; i < entries; ++i) {
        const auto index = static_cast<zip_uint64_t>(i);
        zip_stat_t entry;
        zip_stat_init(&entry);
        require(zip_stat_index(archive.get(), index, 0, &entry) == 0, [&] {
            return fmt::format("'{}' is damaged: entry {} of its ZIP archive cannot be read",
                               source, i);
        });
        const std::string objection = objection_to_entry(entry, seen);
        require(objection.empty(), [&] {
            return fmt::format(
                "'{}' was not written by 'shardstone bundle', or was changed: '{}' {}", source,
                entry.name == nullptr ? "" : entry.name, objection);
        });
        require(entry.size <= bytes.size() - std::min<std::uint64_t>(total_bytes, bytes.size()),
                [&] {
                    return fmt::format(
                        "'{}' is not read: its files claim to hold more than the archive of {} "
                        "bytes",
                        source, bytes.size());
                });
        total_bytes += entry.size;
        seen.insert(entry.name);
        opened.files.push_back(read_entry(archive.get(), index, entry, opened.damage));
    }
    return opened;
}

}  // namespace shardstone::results
