// SPDX-License-Identifier: BSD-3-Clause
// Nodes, their directions, and pairs, with the passes in which most of their messages were slow.
#include "validation/interconnect/soak_subjects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "validation/interconnect/components.hpp"
#include "validation/interconnect/findings.hpp"

namespace shardstone::validation {

namespace {

using Places = std::span<const results::RankPlaceRow>;

int node_of(Places places, int rank) {
    return static_cast<int>(places[static_cast<std::size_t>(rank)].node);
}

bool is_inside(Places places, int sender, int receiver) {
    return node_of(places, sender) == node_of(places, receiver);
}

/// The subjects of one kind with the numbers of their tests, which slow ones are held against.
class Counter {
  public:
    Counter(Places places, std::span<const std::pair<int, int>> tests,
            std::vector<SoakSubject> subjects)
        : places_(places),
          inside_(!subjects.empty() && subjects.front().kind == SoakKind::inside_node) {
        found_.subjects = std::move(subjects);
        found_.slow.resize(found_.subjects.size());
        own_.resize(found_.subjects.size());
        for (const auto& [sender, receiver] : tests) {
            comparable_ += is_comparable(sender, receiver) ? 1 : 0;
            auto& concerned = concerned_[{sender, receiver}];
            for (std::size_t i = 0; i < found_.subjects.size(); ++i) {
                if (!concerns(found_.subjects[i], sender, receiver, places_)) continue;
                concerned.push_back(i);
                ++own_[i];
            }
        }
    }

    /// All slow messages of one pass.
    void add(std::span<const SlowTest> of_pass) {
        std::map<std::size_t, std::int64_t> slow_own;
        std::int64_t slow = 0;
        for (const SlowTest& test : of_pass) {
            slow += is_comparable(test.sender, test.receiver) ? 1 : 0;
            const auto concerned = concerned_.find({test.sender, test.receiver});
            if (concerned == concerned_.end()) continue;  // its first window is not complete
            for (const std::size_t i : concerned->second) ++slow_own[i];
        }
        for (const auto& [i, own] : slow_own) {
            const std::int64_t others = comparable_ - own_[i];
            const bool others_are_well = others == 0 || 2 * (slow - own) < others;
            if (2 * own > own_[i] && others_are_well) {
                found_.slow[i].push_back(of_pass.front().pass);
            }
        }
    }

    SubjectsOfKind take() { return std::move(found_); }

  private:
    bool is_comparable(int sender, int receiver) const {
        return is_inside(places_, sender, receiver) == inside_;
    }

    Places places_;
    bool inside_;
    SubjectsOfKind found_;
    std::vector<std::int64_t> own_;  ///< tests of each subject
    std::int64_t comparable_ = 0;    ///< tests of all that are of its kind
    /// Numbers of the subjects that a test is one of; a million slow messages may be looked up.
    std::map<std::pair<int, int>, std::vector<std::size_t>> concerned_;
};

std::vector<std::vector<SoakSubject>> kinds_of(Places places,
                                               std::span<const std::pair<int, int>> tests) {
    std::set<int> nodes;
    std::vector<SoakSubject> between, inside;
    for (const auto& [sender, receiver] : tests) {
        const bool in_one = is_inside(places, sender, receiver);
        const SoakKind kind = in_one ? SoakKind::inside_node : SoakKind::between_nodes;
        (in_one ? inside : between).push_back({kind, -1, sender, receiver});
        if (!in_one) nodes.insert({node_of(places, sender), node_of(places, receiver)});
    }
    std::vector<std::vector<SoakSubject>> kinds;
    if (!between.empty()) kinds.push_back({SoakSubject{}});
    constexpr std::size_t least_nodes = 3;
    for (const SoakKind kind : {SoakKind::node, SoakKind::outgoing, SoakKind::incoming}) {
        if (nodes.size() < least_nodes) continue;
        auto& subjects = kinds.emplace_back();
        for (const int node : nodes) subjects.push_back({kind, node, -1, -1});
    }
    kinds.push_back(std::move(between));
    kinds.push_back(std::move(inside));
    return kinds;
}

}  // namespace

bool concerns(const SoakSubject& subject, int sender, int receiver, Places places) {
    const bool between = !is_inside(places, sender, receiver);
    switch (subject.kind) {
        case SoakKind::cluster:
            return between;
        case SoakKind::node:
            return between && (node_of(places, sender) == subject.node ||
                               node_of(places, receiver) == subject.node);
        case SoakKind::outgoing:
            return between && node_of(places, sender) == subject.node;
        case SoakKind::incoming:
            return between && node_of(places, receiver) == subject.node;
        case SoakKind::between_nodes:
        case SoakKind::inside_node:
            return sender == subject.sender && receiver == subject.receiver;
    }
    return false;
}

std::vector<SubjectsOfKind> soak_subjects(Places places, std::span<const std::pair<int, int>> tests,
                                          std::vector<SlowTest> slow) {
    std::ranges::stable_sort(slow, {}, &SlowTest::pass);
    std::vector<SubjectsOfKind> all;
    for (auto& subjects : kinds_of(places, tests)) {
        Counter counter(places, tests, std::move(subjects));
        for (auto begin = slow.begin(); begin != slow.end();) {
            const auto end = std::ranges::find_if(
                begin, slow.end(), [&](const SlowTest& test) { return test.pass != begin->pass; });
            counter.add({begin, end});
            begin = end;
        }
        all.push_back(counter.take());
    }
    return all;
}

bool includes(const SoakSubject& whole, const SoakSubject& part, Places places) {
    if (part.kind == SoakKind::inside_node || whole.kind == SoakKind::inside_node) return false;
    if (whole.kind >= part.kind) return false;
    if (part.kind == SoakKind::between_nodes) {
        return concerns(whole, part.sender, part.receiver, places);
    }
    return whole.kind == SoakKind::cluster ||
           (whole.kind == SoakKind::node && whole.node == part.node);
}

std::string name_of(const SoakSubject& subject, const std::vector<results::RankPlaceRow>& places) {
    const auto node = [&] {
        const auto place = std::ranges::find(places, subject.node, &results::RankPlaceRow::node);
        return name_of_node(subject.node, place->host);
    };
    switch (subject.kind) {
        case SoakKind::cluster:
            return "most of the cluster";
        case SoakKind::node:
            return node();
        case SoakKind::outgoing:
            return node() + ", outgoing";
        case SoakKind::incoming:
            return node() + ", incoming";
        case SoakKind::between_nodes:
        case SoakKind::inside_node:
            return fmt::format("{} to {}", name_of_rank(subject.sender, places),
                               name_of_rank(subject.receiver, places));
    }
    return "";
}

}  // namespace shardstone::validation
