// SPDX-License-Identifier: BSD-3-Clause
// What `shardstone verify` does not look at in a folder.
#include "jobs/command/passed_over.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "kernels/base/error.hpp"
#include "kernels/base/units.hpp"
#include "results/format/record_files.hpp"

namespace shardstone::command {

namespace {

namespace fs = std::filesystem;

/// In the order of their names. What cannot be read is somebody else's complaint.
std::vector<fs::path> other_files(const fs::path& folder, const std::vector<std::string>& endings) {
    std::vector<fs::path> others;
    std::error_code failed;
    constexpr auto options = fs::directory_options::skip_permission_denied;
    for (fs::recursive_directory_iterator one(folder, options, failed), end; !failed && one != end;
         one.increment(failed)) {
        std::error_code ignored;
        const bool known =
            std::ranges::find(endings, one->path().extension().string()) != endings.end();
        if (!known && one->is_regular_file(ignored)) others.push_back(one->path());
    }
    std::ranges::sort(others);
    return others;
}

}  // namespace

void tell_passed_over(const std::vector<fs::path>& paths, const std::vector<std::string>& endings) {
    std::ptrdiff_t others = 0;
    for (const fs::path& folder : paths) {
        std::error_code ignored;
        if (!fs::is_directory(folder, ignored)) continue;
        for (const fs::path& file : other_files(folder, endings)) {
            if (results::looks_like_record(file)) {
                fmt::print(
                    "{:<6}  {}: NOT checked: a record whose name ends in neither .json nor .h5: "
                    "give it by its name\n",
                    "-", Error(file.string()).what());
            } else {
                ++others;
            }
        }
    }
    if (others > 0) fmt::print("{} of other kinds not looked at\n", counted(others, "file"));
}

}  // namespace shardstone::command
