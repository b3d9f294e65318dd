// SPDX-License-Identifier: BSD-3-Clause
// The text of sbatch scripts, to the letter.
#include "jobs/submit/script.hpp"

#include <gtest/gtest.h>

#include "jobs/submit/slurm.hpp"
#include "validation/unit/jobs/submit/examples.hpp"

namespace shardstone::submit {
namespace {

constexpr const char* expected_array = R"(#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# small: a small study
# The points on 8 ranks, one per task of an array.
# Written by `shardstone submit small --site place`.
#SBATCH --job-name=small.0123abcd.ranks-8
#SBATCH --array=0,2-3
#SBATCH --partition=main
#SBATCH --nodes=2
#SBATCH --ntasks=8
#SBATCH --ntasks-per-node=4
#SBATCH --cpus-per-task=2
#SBATCH --gres=gpu:4
#SBATCH --time=7
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=/runs/small/logs/ranks-8.%A_%a.log

set -uo pipefail

fail() {
    echo "shardstone submit: $*" >&2
    exit 2
}

export UCX_TLS='tcp,self'

shardstone=/bin/stone
folder=/runs/small
[ -x "$shardstone" ] || fail "there is no program $shardstone on $HOSTNAME"

# A point counts once its record is there and verified, and the code with which its run ended;
# anything else is run anew.
is_done() { # FOLDER
    [ -s "$1/exit_code" ] && [ -e "$1/record.json" ] &&
        "$shardstone" verify "$1/record.json" >/dev/null 2>&1
}

run_point() { # INDEX; sets the folder $to
    local point launch arguments code
    case $(($1 % 2)) in
    0)
        point=ranks-8_plan-dp-8
)";

constexpr const char* expected_point = R"(    1)
        point=ranks-8_plan-dp-4-tp-2
        launch=(srun --nodes=2 --ntasks=8 --ntasks-per-node=4 --cpus-per-task=2 --gres=gpu:4 --cpu-bind=cores --distribution=block:block --mpi=pmi2)
        arguments=(train --global-batch 16 --model nano --plan 'dp=4,tp=2' --steps 3)
        ;;
    esac
    point+=_run-$(($1 / 2 + 1))
    to=$folder/points/$point
)";

TEST(Script, OfAnArray) {
    const std::string text = array_script(small_plan(), 8, {0, 2, 3});
    EXPECT_EQ(text.substr(0, std::string(expected_array).size()), expected_array);
    EXPECT_NE(text.find(expected_point), std::string::npos) << text;
    EXPECT_NE(text.find("\nrun_point \"$SLURM_ARRAY_TASK_ID\"\n"), std::string::npos) << text;
    EXPECT_TRUE(text.ends_with("[ \"$code\" -ne 130 ] || sleep 300\nexit \"$code\"\n")) << text;
}

TEST(Script, OneAtATimeAndModules) {
    const std::string site = with(small_site, "binding",
                                  "at_once = 1\nexclusive = true\nmodules = [\"gcc/12\"]\nbinding");
    const std::string text = array_script(small_plan(small_study, site), 4, {1});
    EXPECT_NE(text.find("#SBATCH --array=1%1\n"), std::string::npos);
    EXPECT_NE(text.find("#SBATCH --exclusive\n"), std::string::npos);
    EXPECT_NE(text.find("\nmodule load gcc/12 || fail 'module '\\''gcc/12'\\'' cannot be loaded: "
                        "correct '\\''modules'\\'' of site place'\n"),
              std::string::npos)
        << text;
}

// The smallest point comes first, and all have to fit: 12 runs of 7 minutes, and the report.
TEST(Script, OfOneAllocationHasRoomForEveryPoint) {
    const std::string study =
        with(with(small_study, "[4, 8]", "[2, 3, 4]"), "\"dp={ranks/2},tp=2\"", "\"tp={ranks}\"");
    const std::string text = plain_script(small_plan(study));
    for (const char* words :
         {"#SBATCH --nodes=1\n#SBATCH --ntasks=4\n#SBATCH --ntasks-per-node=4\n"
          "#SBATCH --cpus-per-task=2\n#SBATCH --gres=gpu:4\n",
          "#SBATCH --time=94\n",
          "srun --nodes=1 --ntasks=2 --ntasks-per-node=2 --cpus-per-task=2 --gres=gpu:2 ",
          "    timeout --foreground --kill-after=10 7m \\\n        \"${launch[@]}\" "}) {
        EXPECT_NE(text.find(words), std::string::npos) << words << text;
    }
}

TEST(Script, RangesNameEveryIndexOnce) {
    EXPECT_EQ(ranges_of({0}), "0");
    EXPECT_EQ(ranges_of({0, 1}), "0-1");
    EXPECT_EQ(ranges_of({0, 2, 3, 4, 9, 11, 12}), "0,2-4,9,11-12");
}

TEST(Script, SubmissionsAreOfWhatIsToRun) {
    const Plan plan = small_plan();
    std::vector<PointState> states;
    for (const Point& point : plan.points) states.push_back({point, State::done, ""});
    EXPECT_TRUE(submissions_of(plan, states).empty());
    states[1].state = State::queued;
    states[4].state = State::failed;
    states[7].state = State::missing;
    const auto submissions = submissions_of(plan, states);
    ASSERT_EQ(submissions.size(), 2U);
    EXPECT_EQ(submissions[0].what, "8 ranks: 2 of 4 points (tasks 0,3)");
    EXPECT_EQ(submissions[0].text, array_script(plan, 8, {0, 3}));
    EXPECT_EQ(submissions[1].script, "report.sbatch");
}

}  // namespace
}  // namespace shardstone::submit
