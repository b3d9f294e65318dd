// SPDX-License-Identifier: BSD-3-Clause
// Check of durations on a command line.
#include "jobs/command/duration_option.hpp"

#include "jobs/command/number_option.hpp"
#include "kernels/base/duration.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::command {

CLI::Validator duration() {
    const auto refusal = [](std::string& word) -> std::string {
        if (word.empty()) return nothing_given;
        try {
            parse_duration_s(word);
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    return {refusal, "", ""};
}

}  // namespace shardstone::command
