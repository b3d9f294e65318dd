// SPDX-License-Identifier: BSD-3-Clause
// A study without Slurm: its points one after the other, each by mpiexec, then the report.
#include "jobs/submit/local.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>

#include "jobs/submit/child.hpp"
#include "jobs/submit/folder_lock.hpp"
#include "jobs/submit/launch.hpp"
#include "jobs/submit/obstacles.hpp"
#include "jobs/submit/shell_words.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/fixed_text.hpp"
#include "kernels/base/interrupt.hpp"
#include "results/format/atomic_file.hpp"

namespace shardstone::submit {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// From an earlier try.
void clear_point_folder(const fs::path& folder) {
    remove_obstacles(folder);
    make_folder(folder);
    std::vector<fs::path> left{folder / "exit_code", folder / time_limit_file};
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (is_of_record(entry.path())) left.push_back(entry.path());
    }
    std::ranges::for_each(left, remove_whole);
}

constexpr const char* command_file = "command";

/// Files of the point under way.
struct PointFiles {
    std::string record, exit_code;
};
std::atomic<const PointFiles*> under_way = nullptr;

/// For the handler of a signal that ends this program at once, and with it the point under way. One
/// whose record is there has ended by itself.
void note_stop(int code) {
    const PointFiles* files = under_way.load();
    if (files == nullptr || ::access(files->record.c_str(), F_OK) == 0) return;
    const int descriptor =
        ::open(files->exit_code.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor < 0) return;
    FixedText<8> line;
    line.add_number(code).add("\n");
    if (::write(descriptor, line.c_str(), line.view().size()) >= 0) ::fsync(descriptor);
    ::close(descriptor);
}

/// While it lives, such a signal is noted as the end of the point.
class StopNote {
  public:
    explicit StopNote(const fs::path& folder)
        : files_{folder / "record.json", folder / "exit_code"} {
        under_way = &files_;
        do_when_stopped(note_stop);
    }
    StopNote(const StopNote&) = delete;
    StopNote& operator=(const StopNote&) = delete;
    ~StopNote() { under_way = nullptr; }

  private:
    PointFiles files_;
};

Child::Ended run_to_its_end(const Plan& plan, const Point& point, const fs::path& folder) {
    const StopNote note(folder);
    Child child(
        {local_words(plan, point), plan.site.environment, folder / "stdout", folder / "stderr"});
    return child.wait(std::chrono::minutes(plan.study.minutes), std::chrono::seconds(10));
}

void run_point_here(const Plan& plan, const Point& point) {
    const fs::path folder = point_folder(plan, point);
    clear_point_folder(folder);
    results::write_file(folder / command_file, shell_words(local_words(plan, point)) + "\n");
    const auto ended = run_to_its_end(plan, point, folder);
    if (ended.by_limit) results::write_file(folder / time_limit_file, "");
    results::write_file(folder / "exit_code", fmt::format("{}\n", ended.code));
}

}  // namespace

void require_launcher(const Site& site) {
    require(is_on_path("mpiexec"), [&] {
        return fmt::format("site {}: there is no 'mpiexec' on the PATH: install an MPI", site.name);
    });
}

Queue queue_here(const Plan& plan) {
    if (!FolderLock::is_held(plan.folder)) return {};
    // Of a run that was killed there is a command without an exit code, too, but an older one.
    const Point* last = nullptr;
    fs::file_time_type last_begun;
    for (const Point& point : plan.points) {
        std::error_code failed;
        const auto begun = fs::last_write_time(point_folder(plan, point) / command_file, failed);
        if (failed || (last != nullptr && begun <= last_begun)) continue;
        last = &point;
        last_begun = begun;
    }
    std::error_code failed;
    if (last == nullptr || fs::exists(point_folder(plan, *last) / "exit_code", failed)) return {};
    const QueueEntry entry{"", QueueEntry::Stage::running,
                           fmt::format("since {} s, by another 'shardstone submit'",
                                       std::chrono::duration_cast<std::chrono::seconds>(
                                           fs::file_time_type::clock::now() - last_begun)
                                           .count())};
    return {{{last->id, entry}}, {}};
}

std::vector<std::string> local_words(const Plan& plan, const Point& point) {
    auto words = launch_words(plan.site, point);
    words.push_back(plan.program);
    words.insert(words.end(), point.arguments.begin(), point.arguments.end());
    words.insert(words.end(),
                 {"--json", (point_folder(plan, point) / "record.json").string(), "--force"});
    return words;
}

void run_locally(const Plan& plan, const std::vector<PointState>& states,
                 const std::string& revision, const LocalRun& how) {
    const auto left = std::ranges::count_if(states, &PointState::to_run);
    int number = 0;
    for (const PointState& one : states) {
        if (!one.to_run()) continue;
        if (how.stops()) return;
        how.progress(fmt::format("point {} of {}: {}", ++number, left, one.point.id));
        const auto begin = Clock::now();
        run_point_here(plan, one.point);
        const double took_s = std::chrono::duration<double>(Clock::now() - begin).count();
        const auto now = state_of(plan, one.point, nullptr, revision);
        const std::string detail = now.detail();
        fmt::print("{}/{}  {}: {} after {:.1f} s{}{}\n", number, left, one.point.id,
                   word_of(now.state), took_s, detail.empty() ? "" : ": ", detail);
        std::fflush(stdout);
    }
}

void make_report_here(const Plan& plan) {
    const fs::path script = fs::path(plan.folder) / "scripts" / "report.sbatch";
    results::write_file(script, report_script(plan));
    const Outcome outcome = run_command({"bash", script.string()});
    require(outcome.code == 0,
            [&] { return fmt::format("no report was made: {}", outcome.last_line()); });
    fmt::print("{}", outcome.out);
}

}  // namespace shardstone::submit
