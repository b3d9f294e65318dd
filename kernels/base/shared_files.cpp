// SPDX-License-Identifier: BSD-3-Clause
// Files that come with the program, in a build tree and installed.
#include "kernels/base/shared_files.hpp"

#include <algorithm>

namespace shardstone {

std::optional<std::filesystem::path> install_root() {
    std::error_code ignored;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored);
    const auto folder = program.parent_path();
    const auto root = folder.parent_path();
    if (folder.filename() != "bin") return std::nullopt;
    if (!std::filesystem::is_directory(root / "share" / "shardstone", ignored)) return std::nullopt;
    return root;
}

std::filesystem::path shared_folder(const char* name) {
    if (const auto root = install_root()) return *root / "share" / "shardstone" / name;
    return std::filesystem::path(SHARDSTONE_SOURCE_DIR) / "jobs" / name;
}

std::vector<std::string> shared_names(const char* folder) {
    std::vector<std::string> names;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(shared_folder(folder), ignored)) {
        if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
    }
    std::ranges::sort(names);
    return names;
}

std::filesystem::path found_shared(const char* folder, const std::filesystem::path& named) {
    std::error_code ignored;
    const bool is_name = !named.empty() && !named.has_parent_path() && !named.has_extension();
    if (!is_name || std::filesystem::exists(named, ignored)) return named;
    return shared_folder(folder) / (named.string() + ".toml");
}

}  // namespace shardstone
