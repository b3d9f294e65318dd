// SPDX-License-Identifier: BSD-3-Clause
// The shipped files of a folder as the good texts of a fuzz test.
#include "validation/fuzz/copied_files.hpp"

#include <algorithm>

#include "results/format/atomic_file.hpp"

namespace shardstone::validation {

std::vector<std::string> with_copies_of(const std::filesystem::path& folder,
                                        std::vector<std::string> texts) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        texts.insert(texts.end(), 20, results::read_file(entry.path()));
    }
    std::ranges::sort(texts);
    return texts;
}

}  // namespace shardstone::validation
