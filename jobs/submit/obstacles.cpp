// SPDX-License-Identifier: BSD-3-Clause
// What a new try needs, and what stands where it has to write.
#include "jobs/submit/obstacles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "jobs/submit/folder.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::submit {

namespace {

namespace fs = std::filesystem;

constexpr std::array beside_records{"stdout", "stderr", "exit_code", "command", time_limit_file};

bool is_obstacle(const fs::path& path) {
    std::error_code failed;
    const bool regular = fs::is_regular_file(fs::symlink_status(path, failed));
    const bool written =
        is_of_record(path) ||
        std::ranges::find(beside_records, path.filename().string()) != beside_records.end();
    return written && !regular;
}

}  // namespace

bool is_of_record(const fs::path& file) {
    return file.filename().string().starts_with("record.");
}

void make_folder(const fs::path& folder) {
    std::error_code failed;
    fs::create_directories(folder, failed);
    require(!failed, [&] {
        return fmt::format("'{}' cannot be made: {}", folder.string(), failed.message());
    });
}

void remove_whole(const fs::path& path) {
    std::error_code failed;
    fs::remove_all(path, failed);
    require(!failed, [&] {
        return fmt::format("'{}' is in the way of a new run, and cannot be removed ({}): remove it",
                           path.string(), failed.message());
    });
}

void remove_obstacles(const fs::path& folder) {
    std::error_code failed;
    if (!fs::exists(folder, failed)) return;
    require(fs::is_directory(folder, failed), [&] {
        return fmt::format("'{}' is in the way of a point's folder: remove it", folder.string());
    });
    std::vector<fs::path> obstacles;
    for (const auto& entry : fs::directory_iterator(folder, failed)) {
        if (is_obstacle(entry.path())) obstacles.push_back(entry.path());
    }
    require(!failed, [&] {
        return fmt::format("'{}' cannot be read: {}", folder.string(), failed.message());
    });
    std::ranges::for_each(obstacles, remove_whole);
}

}  // namespace shardstone::submit
