// SPDX-License-Identifier: BSD-3-Clause
// Every command that measures, as a user runs it, on a machine that two other programs keep busy,
// and on one that they leave alone.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/harness/machine_reader.hpp"
#include "benchmarks/harness/surroundings.hpp"
#include "results/record/record.hpp"
#include "validation/unit/results/shell.hpp"

namespace shardstone::validation {
namespace {

/// Two of the cores that this test may use; commands and load are kept to them, so that the load is
/// the same share of the machine wherever the test runs.
std::vector<int> two_cores() {
    const std::vector<pid_t> self{getpid()};
    auto cores = benchmarks::MachineReader().cores_of(self);
    cores.resize(std::min<std::size_t>(cores.size(), 2));
    return cores;
}

/// Processes that do nothing but take time, until this object goes.
class Load {
  public:
    explicit Load(const std::vector<int>& cores) {
        for (int process = 0; process < 2; ++process) {
            const pid_t child = fork();
            if (child == 0) spin(cores);
            children_.push_back(child);
        }
    }
    Load(const Load&) = delete;
    Load& operator=(const Load&) = delete;
    ~Load() {
        for (const pid_t child : children_) {
            kill(child, SIGKILL);
            waitpid(child, nullptr, 0);
        }
    }

  private:
    [[noreturn]] static void spin(const std::vector<int>& cores) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        cpu_set_t set;
        CPU_ZERO(&set);
        for (const int core : cores) CPU_SET(core, &set);
        sched_setaffinity(0, sizeof set, &set);
        for (std::atomic<unsigned> turns = 0;;) ++turns;
    }
    std::vector<pid_t> children_;
};

/// What a command says of its verdict on speed where its figures are disturbed, and the name of the
/// check that cannot be decided then, so is not recorded.
struct OpenVerdict {
    std::vector<std::string> said;
    std::string check;
    int code = 0;  ///< as its help says
};

struct Command {
    const char* name;
    std::string words;                ///< "%" stands for the program, "@" for where the record goes
    std::vector<const char*> tables;  ///< those that hold figures; none where there is no record
    OpenVerdict open = {};
    int code = 0;  ///< on a quiet machine
};

const Command commands[]{
    {"collectives",
     "mpiexec -n 2 % collectives --op all_reduce --algorithm ring,mpi -b 4 -e 64K -f 16384 "
     "--seconds 0.2 --noise-floor --json @",
     {"collectives", "noise_floor", "cost_parameters"}},
    // By a description, so that it is not calibrated first.
    {"choice",
     "mpiexec -n 2 % collectives --algorithm ring,mpi,auto -b 1K -e 1K --seconds 0.2 "
     "--cluster " SHARDSTONE_SOURCE_DIR "/jobs/clusters/cpu-virtual-4x4.toml --json @",
     {"collectives"},
     {{"or mpi: undecided: the machine was busy\n", "all_reduce: undecided: the machine was busy\n",
       "1 KiB: undecided: the machine was busy\n"},
      "speed"}},
    {"oversubscribed",
     "mpiexec -n 5 % collectives --op all_gather --algorithm ring -b 1K -e 1K --seconds 0.2 "
     "--json @",
     {"collectives", "cost_parameters"}},
    {"calibrate", "mpiexec -n 2 % calibrate --op broadcast --largest 64 --seconds 0.02 -o @", {}},
    {"kernels",
     "% kernels --filter residual --json @",
     {"kernels"},
     {{"undecided: no kernel is quicker than its bound allows: the machine was busy\n"},
      "no kernel is quicker"}},
    {"probe", "% probe --json @", {"machine"}},
    {"step", "mpiexec -n 2 % step --model nano -n 40 --json @", {"arithmetic"}},
    // A ratio that is never reached: quiet, the check passes.
    {"overlap",
     "mpiexec -n 2 % overlap --rounds 20 --layers 2 --at-most 1000 --json @",
     {"overlap"},
     {{"undecided  overlap leaves at most 1000.00 of the exposed communication: the machine was "},
      "overlap leaves at most",
      1}},
    {"study",
     "mpiexec -n 2 % study pipeline --schedules gpipe --micro-batches 2 --steps 6 --json @",
     {"utilisation"}},
    {"train",
     "mpiexec -n 2 % train --model nano --steps 60 --global-batch 8 --json @",
     {"summary"}},
    // Among two nobody is suspected, as there is nobody to be compared with.
    {"interconnect",
     "mpiexec -n 2 % validate interconnect --ranks-per-node 1 --sizes 8,64K --budget 2 --for 2s "
     "--json @",
     {"conditions", "rank_tests"},
     {{"INCONCLUSIVE\n", "  - the machine was busy: ", " during tests of ranks",
       " during the soak"},
      "",
      7},
     7},
};

/// A command on these cores, and the record that it wrote to "@", if that is what it wrote there.
struct RunOnCores {
    RunOnCores(std::string words, const std::vector<int>& cores) {
        const TemporaryFolder folder;
        const auto path = folder / "record.json";
        const bool records = words.find("--json @") != std::string::npos;
        words.replace(words.find('%'), 1, shardstone_binary());
        words.replace(words.find('@'), 1, path.string());
        outcome = run_shell(fmt::format("taskset -c {} {}", fmt::join(cores, ","), words), folder);
        if (records && std::filesystem::exists(path)) record = results::read_record(path);
    }

    Outcome outcome;
    std::optional<results::Record> record;
};

class Measuring : public testing::TestWithParam<Command> {
  protected:
    /// What the command printed; `disturbed_` are the marks in the table of its figures.
    std::string run(int code) {
        const RunOnCores run(GetParam().words, cores_);
        EXPECT_EQ(run.outcome.code, code) << run.outcome.errors << run.outcome.output;
        if (GetParam().tables.empty()) return run.outcome.output;
        const auto& record = run.record.value();
        checks_ = record.verification;
        for (const char* table : GetParam().tables) {
            for (const double one : record.table(table).column("disturbed").numbers) {
                disturbed_.emplace_back(table, one);
            }
        }
        EXPECT_GE(record.table("surroundings").rows(), 1U);
        EXPECT_GT(record.table("surroundings").column("window_s").numbers.back(), 0.4);
        return run.outcome.output;
    }

    /// Share of both cores that is in use while nothing of ours runs.
    double share_in_use() const {
        const benchmarks::MachineReader reader;
        const auto before = reader.core_times(cores_);
        constexpr double look_s = 1.0;
        reader.nap(look_s);
        const auto after = reader.core_times(cores_);
        return 1.0 - (after->idle_s - before->idle_s) / (look_s * after->cores);
    }

    const std::vector<int> cores_ = two_cores();
    std::vector<std::pair<std::string, double>> disturbed_;  ///< table, and 1 or 0, of each row
    std::vector<results::Check> checks_;
};

/// And decides nothing by them.
TEST_P(Measuring, MarksEveryFigureOfABusyMachine) {
    const Load load(cores_);
    const auto& [words, check, code] = GetParam().open;
    const std::string said = run(code);
    EXPECT_NE(said.find("! DISTURBED: "), std::string::npos) << said;
    for (std::size_t i = 0; i < disturbed_.size(); ++i) {
        const auto& [table, disturbed] = disturbed_[i];
        EXPECT_EQ(disturbed, 1.0) << table << ", row " << i << " of all\n" << said;
    }
    for (const std::string& line : words) {
        EXPECT_NE(said.find(line), std::string::npos) << "not said: " << line << said;
    }
    for (const auto& each : checks_) {
        EXPECT_FALSE(!check.empty() && each.name.starts_with(check)) << each.name << " was decided";
    }
}

TEST_P(Measuring, MarksNothingOfAQuietOne) {
    constexpr double quiet = 0.02;
    if (share_in_use() > quiet) GTEST_SKIP() << "others use this machine: nothing to see";
    const std::string said = run(GetParam().code);
    if (share_in_use() > quiet) GTEST_SKIP() << "others began to use this machine";
    EXPECT_EQ(said.find("DISTURBED"), std::string::npos) << said;
    for (std::size_t i = 0; i < disturbed_.size(); ++i) {
        const auto& [table, disturbed] = disturbed_[i];
        EXPECT_EQ(disturbed, 0.0) << table << ", row " << i << " of all\n" << said;
    }
}

/// What a dry run is priced by is measured first, if it is not given.
TEST(DryRun, MarksRatesThatABusyMachineGave) {
    const auto cores = two_cores();
    const Load load(cores);
    const char* const mark = " ! measured while ";
    const RunOnCores priced("% train --dry-run --model nano --timeline @", cores);
    EXPECT_EQ(priced.outcome.code, 0) << priced.outcome.errors;
    EXPECT_NE(priced.outcome.output.find(mark), std::string::npos) << priced.outcome.output;
    const RunOnCores given(
        "% train --dry-run --model nano --gflop-rate 10 --memory-rate 10 --timeline @", cores);
    EXPECT_EQ(given.outcome.code, 0) << given.outcome.errors;
    EXPECT_EQ(given.outcome.output.find("measured while"), std::string::npos)
        << given.outcome.output;
}

INSTANTIATE_TEST_SUITE_P(Commands, Measuring, testing::ValuesIn(commands),
                         [](const auto& command) { return command.param.name; });

}  // namespace
}  // namespace shardstone::validation
