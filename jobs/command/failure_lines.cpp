// SPDX-License-Identifier: BSD-3-Clause
// The failure log of a record that is replaced goes with it, but for the lines of this run.
#include "jobs/command/failure_lines.hpp"

#include <string>

#include "kernels/base/error.hpp"
#include "results/format/atomic_file.hpp"

namespace shardstone::command {

namespace {

namespace fs = std::filesystem;

fs::path log_beside(const fs::path& output) {
    return output.string() + ".failures.jsonl";
}

}  // namespace

std::uintmax_t failure_bytes(const fs::path& output) {
    std::error_code error;
    const fs::path log = log_beside(output);
    if (!fs::is_regular_file(fs::symlink_status(log, error))) return 0;
    const auto bytes = fs::file_size(log, error);
    return error ? 0 : bytes;
}

void forget_failures(const fs::path& output, std::uintmax_t bytes) {
    const fs::path log = log_beside(output);
    const std::uintmax_t now = failure_bytes(output);
    if (bytes == 0 || now < bytes) return;
    try {
        if (now == bytes) {
            std::error_code ignored;
            fs::remove(log, ignored);
        } else {
            results::write_file(log, results::read_file(log).substr(bytes));
        }
    } catch (const Error&) {
        return;  // on a full disk it stays as it is
    }
}

}  // namespace shardstone::command
