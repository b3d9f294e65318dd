// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

namespace shardstone::results {

/// A fresh name beside `place` for what is to be renamed to it: ".NAME.KERNEL-RANDOM.tmp", which
/// nobody can guess. KERNEL tells this boot of this machine from all others.
std::filesystem::path fresh_temporary(const std::filesystem::path& place);

/// Says of what an open descriptor holds that it is in use, until all copies of the descriptor are
/// closed, whatever ends the process. Where the file system has no locks, nothing.
void mark_as_in_use(int descriptor);

/// Removes what killed runs left under such names beside `place`, and says so on stderr. Only what
/// is provably nobody's: made under this very kernel, by this user, and not marked as in use.
void remove_leftovers(const std::filesystem::path& place);

}  // namespace shardstone::results
