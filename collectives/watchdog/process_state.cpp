// SPDX-License-Identifier: BSD-3-Clause
// Whether a process of this node runs, sleeps, is stopped or is dead, as /proc has it.
#include "collectives/watchdog/process_state.hpp"

#include <fmt/format.h>

#include <fstream>
#include <string>

namespace shardstone::collectives {

char process_state(int process) {
    std::ifstream file(fmt::format("/proc/{}/stat", process));
    std::string line;
    std::getline(file, line);
    const auto name_end = line.rfind(')');  // the name may hold anything
    return name_end != std::string::npos && name_end + 2 < line.size() ? line[name_end + 2] : ' ';
}

}  // namespace shardstone::collectives
