// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace shardstone {

/// A word of a command line as a POSIX shell reads it back: quoted where it has to be.
std::string for_the_shell(std::string_view word);

}  // namespace shardstone
