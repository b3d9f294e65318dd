// SPDX-License-Identifier: BSD-3-Clause
// Plants one fault in a step program: an action repeated, moved, changed or no longer waited for.
#include "validation/unit/reference/step/spoiler.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace shardstone::validation {

using namespace reference;
using Kind = Action::Kind;

StepProgram Spoiler::spoilt() const {
    StepProgram spoilt = program_;
    spoilt.actions = actions_;
    return spoilt;
}

std::size_t Spoiler::find(const Test& test, int number) const {
    for (std::size_t i = 0; i < actions_.size(); ++i) {
        if (test(actions_[i]) && number-- == 0) return i;
    }
    throw std::logic_error("there is no such action to be spoilt");
}

void Spoiler::insert(std::size_t position, Action action) {
    for (Action& other : actions_) {
        for (std::size_t& need : other.needs) need += need >= position ? 1 : 0;
    }
    actions_.insert(actions_.begin() + static_cast<std::ptrdiff_t>(position), std::move(action));
}

void Spoiler::erase(std::size_t position) {
    actions_.erase(actions_.begin() + static_cast<std::ptrdiff_t>(position));
    for (Action& action : actions_) {
        std::erase(action.needs, position);
        for (std::size_t& need : action.needs) need -= need > position ? 1 : 0;
    }
}

void Spoiler::repeat(const Test& test, int number) {
    const std::size_t position = find(test, number);
    insert(position + 1, at(position));
}

void Spoiler::move(std::size_t from, std::size_t to) {
    insert(to, {});
    const std::size_t old = from + (to <= from ? 1 : 0);
    at(to) = at(old);
    for (std::size_t i = 0; i < actions_.size(); ++i) {
        std::ranges::replace(at(i).needs, old, to);
        std::erase_if(at(i).needs, [i](std::size_t need) { return need >= i; });
    }
    erase(old);
}

void Spoiler::forget(const Test& test, int number) {
    const std::size_t position = find(test, number);
    for (Action& action : actions_) std::erase(action.needs, position);
}

void Spoiler::replace(const std::function<void(StepSpec&)>& change) {
    StepSpec other = spec_;
    change(other);
    *this = Spoiler(spec_, rank_, step_program(other, rank_));
}

void Spoiler::change(const Test& test, const std::function<void(Action&)>& how) {
    for (Action& action : actions_) {
        if (test(action)) how(action);
    }
}

Range Spoiler::group(ParameterGroup::Kind kind, std::int64_t layer) const {
    const ParameterLayout layout(spec_.model, part_of(spec_, rank_));
    const ParameterGroup& group = layout.groups()[layout.group_index(kind, layer)];
    return {group.first, group.count};
}

Spoiler::Test pass(Kind kind, std::int64_t micro_batch, int unit) {
    return [=](const Action& a) {
        return a.kind == kind && a.micro_batch == micro_batch && a.unit == unit;
    };
}

Spoiler::Test message(Kind kind, std::int64_t micro_batch, bool gradient) {
    return [=](const Action& a) {
        return a.kind == kind && a.micro_batch == micro_batch && a.message.gradient == gradient;
    };
}

Spoiler::Test transfer(GroupTransfer::What what, GroupKind group) {
    return [=](const Action& a) {
        return a.kind == Kind::transfer && a.transfer.what == what && a.transfer.group == group;
    };
}

Spoiler::Test transfer(GroupTransfer::What what, GroupKind group, Range range) {
    return [=, of_group = transfer(what, group)](const Action& a) {
        const Range& moved = a.transfer.range;
        return of_group(a) && moved.first < range.end() && range.first < moved.end();
    };
}

Spoiler::Test of_kind(Kind kind) {
    return [=](const Action& a) { return a.kind == kind; };
}

}  // namespace shardstone::validation
