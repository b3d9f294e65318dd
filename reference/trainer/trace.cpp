// SPDX-License-Identifier: BSD-3-Clause
#include "reference/trainer/trace.hpp"

#include <fmt/format.h>

#include <iterator>

namespace shardstone::reference {

namespace {

void append_event(std::string& out, int rank, const TraceEvent& event, double origin_s) {
    const double begin_us = (event.begin_s - origin_s) * 1e6;
    const double end_us = (event.end_s - origin_s) * 1e6;
    const auto put = [&](const char* phase, double time_us, const std::string& rest) {
        fmt::format_to(std::back_inserter(out),
                       R"({{"name":"{} {}","cat":"{}","ph":"{}","pid":{},"tid":0,"ts":{:.3f}{}}},)"
                       "\n",
                       event.what, event.index, event.what, phase, rank, time_us, rest);
    };
    if (event.in_flight) {
        const std::string id = fmt::format(R"(,"id":"{}/{}")", rank, event.index);
        put("b", begin_us, id);
        put("e", end_us, id);
    } else {
        put("X", begin_us, fmt::format(R"(,"dur":{:.3f})", end_us - begin_us));
    }
}

std::string row_name(int rank) {
    return fmt::format(R"({{"name":"process_name","ph":"M","pid":{},"args":{{"name":"rank {}"}}}})",
                       rank, rank);
}

}  // namespace

std::string chrome_trace(const collectives::Communicator& communicator,
                         std::span<const TraceEvent> events, double origin_s) {
    std::string own;
    for (const auto& event : events) append_event(own, communicator.rank(), event, origin_s);
    own += row_name(communicator.rank());
    const auto all = communicator.gather(own);
    return communicator.is_root() ? fmt::format("[\n{}\n]\n", fmt::join(all, ",\n"))
                                  : std::string{};
}

}  // namespace shardstone::reference
