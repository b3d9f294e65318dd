// SPDX-License-Identifier: BSD-3-Clause
// Files and folders on a command line, as the record files below them.
#include "results/format/record_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <string_view>

#include "kernels/base/error.hpp"
#include "kernels/base/regular_file.hpp"
#include "results/format/hdf5_format.hpp"
#include "results/format/parse_json.hpp"

namespace shardstone::results {

namespace {

namespace fs = std::filesystem;

/// Runs on 8 ranks before those on 16.
bool in_order_of_numbers(const fs::path& one, const fs::path& other) {
    return ::strverscmp(one.c_str(), other.c_str()) < 0;
}

/// With what has such a name and is no file, and folders that cannot be read, for whoever reads
/// them to say so. A folder that is removed meanwhile holds nothing. Returns why this one cannot be
/// read.
std::error_code add_files(const fs::path& folder, const std::vector<std::string>& endings,
                          std::vector<fs::path>& files) {
    std::error_code failed, ignored;
    for (fs::directory_iterator one(folder, failed), end; !failed && one != end;
         one.increment(failed)) {
        const bool wanted =
            std::ranges::find(endings, one->path().extension().string()) != endings.end();
        const auto before = files.size();
        std::error_code closed;
        if (one->is_directory(ignored) && !one->is_symlink(ignored)) {
            closed = add_files(one->path(), endings, files);
        }
        if (closed || (wanted && files.size() == before)) files.push_back(one->path());
    }
    return failed == std::errc::no_such_file_or_directory ? std::error_code{} : failed;
}

std::vector<fs::path> files_of_folder(const fs::path& folder,
                                      const std::vector<std::string>& endings) {
    std::vector<fs::path> files;
    const auto failed = add_files(folder, endings, files);
    require(!failed, [&] {
        return fmt::format("the folder '{}' cannot be read: {}", folder.string(), failed.message());
    });
    require(!files.empty(), [&] {
        return fmt::format("the folder '{}' holds no file ending in {}", folder.string(),
                           fmt::join(endings, ", "));
    });
    std::ranges::sort(files, in_order_of_numbers);
    return files;
}

/// What a record of ours begins with shows without reading all of it.
/// Of a file, to tell what it is.
constexpr std::size_t head_bytes = 100;

bool begins_as_record(const std::string& head) {
    return head.find("\"shardstone record\"") != std::string::npos;
}

bool begins_as_json(const std::string& head) {
    constexpr std::string_view starts = "{[\"-0123456789tfn\xEF";  // the last of a byte order mark
    const auto first = head.find_first_not_of(" \t\r\n");
    return first == std::string::npos || starts.find(head[first]) != std::string_view::npos;
}

}  // namespace

void require_there(const fs::path& named) {
    std::error_code failed;
    const auto found = fs::status(named, failed);
    require(found.type() != fs::file_type::not_found,
            [&] { return fmt::format("'{}' does not exist", named.string()); });
    require(!failed, [&] {
        return fmt::format("'{}' cannot be read: {}", named.string(), failed.message());
    });
}

std::vector<fs::path> files_below(const std::vector<fs::path>& paths,
                                  const std::vector<std::string>& endings) {
    std::vector<fs::path> files;
    for (const auto& path : paths) {
        require_there(path);
        std::error_code ignored;
        if (!fs::is_directory(path, ignored)) {
            files.push_back(path);
            continue;
        }
        const auto found = files_of_folder(path, endings);
        files.insert(files.end(), found.begin(), found.end());
    }
    return files;
}

std::vector<fs::path> records_below(const std::vector<fs::path>& paths) {
    const std::vector<std::string> endings{".json", ".h5"};
    std::vector<fs::path> records;
    for (const auto& path : paths) {
        auto files = files_below({path}, endings);
        std::error_code ignored;
        if (fs::is_directory(path, ignored)) std::erase_if(files, is_foreign);
        require(!files.empty(),
                [&] { return fmt::format("the folder '{}' holds no record", path.string()); });
        records.insert(records.end(), files.begin(), files.end());
    }
    return records;
}

bool looks_like_record(const fs::path& path) {
    try {
        const std::string head = RegularFile(path).read_all(head_bytes);
        return looks_like_hdf5(head) || begins_as_record(head);
    } catch (const Error&) {
        return false;  // it cannot be read, so nothing is known of it
    }
}

bool is_foreign(const fs::path& path) {
    constexpr std::array members{"format",       "hash",    "identity",
                                 "verification", "derived", "samples"};
    if (path.extension() != ".json") return false;
    try {
        const RegularFile file(path);
        const std::string head = file.read_all(head_bytes);
        if (begins_as_record(head) || !begins_as_json(head)) return false;
        const auto document = parse_json(file.read_all());
        const auto found = std::ranges::count_if(
            members, [&](const char* name) { return document.contains(name); });
        return found <= 1;
    } catch (const nlohmann::json::exception&) {
        return false;
    } catch (const Error&) {
        return false;  // whoever reads it says why it cannot be read
    }
}

}  // namespace shardstone::results
