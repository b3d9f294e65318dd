// SPDX-License-Identifier: BSD-3-Clause
// Row types against their schemas, records of older versions, and what the kernel says of a
// machine.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <set>
#include <string>

#include "kernels/base/error.hpp"
#include "results/record/host_state.hpp"
#include "results/schema/arithmetic.hpp"
#include "results/schema/collectives.hpp"
#include "results/schema/comparison.hpp"
#include "results/schema/congestion.hpp"
#include "results/schema/device_kernels.hpp"
#include "results/schema/disturbance.hpp"
#include "results/schema/gpu_use.hpp"
#include "results/schema/held_against.hpp"
#include "results/schema/interconnect.hpp"
#include "results/schema/machine.hpp"
#include "results/schema/node_clocks.hpp"
#include "results/schema/older.hpp"
#include "results/schema/scaling.hpp"
#include "results/schema/simulated_trials.hpp"
#include "results/schema/soak.hpp"
#include "results/schema/stalls.hpp"
#include "results/schema/studies.hpp"
#include "results/schema/topology.hpp"
#include "results/schema/traffic.hpp"
#include "results/schema/training.hpp"
#include "results/schema/validation.hpp"
#include "validation/unit/results/example_record.hpp"

namespace shardstone::validation {
namespace {

using namespace results;

template <class Row>
class Schema : public testing::Test {};

using Rows = testing::Types<
    CollectiveRow, CollectiveSampleRow, NoiseFloorRow, NoiseFloorRoundRow, CostParameterRow,
    AccuracyRow, SimulatedRow, SimulatedTrafficRow, MachineRow, MachineRateRow, KernelRow,
    KernelTimeRow, StepRow, TrainingRow, MemoryRow, SentBytesRow, EvaluationRow, OverlapRow,
    OverlapRoundRow, OverlapRankRow, ArithmeticRow, ArithmeticStepRow, UtilisationRow,
    PipelineStepRow, BatchRow, NoiseRow, TradeOffRow, LayoutRow, VerdictRow, KernelErrorRow,
    ReductionErrorRow, GradientErrorRow, HeldOutLossRow, LossCurveRow, ComparisonRow,
    ComparisonDifferenceRow, ComparisonMissingRow, ComparisonRecordRow, PairSampleRow,
    RankSampleRow, RankPlaceRow, WrongDataRow, PairRow, PathRow, SuspectRow, RankTestRow,
    AcceptanceRow, HeldAgainstRow, TestTimeRow, InterconnectVerdictRow, ConditionsRow,
    SoakWindowRow, SlowMessageRow, StandstillRow, LongWaitRow, EpisodeRow, AsymmetryRow,
    ChangedStepRow, CoreWaitRow, DeviceLinkRow, DeviceRow, FactRow, GapRow, HashRow, NodeRow,
    OutlierRow, RankStepRow, RankTimesRow, RouterRow, ScalingChangeRow, ScalingCurveRow,
    ScalingFindingRow, ScalingFitRow, ScalingGapRow, ScalingRow, SurroundingsRow, ClockSampleRow,
    ClockRow, CongestionSampleRow, CongestionRow, BisectionRow, TrafficSampleRow, TrafficRow,
    TrialRow, DetectionRow, DeviceKernelRow, DeviceKernelTimeRow, DeviceRatesRow, GpuReadingRow,
    GpuUseRow>;
TYPED_TEST_SUITE(Schema, Rows);

/// A row whose n-th member is n, as a number or a text.
template <class Row>
Row numbered() {
    Row row;
    double n = 1.0;
    for (const auto& field : Row::schema.fields()) {
        if (const auto* number = std::get_if<double Row::*>(&field.member)) {
            row.** number = n;
        } else {
            row.*std::get<std::string Row::*>(field.member) = std::to_string(n);
        }
        n += 1.0;
    }
    return row;
}

TYPED_TEST(Schema, HasAFieldForEveryMemberAndEachOnce) {
    using Row = TypeParam;
    std::size_t bytes = 0;
    for (const auto& field : Row::schema.fields()) {
        bytes += field.member.index() == 0 ? sizeof(double) : sizeof(std::string);
        EXPECT_NE(field.meaning.back(), ' ') << field.name;
        EXPECT_EQ(field.meaning.back(), '.') << field.name;
    }
    EXPECT_EQ(bytes, sizeof(Row));
    // Were a member named by two fields, the second's number would stand in the first's column.
    const auto table = table_of(std::vector{numbered<Row>()});
    double n = 1.0;
    for (const auto& column : table.columns) {
        const double got =
            column.texts.empty() ? column.numbers.front() : std::stod(column.texts.front());
        EXPECT_EQ(got, n) << column.name;
        n += 1.0;
    }
}

TYPED_TEST(Schema, RowsComeBackAsTheyWere) {
    using Row = TypeParam;
    const auto table = table_of(std::vector{Row{}, numbered<Row>()});
    const auto rows = Row::schema.rows(table, format_version);
    ASSERT_EQ(rows.size(), 2U);
    const auto again = table_of(std::vector{rows[1]});
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        EXPECT_EQ(again.columns[c].rows(), 1U);
        if (table.columns[c].texts.empty()) {
            EXPECT_EQ(again.columns[c].numbers[0], table.columns[c].numbers[1]);
        } else {
            EXPECT_EQ(again.columns[c].texts[0], table.columns[c].texts[1]);
        }
    }
}

template <class... Row>
std::set<std::string> names_of(testing::Types<Row...>) {
    return {table_of(std::vector<Row>{}).name...};
}

TEST(Schemas, AreAllAmongTheRowsTestedHere) {
    std::set<std::string> described;
    for (const TableDescription& one : described_tables()) described.insert(one.name);
    EXPECT_EQ(names_of(Rows()), described);
}

TEST(Described, AreAllTablesThatARecordMayHold) {
    Record record = example_record();
    EXPECT_THROW(require_described(record), Error);
    record.samples = {};
    record.derived = {table_of(std::vector{StepRow{}})};
    EXPECT_NO_THROW(require_described(record));
    record.derived[0].columns.pop_back();
    EXPECT_THROW(require_described(record), Error);
    record.derived = {table_of(std::vector{StepRow{}})};
    record.derived[0].columns.push_back({"surprise", {1.0}, {}});
    EXPECT_THROW(require_described(record), Error);
    record.derived = {};
    record.samples = {table_of(std::vector{StepRow{}})};  // derived, not samples
    EXPECT_THROW(require_described(record), Error);
}

TEST(Older, SweepsOfVersionOneAreAllReducesInPlace) {
    Record record = example_record();
    record.kind = "collectives";
    record.version = 1;
    record.derived = {{"all_reduce", {{"algorithm", {}, {"ring", "mpi"}}, {"time_s", {3, 4}, {}}}}};
    record.samples = {{"samples", {{"algorithm", {}, {"ring"}}, {"time_s", {5}, {}}}}};
    use_present_names(record);
    const auto points = rows_of<CollectiveRow>(record);
    ASSERT_EQ(points.size(), 2U);
    EXPECT_EQ(points[1].operation, "all_reduce");
    EXPECT_EQ(points[1].in_place, 1.0);
    EXPECT_EQ(points[1].time_s, 4.0);
    EXPECT_TRUE(std::isnan(points[1].skew_s));
    EXPECT_EQ(rows_of<CollectiveSampleRow>(record).at(0).operation, "all_reduce");
}

TEST(Older, OfVersionTwoWhatAutoWasMeasuredToTakeBeforeIsNoPrediction) {
    CollectiveRow by_measurement, by_schedule, ring;
    by_measurement.reason = "staged: 1.10 us measured before; next ring, 2.40 us by its schedule";
    by_measurement.predicted_s = 1.1e-6;
    by_schedule.reason = "ring: 2.40 us by its schedule; next staged, 3.10 us measured before";
    by_schedule.predicted_s = 2.4e-6;
    ring.predicted_s = 2.5e-6;
    Record record = example_record();
    record.kind = "collectives";
    record.version = 2;
    record.derived = {table_of(std::vector{by_measurement, by_schedule, ring})};
    std::erase_if(record.derived[0].columns,
                  [](const auto& column) { return column.name == "measured_before_s"; });
    use_present_names(record);
    const auto points = rows_of<CollectiveRow>(record);
    EXPECT_EQ(points[0].measured_before_s, 1.1e-6);
    EXPECT_TRUE(std::isnan(points[0].predicted_s));
    EXPECT_EQ(points[1].predicted_s, 2.4e-6);
    EXPECT_TRUE(std::isnan(points[1].measured_before_s));
    EXPECT_EQ(points[2].predicted_s, 2.5e-6);
    EXPECT_TRUE(std::isnan(points[2].measured_before_s));
}

TEST(Older, RoundsOfBothWaysLieInOneTable) {
    Record record = example_record();
    record.kind = "overlap";
    record.version = 1;
    const auto rounds = [](double first) {
        return std::vector<Table::Column>{{"step_s", {first, first + 1}, {}},
                                          {"exposed_s", {first + 2, first + 3}, {}},
                                          {"compute_s", {first + 4, first + 5}, {}}};
    };
    record.samples = {{"overlapped", rounds(10)}, {"apart", rounds(20)}};
    record.derived = {{"summary", {{"figure", {}, {"exposed_ratio"}}, {"median", {0.5}, {}}}}};
    use_present_names(record);
    const auto rows = rows_of<OverlapRoundRow>(record);
    ASSERT_EQ(rows.size(), 4U);
    EXPECT_EQ(rows[3].way, "apart");
    EXPECT_EQ(rows[3].round, 1.0);
    EXPECT_EQ(rows[3].exposed_s, 23.0);
    EXPECT_EQ(rows_of<OverlapRow>(record).at(0).median, 0.5);
}

TEST(Older, StepsThatDoNotCountHadTheNameOfTheRatesWarmUp) {
    Record record = example_record();
    record.kind = "train";
    record.configuration = {{"warmup_steps", 10}};
    record.derived = {
        {"summary", {{"ranks", {2}, {}}, {"warmup_steps", {5}, {}}, {"model", {}, {"nano"}}}}};
    record.version = 2;
    use_present_names(record);
    const auto row = rows_of<TrainingRow>(record).at(0);
    EXPECT_EQ(row.uncounted_steps, 5.0);
    EXPECT_TRUE(std::isnan(row.flop_parameters));
    EXPECT_EQ(record.configuration.at("warmup_steps"), 10) << "the learning rate's";
}

TEST(HostState, IsReadFromWhatTheKernelSays) {
    const TemporaryFolder folder;
    const auto put = [&](const std::string& file, const std::string& text) {
        std::filesystem::create_directories((folder / file).parent_path());
        std::ofstream(folder / file) << text;
    };
    put("proc/meminfo", "MemTotal:  2048 kB\nMemFree: 1 kB\nMemAvailable:  1024 kB\n");
    put("proc/cpuinfo", "processor\t: 0\ncpu MHz\t\t: 2300.5\n");
    put("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
    put("sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "3700000\n");
    put("sys/class/net/lo/speed", "1\n");
    put("sys/class/net/eth1/speed", "25000\n");
    put("sys/class/net/eth0/speed", "-1\n");
    put("sys/class/infiniband/mlx5_0/ports/1/rate", "400 Gb/sec (4X NDR)\n");
    const auto state = host_state({folder / "proc", folder / "sys"});
    EXPECT_EQ(state, nlohmann::json::parse(R"json({
        "clock": {"governor": "powersave", "most_mhz": 3700.0, "mhz": 2300.5},
        "memory_bytes": 2097152, "available_memory_bytes": 1048576,
        "network_devices": [{"name": "eth0"}, {"name": "eth1", "mbit_per_s": 25000.0},
            {"name": "mlx5_0", "infiniband": true, "rate": "400 Gb/sec (4X NDR)"
}]
})json"));
}

}  // namespace
}  // namespace shardstone::validation
