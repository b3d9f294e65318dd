// SPDX-License-Identifier: BSD-3-Clause
// Episodes of slow messages, of silence and of wrong data, with their times.
#include "validation/interconnect/episodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <initializer_list>
#include <limits>

#include "kernels/base/error.hpp"
#include "kernels/base/units.hpp"
#include "results/record/utc.hpp"
#include "validation/interconnect/interval_words.hpp"
#include "validation/interconnect/silences.hpp"
#include "validation/interconnect/silent_links.hpp"
#include "validation/interconnect/slow_episodes.hpp"

namespace shardstone::validation {

namespace {

/// Wrong data of one sender that are not further apart are one episode.
constexpr double apart_s = 60.0;

/// The sender's, since it is the first that had them.
std::vector<results::EpisodeRow> wrong_episodes(const InterconnectSamples& samples) {
    auto rows = samples.wrong;
    std::ranges::stable_sort(rows, [](const auto& one, const auto& other) {
        return std::pair(one.sender, one.unix_s) < std::pair(other.sender, other.unix_s);
    });
    std::vector<results::EpisodeRow> episodes;
    double sender = -1.0;
    for (const auto& row : rows) {
        const bool goes_on = row.sender == sender && !episodes.empty() &&
                             row.unix_s - episodes.back().end_unix_s < apart_s;
        if (!goes_on) {
            auto& episode = episodes.emplace_back(episode_of_rank(row.sender, samples.places));
            episode.fault = "wrong";
            episode.begin_unix_s = row.unix_s;
            episode.messages = 0.0;
        }
        episodes.back().end_unix_s = row.unix_s;
        episodes.back().messages += 1.0;
        sender = row.sender;
    }
    return episodes;
}

void require_below(double end, std::initializer_list<double> values, const char* what) {
    for (const double value : values) {
        require(value >= 0.0 && value < end, [&] {
            return fmt::format("{} {} in a record of a soak: it must be from 0 to below {}", what,
                               value, end);
        });
    }
}

/// The record may be of anybody.
void require_sound(const InterconnectSamples& samples) {
    constexpr double passes = 1e12, unix_s = 1e11;  // more than a soak can have, the year 5138
    const auto ranks = static_cast<double>(samples.places.size());
    for (const auto& row : samples.windows) {
        require_below(ranks, {row.sender, row.receiver}, "rank");
        require_below(passes, {row.first_pass, row.first_pass + row.passes}, "pass");
    }
    for (const auto& row : samples.slow) {
        require_below(ranks, {row.sender, row.receiver}, "rank");
        require_below(passes, {row.pass}, "pass");
        require_below(unix_s, {row.unix_s, row.unix_s + row.time_s}, "time");
    }
    for (const auto& row : samples.standstills) {
        require_below(ranks, {row.rank}, "rank");
        require_below(unix_s, {row.begin_unix_s, row.end_unix_s}, "time");
    }
    for (const auto& row : samples.waits) {
        require_below(ranks, {row.rank}, "rank");
        require_below(unix_s, {row.begin_unix_s, row.end_unix_s}, "time");
    }
    for (const auto& row : samples.wrong) {
        require_below(ranks, {row.sender}, "rank");
        require_below(unix_s, {row.unix_s}, "time");
    }
}

}  // namespace

std::vector<results::EpisodeRow> find_episodes(const InterconnectSamples& samples) {
    if (samples.windows.empty()) return {};
    require_sound(samples);
    auto all = slow_episodes(samples);
    for (const auto& more :
         {silent_ranks(samples), silent_links(samples), wrong_episodes(samples)}) {
        all.insert(all.end(), more.begin(), more.end());
    }
    for (auto& row : all) {
        row.begin = results::utc_text(static_cast<std::time_t>(std::floor(row.begin_unix_s)));
        row.end = results::utc_text(static_cast<std::time_t>(std::ceil(row.end_unix_s)));
    }
    std::ranges::stable_sort(all, {}, &results::EpisodeRow::begin_unix_s);
    return all;
}

bool may_explain(const Disturbance& seen, const results::EpisodeRow& episode) {
    if (episode.fault == "slow") return seen.may_explain(episode.slowdown - 1.0);
    const bool is_link = episode.fault == "silent" && !(episode.node >= 0.0);
    constexpr double beyond_bounds = std::numeric_limits<double>::infinity();
    return is_link && (is_want_of_a_core(episode) || seen.may_explain(beyond_bounds));
}

std::string in_words(const results::EpisodeRow& episode) {
    std::string words =
        fmt::format("{} was {} from {} for {}", episode.subject, episode.fault, episode.begin,
                    format_time(episode.end_unix_s - episode.begin_unix_s));
    if (episode.fault == "slow") {
        words += fmt::format(": messages of {} took {:.0f} % longer, odds {}",
                             format_size(static_cast<std::int64_t>(episode.size_bytes)),
                             100.0 * (episode.slowdown - 1.0), odds_in_words(episode.log10_odds));
    }
    if (episode.no_core_s > 0.0) {
        words += fmt::format(", while its ranks together had no core for {}",
                             format_time(episode.no_core_s));
    }
    if (episode.fault == "wrong") {
        words += fmt::format(": it sent {} that did not arrive so",
                             counted(static_cast<std::int64_t>(episode.messages), "message"));
    }
    return words;
}

}  // namespace shardstone::validation
