// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace shardstone::results {

/// The source of plotly.js, to be put into the page: from `file` when given, else from where
/// Debian's python3-plotly or a Python package of plotly put it. Throws Error naming the package
/// when there is none, or the file when it is not plotly.js or could not stand inside a page.
std::string load_plotly(const std::optional<std::filesystem::path>& file);

}  // namespace shardstone::results
