// SPDX-License-Identifier: BSD-3-Clause
// A rival's all-reduce is timed on vectors just written, and a wrong sum fails its program.
#include "benchmarks/collectives/rivals/contender.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <fstream>
#include <nlohmann/json.hpp>

#include "kernels/base/error.hpp"
#include "validation/unit/benchmarks/collectives/rivals/team_of_threads.hpp"

namespace shardstone::rivals {
namespace {

constexpr int size = 2;

/// What the members of a team of threads share.
struct Board {
    std::array<float*, size> vectors{};
    std::barrier<> all{size};
};

/// Sums through the board; with `forgets_last` not set, also the last element.
class SumOnBoard : public Contender {
  public:
    SumOnBoard(Board& board, int rank, bool forgets_last)
        : board_(board), rank_(static_cast<std::size_t>(rank)), forgets_last_(forgets_last) {}

    std::string version() const override { return "planted"; }

    std::shared_ptr<float> prepare(std::int64_t count) override {
        vector_ = ordinary_vector(count);
        count_ = count - (forgets_last_ ? 1 : 0);
        board_.vectors[rank_] = vector_.get();
        board_.all.arrive_and_wait();
        return vector_;
    }

    void run() override {
        board_.all.arrive_and_wait();
        std::vector<float> sums(static_cast<std::size_t>(count_));
        for (std::size_t i = 0; i < sums.size(); ++i) {
            sums[i] = board_.vectors[0][i] + board_.vectors[1][i];
        }
        board_.all.arrive_and_wait();
        std::ranges::copy(sums, vector_.get());
    }

  private:
    Board& board_;
    std::size_t rank_;
    bool forgets_last_;
    std::int64_t count_ = 0;
    std::shared_ptr<float> vector_;
};

/// Exit code and wrong elements at each of two sizes.
struct Outcome {
    int code = -1;
    nlohmann::json result;
};

Outcome compete_on_threads(bool forgets_last) {
    Board board;
    Outcome outcome;
    run_team(size, [&](const std::string& folder, Extent place) {
        SumOnBoard contender(board, place.rank, forgets_last);
        const int code = compete({folder, 0.001, "-", {64, 4096}}, place, contender);
        if (place.rank != 0) return;
        outcome.code = code;
        std::ifstream(folder + "/result.json") >> outcome.result;
    });
    return outcome;
}

TEST(Compete, WritesEverySampleAndPasses) {
    const Outcome outcome = compete_on_threads(false);
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.result["version"], "planted");
    ASSERT_EQ(outcome.result["points"].size(), 2U);
    EXPECT_EQ(outcome.result["points"][1]["size_bytes"], 4096);
    EXPECT_EQ(outcome.result["points"][1]["wrong_elements"], 0.0);
    EXPECT_GE(outcome.result["points"][1]["samples_s"].size(), 10U);
    EXPECT_EQ(outcome.result["points"][1]["round_trips_s"].size(),
              outcome.result["points"][1]["samples_s"].size());
}

/// Leaves a mark in the vector, and counts the runs that find it there.
class Marks : public Contender {
  public:
    std::string version() const override { return "marks"; }
    bool sums() const override { return !bounds_; }
    std::shared_ptr<float> prepare(std::int64_t count) override {
        return vector_ = ordinary_vector(count);
    }
    void run() override {
        ++runs;
        marked += vector_.get()[0] == mark;
        vector_.get()[0] = mark;
    }
    explicit Marks(bool bounds) : bounds_(bounds) {}

    int runs = 0, marked = 0;

  private:
    static constexpr float mark = -7.0F;
    bool bounds_;
    std::shared_ptr<float> vector_;
};

TEST(Compete, EveryRunFindsAVectorJustWritten) {
    for (const bool bounds : {false, true}) {
        run_team(1, [&](const std::string& folder, Extent place) {
            Marks contender(bounds);
            compete({folder, 0.001, "-", {64}}, place, contender);
            EXPECT_GE(contender.runs, 11);
            // What bounds the others keeps its memory to itself.
            EXPECT_EQ(contender.marked, bounds ? contender.runs - 1 : 0);
        });
    }
}

TEST(Compete, FindsAPlantedWrongElement) {
    const Outcome outcome = compete_on_threads(true);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(outcome.result["points"][0]["wrong_elements"], 1.0);
}

TEST(Request, RefusesWhatItCannotUnderstand) {
    const auto parse = [](std::vector<std::string> words) {
        std::vector<char*> pointers;
        for (std::string& word : words) pointers.push_back(word.data());
        return Request::parse(static_cast<int>(pointers.size()), pointers.data());
    };
    EXPECT_EQ(parse({"x", "/f", "0.5", "ring", "4", "2M"}).sizes_bytes,
              (std::vector<std::int64_t>{4, 2 << 20}));
    EXPECT_THROW(parse({"x", "/f", "0.5", "ring"}), Error);
    EXPECT_THROW(parse({"x", "/f", "0.5", "ring", "6"}), Error);
    EXPECT_THROW(parse({"x", "/f", "0.5", "ring", "four"}), Error);
}

}  // namespace
}  // namespace shardstone::rivals
