// SPDX-License-Identifier: BSD-3-Clause
// A step's time on a GPU, or an emulated one, belongs to what its queue does, not to its host.
#include "reference/trainer/queue_clock.hpp"

#include <array>
#include <numeric>

#include "kernels/tensor/arrays.hpp"
#include "kernels/tensor/buffer.hpp"
#include "reference/trainer/action_clock.hpp"
#include "validation/unit/kernels/device/needs_gpu.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

constexpr std::int64_t long_count = 1 << 26, short_count = 1 << 10;

double of(const StepPartTimes& times, StepPart part) {
    return times[static_cast<std::size_t>(part)];
}

void spend(double time_s) {
    const double until_s = now_s() + time_s;
    while (now_s() < until_s) {
    }
}

constexpr std::array parts{StepPart::compute, StepPart::communication, StepPart::optimizer,
                           StepPart::communication};

TEST(ShareStep, GivesTheFirstPartWhatTheQueueDoesNotTell) {
    const std::array passed_s{1.0, 2.0, 4.0, 0.5};
    const auto times = share_step(passed_s, parts, 10.0);
    EXPECT_EQ(of(times, StepPart::compute), 3.5);
    EXPECT_EQ(of(times, StepPart::communication), 2.5);
    EXPECT_EQ(of(times, StepPart::optimizer), 4.0);
    EXPECT_EQ(of(times, StepPart::data), 0.0);
}

TEST(ShareStep, ShortensAllPartsAlikeWhereAnEmulatedClockRanAhead) {
    const std::array passed_s{1.0, 2.0, 4.0, 1.0};
    const auto times = share_step(passed_s, parts, 4.0);
    EXPECT_EQ(of(times, StepPart::compute), 0.5);
    EXPECT_EQ(of(times, StepPart::communication), 1.5);
    EXPECT_EQ(of(times, StepPart::optimizer), 2.0);
}

class QueueClocks : public OnDevice {
  protected:
    void SetUp() override {
        OnDevice::SetUp();
        if (!IsSkipped()) memory_ = Buffer<float, Cuda>(long_count);
    }
    void enqueue(std::int64_t count) { clear_array(CudaQueue(), memory_.data(), count); }

    Buffer<float, Cuda> memory_;
};

TEST_F(QueueClocks, ForgetTheStepBefore) {
    QueueClock clock{CudaQueue()};
    for (const StepPart longer : {StepPart::optimizer, StepPart::data}) {
        clock.restart(StepPart::compute);
        for (const StepPart part : {StepPart::data, StepPart::optimizer}) {
            const StepPartScope scope(clock, part);
            enqueue(part == longer ? long_count : short_count);
        }
        const auto times = clock.stop();
        EXPECT_EQ(of(times, StepPart::data) > of(times, StepPart::optimizer),
                  longer == StepPart::data);
    }
}

TEST_F(QueueClocks, TellWhatTheQueueDid) {
    QueueClock clock{CudaQueue()};
    for (int step = 0; step < 2; ++step) {
        clock.restart(StepPart::compute);
        const double begin_s = clock.since_s();
        {
            const StepPartScope scope(clock, StepPart::data);
            enqueue(short_count);
        }
        {
            const StepPartScope scope(clock, StepPart::optimizer);
            enqueue(long_count);
            const StepPartScope inner(clock, StepPart::optimizer);  // nothing changes
            enqueue(long_count);
        }
        const auto times = clock.stop();
        EXPECT_GT(of(times, StepPart::optimizer), of(times, StepPart::data));
        EXPECT_GT(of(times, StepPart::optimizer), 1e-3 * (clock.since_s() - begin_s))
            << "seconds, though an emulated GPU's are not the host's";
        EXPECT_GT(of(times, StepPart::data), 0.0);
        EXPECT_EQ(of(times, StepPart::communication), 0.0);
        EXPECT_EQ(of(times, StepPart::preempted), 0.0);
        EXPECT_NEAR(std::accumulate(times.begin(), times.end(), 0.0), clock.since_s() - begin_s,
                    1e-9);
        EXPECT_EQ(clock.current(), StepPart::compute) << "the scopes have ended";
    }
}

// The host is busy while the queue has nothing to do: no part of the queue's has that time but the
// one of the step's start.
TEST_F(QueueClocks, LeaveTheHostsTimeToTheStartOfTheStep) {
    QueueClock clock{CudaQueue()};
    clock.restart(StepPart::data);
    {
        const StepPartScope scope(clock, StepPart::communication);
        enqueue(short_count);
    }
    CudaQueue().wait();
    spend(0.05);
    const auto times = clock.stop();
    EXPECT_GE(of(times, StepPart::data), 0.05);
    EXPECT_LT(of(times, StepPart::communication), 0.05);
    EXPECT_GT(of(times, StepPart::communication), 0.0);
}

// The second and third steps are not the first one's once more.
TEST_F(QueueClocks, TellWhenActionsBeganAndEnded) {
    ActionClock<Cuda> clock{CudaQueue()};
    QueueMarks own{CudaQueue()};
    const auto traced = [&](std::int64_t count) {
        clock.begin_step();
        own.clear();
        const double begin = clock.now();
        own.set();
        enqueue(count);
        own.set();
        std::array events{TraceEvent{1, 0, begin, clock.now()}};
        clock.end_step(100.0, events);
        return events.front();
    };
    traced(short_count);  // makes the events
    for (const std::int64_t count : {long_count, short_count, long_count}) {
        const TraceEvent event = traced(count);
        EXPECT_NEAR(event.end_s - event.begin_s, own.intervals_s().at(0), 2e-5);
        EXPECT_GE(event.begin_s, 100.0);
        EXPECT_LT(event.begin_s, 100.001);
    }
}

}  // namespace
}  // namespace shardstone::validation
