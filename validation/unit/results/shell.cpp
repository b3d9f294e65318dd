// SPDX-License-Identifier: BSD-3-Clause
// Runs a shell command for a test and catches its exit code and both of its outputs.
#include "validation/unit/results/shell.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>

#include "kernels/base/error.hpp"
#include "results/format/atomic_file.hpp"

namespace shardstone::validation {

bool Outcome::is_one_line_about(const std::string& name) const {
    return code == 2 && std::ranges::count(errors, '\n') == 1 &&
           errors.find(name) != std::string::npos;
}

Outcome run_shell(const std::string& command, const TemporaryFolder& folder) {
    const std::string out = (folder / "stdout.txt").string();
    const std::string err = (folder / "stderr.txt").string();
    const int status = std::system((command + " > " + out + " 2> " + err).c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, results::read_file(out),
            results::read_file(err)};
}

std::string shardstone_binary() {
    const char* path = std::getenv("SHARDSTONE_BINARY");
    require(path != nullptr, "SHARDSTONE_BINARY is not set: run this test with ctest");
    return path;
}

}  // namespace shardstone::validation
