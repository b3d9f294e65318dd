// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace shardstone::results {

// Small files of the kernel, below /proc and /sys: each is one value, is missing or unreadable on
// many machines, and may hold any bytes.

/// The first line, through as_utf8() and without spaces at its end; none if it is empty.
std::optional<std::string> line_of_file(const std::filesystem::path& path);

/// The number that the file begins with, if it is finite.
std::optional<double> number_of_file(const std::filesystem::path& path);

}  // namespace shardstone::results
