// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <stdexcept>
#include <string>
#include <utility>

#include "kernels/base/exit_code.hpp"

namespace shardstone {

/// An error of the user, a file or the machine. The message is one line: what is wrong, the value,
/// what to do; in quoted values, control characters become '?' and the middle of thousands of
/// characters is left out. Programs print it and end with its exit code.
class Error : public std::runtime_error {
  public:
    explicit Error(std::string message, ExitCode code = ExitCode::bad_input);
    ExitCode code() const noexcept { return code_; }

  private:
    ExitCode code_;
};

/// The same failure, already agreed on by every rank of a job: only the rank that `reports` it
/// prints it, and all ranks exit in an orderly way instead of aborting.
class AgreedError : public Error {
  public:
    AgreedError(const std::string& message, bool reports, ExitCode code)
        : Error(message, code), reports_(reports) {}
    bool reports() const noexcept { return reports_; }

  private:
    bool reports_;
};

[[noreturn]] inline void fail(const std::string& message, ExitCode code = ExitCode::bad_input) {
    throw Error(message, code);
}

/// Always enabled. For input, files, environment and plans; `message` is built only on failure.
template <std::invocable Message>
void require(bool condition, Message&& message) {
    if (!condition) fail(std::forward<Message>(message)());
}

inline void require(bool condition, const char* message) {
    if (!condition) fail(message);
}

/// A broken contract between our own functions: a bug, not the user's fault.
[[noreturn]] void contract_violated(const char* expression, const char* file, int line);

}  // namespace shardstone

/// Preconditions and invariants of our own code; checked in debug and sanitizer builds only.
#ifdef NDEBUG
#define SHARDSTONE_EXPECTS(condition) static_cast<void>(0)
#else
#define SHARDSTONE_EXPECTS(condition)   \
    ((condition) ? static_cast<void>(0) \
                 : ::shardstone::contract_violated(#condition, __FILE__, __LINE__))
#endif
