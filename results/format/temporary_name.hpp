// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

namespace shardstone::results {

/// A fresh, unguessable name next to `place` for a file that will be renamed to it:
/// ".NAME.KERNEL-RANDOM.tmp". KERNEL identifies this boot of this machine.
std::filesystem::path fresh_temporary(const std::filesystem::path& place);

/// Marks the file of an open descriptor as in use until all copies of the descriptor are closed,
/// however the process ends. Without effect if the file system has no locks.
void mark_as_in_use(int descriptor);

/// Removes files that killed runs left under such names next to `place`, and reports it on stderr.
/// Only files that are provably abandoned: created under this boot, by this user, and not marked as
/// in use.
void remove_leftovers(const std::filesystem::path& place);

}  // namespace shardstone::results
