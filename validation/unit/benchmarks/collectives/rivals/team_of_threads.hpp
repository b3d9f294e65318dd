// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "benchmarks/collectives/rivals/meeting.hpp"

namespace shardstone::rivals {

/// Runs `body` on so many threads that stand for processes, with a fresh folder to meet in.
inline void run_team(int size, const std::function<void(const std::string&, Extent)>& body) {
    std::string folder = (std::filesystem::temp_directory_path() / "rivals-XXXXXX").string();
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    std::ofstream(folder + "/meeting").flush();
    std::vector<std::thread> members;
    for (int rank = 0; rank < size; ++rank) {
        members.emplace_back([&, rank] { body(folder, {rank, size}); });
    }
    for (std::thread& member : members) member.join();
    std::filesystem::remove_all(folder);
}

}  // namespace shardstone::rivals
