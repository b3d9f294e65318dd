// SPDX-License-Identifier: BSD-3-Clause
// The journal of `shardstone validate interconnect`, and what it says of itself.
#include "jobs/command/interconnect_journal.hpp"

#include <fmt/format.h>

#include "jobs/command/run_journal.hpp"
#include "kernels/base/units.hpp"
#include "validation/interconnect/interconnect_record.hpp"

namespace shardstone::command {

void InterconnectJournal::add(const validation::InterconnectSamples& part) {
    if (!is_root_) return;
    samples_ += part.taken();
    windows_ = part.windows.empty() ? windows_ : part.windows.back().window + 1.0;
    results::Record more;
    more.samples = sample_tables_of(part);
    add_to_journal(more, done());
}

std::string InterconnectJournal::done() const {
    std::string words;
    if (samples_ > 0) {
        words =
            fmt::format("{} were taken", counted(static_cast<std::int64_t>(samples_), "sample"));
    }
    if (windows_ == 0.0) return words.empty() ? "nothing was measured" : words;
    return fmt::format("{}{}{} of the soak {} complete", words, words.empty() ? "" : "; ",
                       counted(static_cast<std::int64_t>(windows_), "window"),
                       windows_ == 1.0 ? "is" : "are");
}

}  // namespace shardstone::command
