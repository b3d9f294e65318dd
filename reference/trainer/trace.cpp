// SPDX-License-Identifier: BSD-3-Clause
#include "reference/trainer/trace.hpp"

#include <fmt/format.h>

#include <iterator>

namespace shardstone::reference {

namespace {

/// "backward 3/1 unit 2": micro-batch 3 in the rank's chunk 1.
std::string label_of(const Action& action) {
    if (action.kind == Action::Kind::transfer) {
        constexpr const char* what[]{"gradients", "weights", "loss", "norm"};
        return fmt::format("{} {} [{}, {})", to_string(action.transfer.group),
                           what[static_cast<std::size_t>(action.transfer.what)],
                           action.transfer.range.first, action.transfer.range.end());
    }
    if (action.is_communication()) {
        return fmt::format("{} {} rank {}", to_string(action.kind),
                           action.message.gradient ? "gradient" : "stream", action.message.peer);
    }
    if (!action.is_pass()) return to_string(action.kind);
    return fmt::format("{} {}/{} unit {}", to_string(action.kind), action.micro_batch, action.chunk,
                       action.unit);
}

void append_event(std::string& out, int rank, const Action& action, const TraceEvent& event,
                  double origin_s) {
    const double begin_us = (event.begin_s - origin_s) * 1e6;
    const double end_us = (event.end_s - origin_s) * 1e6;
    const std::string label = label_of(action);
    const auto put = [&](const char* phase, double time_us, const std::string& rest) {
        fmt::format_to(std::back_inserter(out),
                       R"({{"name":"{}","cat":"{}","ph":"{}","pid":{},"tid":0,"ts":{:.3f}{}}},)"
                       "\n",
                       label, to_string(action.kind), phase, rank, time_us, rest);
    };
    if (action.is_communication()) {
        const std::string id = fmt::format(R"(,"id":"{}/{}")", rank, event.action);
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

std::string chrome_trace(const collectives::Communicator& communicator, const StepProgram& program,
                         std::span<const TraceEvent> events, double origin_s) {
    std::string own;
    for (const auto& event : events) {
        append_event(own, communicator.rank(), program.actions[event.action], event, origin_s);
    }
    own += row_name(communicator.rank());
    const auto all = communicator.gather(own);
    return communicator.is_root() ? fmt::format("[\n{}\n]\n", fmt::join(all, ",\n"))
                                  : std::string{};
}

}  // namespace shardstone::reference
