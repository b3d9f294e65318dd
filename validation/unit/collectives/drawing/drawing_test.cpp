// SPDX-License-Identifier: BSD-3-Clause
// Drawings as other programs see them: XML for a strict parser, one arrow per message, all of it
// within the card, the same bytes every time.
#include "collectives/drawing/drawing.hpp"

#include <gtest/gtest.h>

#include <regex>

#include "collectives/drawing/messages.hpp"
#include "collectives/drawing/svg.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/markup.hpp"
#include "validation/unit/reference/data/scratch_folder.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::collectives;

/// Whether Python's expat, which takes nothing that is not well-formed, reads it.
bool is_xml(const std::string& text) {
    const ScratchFolder folder;
    const auto file = folder.write("drawing.svg", text);
    const std::string command =
        "python3 -c 'import sys, xml.etree.ElementTree as t; t.parse(sys.argv[1])' " +
        file.string() + " 2> /dev/null";
    return std::system(command.c_str()) == 0;
}

std::size_t occurrences(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

template <class Visit>
void for_each_drawable(Visit&& visit) {
    for (const std::string& operation : operations()) {
        for (const std::string& name : algorithms_for(operation)) {
            const Algorithm algorithm = find_algorithm(operation, name);
            if (algorithm.has_schedule()) visit(algorithm);
        }
    }
}

TEST(Drawing, EveryAlgorithmIsXmlWithAnArrowPerMessage) {
    std::string all = "<all>";
    for_each_drawable([&](const Algorithm& algorithm) {
        for (const int size : {1, 2, 5, 8}) {
            const Topology topology = Topology::blocked(size, 3);
            const std::string svg = draw(algorithm, topology);
            const auto messages = messages_of(make_schedule(algorithm, topology));
            EXPECT_EQ(occurrences(svg, "<title>step "), messages.size())
                << algorithm.operation->name << " " << algorithm.name << " on " << size;
            all += svg;
        }
    });
    EXPECT_TRUE(is_xml(all + "</all>"));
}

TEST(Drawing, TheParserSeesWhatIsNoXml) {
    EXPECT_FALSE(is_xml("<all>P & p</all>"));
    EXPECT_FALSE(is_xml("<all>p <= P</all>"));
    EXPECT_TRUE(is_xml("<all>" + escape_markup("P & p <= \"P\"") + "</all>"));
}

TEST(Drawing, StaysOnTheCard) {
    for (const int size : {2, 7, 64}) {
        const std::string svg =
            draw(find_algorithm("all_reduce", "rabenseifner"), Topology::blocked(size, 8));
        std::smatch card;
        ASSERT_TRUE(std::regex_search(svg, card, std::regex("viewBox=\"0 0 (\\d+) (\\d+)\"")));
        const std::regex path("d=\"M(\\d+) (\\d+)L(\\d+) (\\d+)\"");
        for (auto it = std::sregex_iterator(svg.begin(), svg.end(), path);
             it != std::sregex_iterator(); ++it) {
            EXPECT_LT(std::stoi((*it)[3]), std::stoi(card[1]));
            EXPECT_LT(std::max(std::stoi((*it)[2]), std::stoi((*it)[4])), std::stoi(card[2]));
        }
    }
}

TEST(Drawing, TellsLinksAndReductionsApart) {
    const auto count = [](const std::string& svg, const char* kind) {
        return occurrences(svg, std::string("class=\"") + kind + "\" d=\"M");
    };
    const std::string svg = draw(find_algorithm("all_reduce", "hierarchical:ring/rabenseifner"),
                                 Topology::blocked(8, 4));
    // Rings of 4 inside 2 nodes, 3 steps each way, then pairs; each has a sample in the legend.
    EXPECT_EQ(count(svg, "ir"), 24U + 1);
    EXPECT_EQ(count(svg, "ip"), 24U + 1);
    EXPECT_EQ(count(svg, "br"), 8U + 1);
    EXPECT_EQ(count(svg, "bp"), 8U + 1);
    const std::string flat =
        draw(find_algorithm("broadcast", "binomial_tree"), Topology::one_node(8));
    EXPECT_EQ(count(flat, "ip"), 7U + 1);
    EXPECT_EQ(count(flat, "br"), 0U);
}

TEST(Drawing, SaysWhatTheAlgorithmSays) {
    const Algorithm ring = find_algorithm("all_reduce", "ring");
    const std::string svg = draw(ring, Topology::one_node(8));
    for (const char* words :
         {"all-reduce: ring", "14 = 2 (P - 1)", "1.75 vectors", "reduce-scatter",
          "T = 14 α + 1.75 n β + 0.875 n γ", "Patarasuk and Yuan 2009"}) {
        EXPECT_NE(svg.find(words), std::string::npos) << words;
    }
    EXPECT_EQ(svg, draw(ring, Topology::one_node(8)));
}

TEST(Drawing, SegmentsComeOneAfterTheOther) {
    const Algorithm tree = find_algorithm("all_reduce", "double_binary_tree");
    const std::string svg = draw(tree, Topology::one_node(8), 3);
    EXPECT_NE(svg.find(">7</text>"), std::string::npos) << "6 steps and 2 more";
    EXPECT_EQ(occurrences(svg, "<title>step "),
              3 * messages_of(make_schedule(tree, Topology::one_node(8))).size());
}

std::string refusal(const Algorithm& algorithm, const Topology& topology, int segments = 1) {
    try {
        draw(algorithm, topology, segments);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(Drawing, RefusesWhatCannotBeDrawn) {
    const Algorithm ring = find_algorithm("all_reduce", "ring");
    EXPECT_NE(refusal(find_algorithm("all_reduce", "mpi"), Topology::one_node(2)).find("'mpi'"),
              std::string::npos);
    EXPECT_NE(refusal(ring, Topology::one_node(129)).find("129"), std::string::npos);
    EXPECT_NE(refusal(ring, Topology::one_node(2), 0).find("0 segments"), std::string::npos);
}

TEST(WrappedLines, CountCharactersNotBytes) {
    EXPECT_EQ(wrapped_lines("αβ γδ ε", 5), (std::vector<std::string>{"αβ γδ", "ε"}));
    EXPECT_EQ(wrapped_lines("a  word-too-long b", 5),
              (std::vector<std::string>{"a", "word-too-long", "b"}));
}

}  // namespace
}  // namespace shardstone::validation
