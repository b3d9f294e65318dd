// SPDX-License-Identifier: BSD-3-Clause
// Files that come with the program, in a build tree and installed.
#include "kernels/base/shared_files.hpp"

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

std::filesystem::path shared_clusters() {
    return shared_folder("clusters");
}

}  // namespace shardstone
