// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "results/bundle/archive.hpp"
#include "results/bundle/contents.hpp"
#include "results/bundle/manifest.hpp"

namespace shardstone::results {

/// A bundle that was read, as far as it could be.
struct OpenedBundle {
    OpenedArchive archive;
    std::optional<Manifest> manifest;  ///< none if it is missing or was changed
    std::set<std::string> changed;     ///< files whose bytes are not those that it lists
    BundleContents contents;           ///< records as the archive holds them, in its order
    bool whole_records = true;         ///< all of them are those that were put in, as HDF5

    const BundledFile* find(const std::string& path) const;  ///< null if it is not there
};

/// What cannot be read of it is added to `wrong`, one line each. A record whose HDF5 was
/// changed is read from its JSON. Throws Error naming `source` if nothing of it is a bundle.
OpenedBundle open_bundle(const std::string& bytes, const std::string& source,
                         std::vector<std::string>& wrong);

}  // namespace shardstone::results
