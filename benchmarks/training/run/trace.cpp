// SPDX-License-Identifier: BSD-3-Clause
// Begin and end of every rank's actions are gathered: as a Chrome trace, or as spans of a step.
#include "benchmarks/training/run/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include "reference/step/drawing/words.hpp"

namespace shardstone::benchmarks {

namespace {

using namespace reference;

std::string label_of(const Action& action) {
    if (!action.is_pass()) return words_of(action);
    const std::string words = fmt::format("{}, unit {}", words_of(action), action.unit);
    if (action.begins_pass() && action.ends_pass) return words;
    return fmt::format("{}, phases [{}, {})", words, action.phases.first, action.phases.end());
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

/// Begin and end of every action of one step, in the order of the program.
std::vector<ActionSpan> spans_of_step(std::size_t actions, std::span<const TraceEvent> events,
                                      std::int64_t step, double origin_s) {
    std::vector<ActionSpan> spans(actions);
    for (const TraceEvent& event : events) {
        if (event.step != step) continue;
        spans[event.action] = {event.begin_s - origin_s, event.end_s - origin_s};
    }
    return spans;
}

/// What every rank has, on rank 0.
template <class Item>
std::vector<std::vector<Item>> of_all_ranks(const collectives::Communicator& communicator,
                                            const std::vector<Item>& own) {
    const std::string packed(reinterpret_cast<const char*>(own.data()), own.size() * sizeof(Item));
    std::vector<std::vector<Item>> all;
    for (const std::string& bytes : communicator.gather(packed)) {
        auto& items = all.emplace_back(bytes.size() / sizeof(Item));
        if (!bytes.empty()) std::memcpy(items.data(), bytes.data(), bytes.size());
    }
    return all;
}

void move_earlier(std::vector<ActionSpan>& spans, double by_s) {
    for (ActionSpan& span : spans) span = {span.begin_s - by_s, span.end_s - by_s};
}

double first_begin_s(const std::vector<std::vector<ActionSpan>>& all) {
    double first_s = std::numeric_limits<double>::infinity();
    for (const auto& spans : all) {
        for (const ActionSpan& span : spans) first_s = std::min(first_s, span.begin_s);
    }
    return first_s;
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

StepSpans measured_spans(const collectives::Communicator& communicator, const StepProgram& program,
                         std::span<const TraceEvent> events, std::int64_t step, double origin_s) {
    auto all =
        of_all_ranks(communicator, spans_of_step(program.actions.size(), events, step, origin_s));
    const double first_s = first_begin_s(all);
    for (auto& spans : all) move_earlier(spans, first_s);
    return {all.begin(), all.end()};
}

MeasuredStep measured_step(const collectives::Communicator& communicator,
                           const StepProgram& program, std::span<const TraceEvent> events,
                           const RankWaits& waits, std::int64_t step, double origin_s) {
    std::vector<ActionSpan> looks{{waits.begin_s, waits.end_s}};  // the step itself, then its looks
    looks.insert(looks.end(), waits.late_looks.begin(), waits.late_looks.end());
    move_earlier(looks, origin_s);
    auto spans =
        of_all_ranks(communicator, spans_of_step(program.actions.size(), events, step, origin_s));
    auto all_looks = of_all_ranks(communicator, looks);
    auto computations = of_all_ranks(communicator, waits.computations);
    const double first_s = first_begin_s(spans);
    MeasuredStep measured;
    for (std::size_t rank = 0; rank < spans.size(); ++rank) {
        move_earlier(spans[rank], first_s);
        move_earlier(all_looks[rank], first_s);
        const auto [begin_s, end_s] = all_looks[rank].front();
        measured.waits.push_back({begin_s,
                                  end_s,
                                  std::move(computations[rank]),
                                  {all_looks[rank].begin() + 1, all_looks[rank].end()}});
    }
    measured.spans = StepSpans(spans.begin(), spans.end());
    return measured;
}

}  // namespace shardstone::benchmarks
