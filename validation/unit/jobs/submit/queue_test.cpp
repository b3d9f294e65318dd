// SPDX-License-Identifier: BSD-3-Clause
// What squeue prints becomes the state of points; what sbatch refuses becomes one line.
#include "jobs/submit/queue.hpp"

#include <gtest/gtest.h>

#include "jobs/submit/slurm.hpp"
#include "validation/unit/jobs/submit/examples.hpp"

namespace shardstone::submit {
namespace {

std::set<std::string> ids_of(const Plan& plan) {
    std::set<std::string> ids;
    for (const Point& point : plan.points) ids.insert(point.id);
    return ids;
}

TEST(Queue, TasksArePointsByNameAndIndex) {
    const Queue queue = parse_queue(
        small_plan(),
        "71_0|small.0123abcd.ranks-4|RUNNING|None\n"
        "71_3|small.0123abcd.ranks-4|PENDING|JobArrayTaskLimit\n"
        "72_3|small.0123abcd.ranks-8|COMPLETING|None\n"
        "72_2|small.0123abcd.ranks-8|NODE_FAIL|None\n"
        "73|small.0123abcd.report|PENDING|Dependency\n"
        "74_1|small.ffffffff.ranks-4|RUNNING|None\n"  // the same study in another folder
        "75_1|other.0123abcd.ranks-4|RUNNING|None\n"
        "76_9|small.0123abcd.ranks-4|RUNNING|None\n"  // no such task
        "77|small.0123abcd.ranks-4|RUNNING|None\nnonsense\n");
    ASSERT_EQ(queue.points.size(), 4U);
    const QueueEntry& running = queue.points.at("ranks-4_plan-dp-4_run-1");
    EXPECT_EQ(running.stage, QueueEntry::Stage::running);
    EXPECT_EQ(running.job, "71_0");
    const QueueEntry& waiting = queue.points.at("ranks-4_plan-dp-2-tp-2_run-2");
    EXPECT_EQ(waiting.stage, QueueEntry::Stage::waiting);
    EXPECT_EQ(waiting.word, "PENDING (JobArrayTaskLimit)");
    EXPECT_TRUE(queue.points.at("ranks-8_plan-dp-4-tp-2_run-2").active());
    EXPECT_FALSE(queue.points.at("ranks-8_plan-dp-8_run-2").active());
    ASSERT_EQ(queue.reports.size(), 1U);
    EXPECT_EQ(queue.active_jobs(ids_of(small_plan())), (std::vector<std::string>{"71", "72"}));
    EXPECT_FALSE(queue.reports.front().will_begin());
}

TEST(Queue, TheActiveJobOfAPointOutweighsTheLater) {
    const std::string ended = "90_0|small.0123abcd.ranks-4|TIMEOUT|None\n";
    const std::string active = "71_0|small.0123abcd.ranks-4|REQUEUED|None\n";
    for (const std::string& lines : {ended + active, active + ended}) {
        const Queue queue = parse_queue(small_plan(), lines);
        EXPECT_EQ(queue.points.at("ranks-4_plan-dp-4_run-1").job, "71_0");
    }
    const std::string before = "71_0|small.0123abcd.ranks-4|CANCELLED|None\n";
    for (const std::string& lines : {ended + before, before + ended}) {
        const Queue queue = parse_queue(small_plan(), lines);
        EXPECT_EQ(queue.points.at("ranks-4_plan-dp-4_run-1").word, "TIMEOUT");
    }
}

// As after a controller's failed launch: the array does not end before somebody releases the task.
TEST(Queue, AHeldTaskOfAPointThatIsDoneIsNotWaitedFor) {
    const Plan plan = small_plan();
    const Queue queue =
        parse_queue(plan,
                    "71_0|small.0123abcd.ranks-4|PENDING|launch failed requeued held\n"
                    "71_3|small.0123abcd.ranks-4|RUNNING|None\n"
                    "72_0|small.0123abcd.ranks-8|PENDING|ReqNodeNotAvail, UnavailableNodes:field1\n"
                    "72_1|small.0123abcd.ranks-8|PENDING|JobHeldAdmin\n"
                    "72_2|small.0123abcd.ranks-8|REQUEUE_HOLD|None\n");
    const QueueEntry& held = queue.points.at("ranks-4_plan-dp-4_run-1");
    EXPECT_TRUE(held.held());
    EXPECT_EQ(
        held.words(),
        "job 71_0 PENDING (launch failed requeued held): 'scontrol release 71_0' lets it run");
    EXPECT_FALSE(held.will_begin());
    EXPECT_FALSE(queue.points.at("ranks-8_plan-dp-8_run-1").held());
    EXPECT_TRUE(queue.points.at("ranks-8_plan-dp-4-tp-2_run-1").held());
    EXPECT_TRUE(queue.points.at("ranks-8_plan-dp-8_run-2").held());
    EXPECT_TRUE(queue.points.at("ranks-8_plan-dp-8_run-1").will_begin());
    EXPECT_EQ(queue.active_jobs(ids_of(plan)), (std::vector<std::string>{"71", "72"}));
    auto others = ids_of(plan);
    others.erase("ranks-4_plan-dp-4_run-1");
    EXPECT_EQ(queue.active_jobs(others), (std::vector<std::string>{"71_3", "72"}));
}

TEST(Queue, AnArrayCancelledAsAWholeIsThatOfItsPoints) {
    const std::string whole = "8|small.0123abcd.ranks-4|CANCELLED|None\n";
    const std::string task = "8_0|small.0123abcd.ranks-4|TIMEOUT|None\n";
    const std::string before = "7_1|small.0123abcd.ranks-4|TIMEOUT|None\n";
    for (const std::string& lines : {whole + task + before, before + task + whole}) {
        const Queue queue = parse_queue(small_plan(), lines);
        ASSERT_EQ(queue.points.size(), 4U) << "none on 8 ranks";
        EXPECT_EQ(queue.points.at("ranks-4_plan-dp-4_run-1").word, "TIMEOUT");
        EXPECT_EQ(queue.points.at("ranks-4_plan-dp-2-tp-2_run-1").job, "8");
        EXPECT_EQ(queue.points.at("ranks-4_plan-dp-2-tp-2_run-1").word, "CANCELLED");
        EXPECT_TRUE(queue.active_jobs(ids_of(small_plan())).empty());
    }
}

QueueEntry entry_of(const std::string& lines) {
    return parse_queue(small_plan(), lines).points.at("ranks-4_plan-dp-4_run-1");
}

std::string line_of(const std::string& job, const std::string& state) {
    return job + "_0|small.0123abcd.ranks-4|" + state + "|None\n";
}

// A job that ended counts as ended whatever ended it: nothing waits for it for ever.
TEST(QueueStages, AreTheOnesOfEveryStateOfSlurm) {
    using Stage = QueueEntry::Stage;
    for (const char* state : {"COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL",
                              "PREEMPTED", "BOOT_FAIL", "OUT_OF_MEMORY", "DEADLINE", "REVOKED"}) {
        EXPECT_EQ(entry_of(line_of("7", state)).stage, Stage::ended) << state;
    }
    for (const char* state :
         {"PENDING", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "SPECIAL_EXIT", "RESV_DEL_HOLD"}) {
        EXPECT_EQ(entry_of(line_of("7", state)).stage, Stage::waiting) << state;
    }
    for (const char* state : {"RUNNING", "COMPLETING", "CONFIGURING", "SUSPENDED", "STOPPED",
                              "SIGNALING", "STAGE_OUT", "RESIZING"}) {
        EXPECT_EQ(entry_of(line_of("7", state)).stage, Stage::running) << state;
    }
}

// 10 is later than 9.
TEST(QueueStages, TheLaterJobHasTheHigherNumber) {
    for (const auto& [earlier, later] : {std::pair("9", "10"), std::pair("99", "1000")}) {
        const std::string first = line_of(earlier, "TIMEOUT"), last = line_of(later, "FAILED");
        EXPECT_EQ(entry_of(first + last).word, "FAILED");
        EXPECT_EQ(entry_of(last + first).word, "FAILED");
    }
}

TEST(Refusals, OfSlurmAreQuotedWithAdvice) {
    Site site = small_plan().site;
    site.client_prefix = {"false"};  // no sinfo here
    EXPECT_EQ(explain_refusal(site,
                              "sbatch: error: Batch job submission failed: Invalid partition "
                              "name specified"),
              "sbatch refuses it: Batch job submission failed: Invalid partition name specified: "
              "partition = 'main' of site place: there are see sinfo");
    EXPECT_EQ(explain_refusal(site,
                              "sbatch: error: Batch job submission failed: Requested node "
                              "configuration is not available"),
              "sbatch refuses it: Batch job submission failed: Requested node configuration is not "
              "available: correct gpus_per_node = 4, cores_per_node = 8, nodes of site place: "
              "sinfo --format='%N %c %G' shows what nodes have");
    EXPECT_TRUE(
        explain_refusal(site, "something new").ends_with("something new: correct site place"));
}

}  // namespace
}  // namespace shardstone::submit
