// SPDX-License-Identifier: BSD-3-Clause
// Reads the kernel's files of one value each, such as those in /sys.
#include "results/record/kernel_files.hpp"

#include <cmath>
#include <fstream>

#include "kernels/base/utf8.hpp"

namespace shardstone::results {

std::optional<std::string> line_of_file(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    line.erase(line.find_last_not_of(" \t\r") + 1);
    if (line.empty()) return std::nullopt;
    return as_utf8(line);
}

std::optional<double> number_of_file(const std::filesystem::path& path) {
    std::ifstream file(path);
    double value = 0.0;
    if (!(file >> value) || !std::isfinite(value)) return std::nullopt;
    return value;
}

}  // namespace shardstone::results
