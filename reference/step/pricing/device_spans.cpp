// SPDX-License-Identifier: BSD-3-Clause
// What a device with a clock of its own was given, by when it used it.
#include "reference/step/pricing/device_spans.hpp"

#include <algorithm>
#include <limits>

namespace shardstone::reference {

namespace {

/// When a computation first used what each action gave, at once or by way of other communication;
/// infinite where none did.
std::vector<double> first_uses_s(const SharedList<Action>& actions,
                                 const std::vector<ActionSpan>& spans) {
    std::vector<double> first_s(actions.size(), std::numeric_limits<double>::infinity());
    for (std::size_t i = actions.size(); i-- > 0;) {
        const Action& action = actions[i];
        const double used_s = action.is_communication() ? first_s[i] : spans[i].begin_s;
        for (const std::size_t need : action.needs) {
            first_s[need] = std::min(first_s[need], used_s);
        }
    }
    return first_s;
}

}  // namespace

std::vector<ActionSpan> as_device_had_it(const SharedList<Action>& actions,
                                         const SharedList<ActionSpan>& noted) {
    std::vector<ActionSpan> spans;
    for (const ActionSpan& span : noted) spans.push_back(span);
    const auto used_s = first_uses_s(actions, spans);
    for (std::size_t i = 0; i < actions.size(); ++i) {
        if (!actions[i].is_communication()) continue;
        double had_s = used_s[i];
        for (const std::size_t need : actions[i].needs) {
            had_s = std::max(had_s, spans[need].end_s);
        }
        spans[i] = {std::min(spans[i].begin_s, had_s), std::min(spans[i].end_s, had_s)};
    }
    return spans;
}

}  // namespace shardstone::reference
