// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace shardstone::results {

/// The page that describes the format (results/schema/README.md): every table with its columns,
/// their units and meanings. Markdown.
std::string format_page();

}  // namespace shardstone::results
