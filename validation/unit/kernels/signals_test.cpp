// SPDX-License-Identifier: BSD-3-Clause
// A signal that comes during a matrix product does it no harm. Each in a process of its own, since
// handlers are the process's.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "kernels/base/interrupt.hpp"
#include "kernels/gemm/gemm.hpp"

namespace shardstone {
namespace {

/// What a child that does this ends with: a code, or 128 and a signal.
template <class Body>
int end_of_child(Body&& body) {
    const pid_t child = fork();
    if (child == 0) _exit(body());
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool has_a_stack_of_its_own(int signal) {
    struct sigaction action = {};
    sigaction(signal, nullptr, &action);
    return action.sa_handler != SIG_DFL && (action.sa_flags & SA_ONSTACK) != 0;
}

bool is_set_up() {
    stack_t stack{};
    sigaltstack(nullptr, &stack);
    return (stack.ss_flags & SS_DISABLE) == 0 && stack.ss_size >= 32U << 10U;
}

TEST(Signals, EveryHandlerOfOursHasAStackOfItsOwn) {
    EXPECT_EQ(end_of_child([] {
                  say_how_signals_end_it(true);
                  const bool all = std::ranges::all_of(std::vector{SIGINT, SIGTERM, SIGHUP, SIGSEGV,
                                                                   SIGBUS, SIGILL, SIGFPE, SIGABRT},
                                                       has_a_stack_of_its_own);
                  catch_interrupts("this product");
                  return all && has_a_stack_of_its_own(SIGINT) && has_a_stack_of_its_own(SIGTERM) &&
                                 is_set_up()
                             ? 0
                             : 1;
              }),
              0);
    EXPECT_EQ(end_of_child([] {
                  catch_interrupts("this product");
                  return has_a_stack_of_its_own(SIGINT) && is_set_up() ? 0 : 1;
              }),
              0);
}

/// Signals every two milliseconds, whose handler does nothing.
void begin_signals(int flags) {
    struct sigaction action = {};
    action.sa_handler = [](int) {};
    action.sa_flags = flags;
    sigaction(SIGALRM, &action, nullptr);
    const itimerval often{{0, 2000}, {0, 2000}};
    setitimer(ITIMER_REAL, &often, nullptr);
}

/// A product of two matrices, the second as it is or transposed.
class Product {
  public:
    Product() : a_(rows * inner), b_(inner * columns) {
        for (std::size_t i = 0; i < a_.size(); ++i) a_[i] = static_cast<float>(i % 17) - 8.0F;
        for (std::size_t i = 0; i < b_.size(); ++i) b_[i] = static_cast<float>(i % 13) - 6.0F;
    }
    std::vector<float> times_b(bool transposed) const {
        std::vector<float> c(rows * columns);  // of the heap, which a wrong store breaks
        const Factor<float> b = transposed ? transpose<float>(matrix(b_.data(), columns, inner))
                                           : Factor<float>(matrix(b_.data(), inner, columns));
        gemm<float>(HostQueue(), 1.0F, matrix(a_.data(), rows, inner), b, 0.0F,
                    matrix(c.data(), rows, columns));
        return c;
    }

  private:
    static constexpr std::int64_t rows = 384, columns = 1536, inner = 128;
    std::vector<float> a_, b_;
};

/// 0 where all products under signals are those without, bit by bit.
int products_under_signals(int flags) {
    constexpr int times = 200;
    const Product product;
    for (const bool transposed : {false, true}) {
        const auto expected = product.times_b(transposed);
        begin_signals(flags);
        for (int i = 0; i < times; ++i) {
            if (product.times_b(transposed) != expected) return 1;
        }
    }
    return 0;
}

TEST(Signals, LeaveProductsAlone) {
    EXPECT_EQ(end_of_child([] {
                  say_how_signals_end_it(false);
                  return products_under_signals(SA_ONSTACK);
              }),
              0);
}

}  // namespace
}  // namespace shardstone
