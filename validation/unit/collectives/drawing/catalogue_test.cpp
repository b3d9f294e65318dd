// SPDX-License-Identifier: BSD-3-Clause
// The table of algorithms in the docs is the one that the registry gives now.
#include "collectives/drawing/catalogue.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "validation/unit/reference/data/scratch_folder.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::collectives;

const std::filesystem::path reference = std::filesystem::path(SHARDSTONE_SOURCE_DIR) / "reference";

/// Only whether: a difference of two long texts would drown the message.
bool is_current(const std::filesystem::path& file, const std::string& made_now) {
    return read_text(file) == made_now;
}

std::string advice(const std::string& file) {
    return "reference/" + file + " is not what the algorithms give now: run `" + catalogue_command +
           "` in the root of the repository and commit what it writes";
}

TEST(Catalogue, TableIsCurrent) {
    EXPECT_TRUE(is_current(reference / catalogue_file, catalogue())) << advice(catalogue_file);
}

TEST(Catalogue, PicturesAreCurrentAndSmall) {
    const std::string table = catalogue();
    std::set<std::string> names;
    for (const CatalogueFigure& figure : catalogue_figures()) {
        const std::string name = std::string(figures_folder) + "/" + figure.file_name;
        EXPECT_TRUE(is_current(reference / name, figure.svg)) << advice(name);
        EXPECT_LT(figure.svg.size(), 40000U) << name;
        EXPECT_NE(table.find("](" + name + ")"), std::string::npos) << name;
        names.insert(figure.file_name);
    }
    for (const auto& file : std::filesystem::directory_iterator(reference / figures_folder)) {
        EXPECT_TRUE(names.contains(file.path().filename().string()))
            << file.path() << " is in no table: delete it";
    }
}

TEST(Catalogue, AStaleTableIsSeen) {
    const ScratchFolder folder;
    EXPECT_TRUE(is_current(folder.write("now.md", "| ring |"), "| ring |"));
    EXPECT_FALSE(is_current(folder.write("stale.md", "| ring |"), "| ring |\n| swing |"));
    EXPECT_FALSE(is_current(folder.path() / "missing.md", "| ring |"));
}

TEST(Catalogue, HasEveryPair) {
    const std::string table = catalogue();
    for (const std::string& operation : operations()) {
        for (const std::string& name : algorithms_for(operation)) {
            std::string shown;
            for (const char c : name) shown += c == '_' ? std::string("\\_") : std::string(1, c);
            EXPECT_NE(table.find("| **" + shown + "**: "), std::string::npos) << name;
        }
    }
}

TEST(DrawingName, HasNothingThatMeansAFolder) {
    EXPECT_EQ(drawing_name(find_algorithm("all_reduce", "hierarchical:ring/ring"), 8),
              "hierarchical-ring-ring-8.svg");
}

}  // namespace
}  // namespace shardstone::validation
