// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace shardstone::submit {

/// What a command left: its exit code (128 + the signal that killed it; 127 if it cannot be
/// started) and all that it printed.
struct Outcome {
    int code = 0;
    std::string out;
    std::string err;

    /// The last line of stderr, or else of stdout, that is not empty; "exit code N" without one.
    std::string last_line() const;
};

/// The last line of `text` that is not empty.
std::string last_line_of(const std::string& text);

/// Runs a command to its end, without stdin and without the variables named in `withheld`; it
/// shares the lock of the folder (FolderLock). The first word is looked up in $PATH. Throws Error
/// if no process can be started.
Outcome run_command(const std::vector<std::string>& words,
                    const std::vector<std::string>& withheld = {});

/// The same of a command that only asks, so that nothing is lost if it does not end: it has no
/// share in the lock, ends with this process, and is given up after `limit`, with the code 124 and
/// that as its words.
Outcome ask_command(const std::vector<std::string>& words, std::chrono::milliseconds limit,
                    const std::vector<std::string>& withheld = {});

/// Whether $PATH, or the path that it is, has this program.
bool is_on_path(const std::string& program);

/// A command in a process group of its own, which ends with this process.
class Child {
  public:
    struct Setup {
        std::vector<std::string> words;
        std::vector<std::pair<std::string, std::string>> environment;  ///< in addition
        std::filesystem::path out, err;                                ///< replaced
    };

    /// Throws Error.
    explicit Child(const Setup& setup);
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child();  ///< kills it if it still runs

    struct Ended {
        int code = 0;           ///< as in Outcome
        bool by_limit = false;  ///< it was asked to end
    };
    /// Waits for its end: asks for it after `limit` (SIGTERM), and forces it `grace` later
    /// (SIGKILL).
    Ended wait(std::chrono::milliseconds limit, std::chrono::milliseconds grace);

  private:
    /// The exit code, once it has ended.
    std::optional<int> poll();
    /// To the whole group.
    void send(int signal) const;

    pid_t process_ = -1;
    std::optional<int> code_;
};

}  // namespace shardstone::submit
