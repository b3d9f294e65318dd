// SPDX-License-Identifier: BSD-3-Clause
// Files and folders on a command line, as the record files below them.
#include "results/format/record_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "kernels/base/error.hpp"

namespace shardstone::results {

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_of_folder(const fs::path& folder,
                                      const std::vector<std::string>& endings) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        const bool wanted =
            std::ranges::find(endings, entry.path().extension().string()) != endings.end();
        if (wanted && entry.is_regular_file()) files.push_back(entry.path());
    }
    require(!files.empty(), [&] {
        return fmt::format("the folder '{}' holds no file ending in {}", folder.string(),
                           fmt::join(endings, ", "));
    });
    std::ranges::sort(files);
    return files;
}

}  // namespace

std::vector<fs::path> files_below(const std::vector<fs::path>& paths,
                                  const std::vector<std::string>& endings) {
    std::vector<fs::path> files;
    for (const auto& path : paths) {
        std::error_code ignored;
        require(fs::exists(path, ignored),
                [&] { return fmt::format("'{}' does not exist", path.string()); });
        if (!fs::is_directory(path)) {
            files.push_back(path);
            continue;
        }
        const auto found = files_of_folder(path, endings);
        files.insert(files.end(), found.begin(), found.end());
    }
    return files;
}

}  // namespace shardstone::results
