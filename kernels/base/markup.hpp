// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace shardstone {

/// Text that is safe anywhere in HTML and XML, attribute values included.
std::string escape_markup(std::string_view text);

}  // namespace shardstone
