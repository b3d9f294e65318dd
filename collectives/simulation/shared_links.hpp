// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace shardstone::collectives {

/// Links shared max-min fairly by the messages in flight: all rates grow equally until a link is
/// full, then the messages on it keep theirs and the others continue to grow (D. Bertsekas and R.
/// Gallager, "Data Networks", section 6.5.2). Every change takes effect at once, as if all messages
/// knew of it.
class SharedLinks {
  public:
    /// A message in flight and the time at which it will end at the current rates.
    struct Ending {
        std::uint32_t flow;
        double time_s;
    };

    /// `capacity`: bytes per second of each link.
    explicit SharedLinks(std::vector<double> capacity);

    /// Starts a message of this many bytes over these links (1 to 4), never faster than
    /// `rate_limit` bytes per second. It moves from the next settle() on. Returns its number.
    std::uint32_t start(std::span<const std::uint32_t> links, double size_bytes, double rate_limit,
                        double now_s);
    /// Ends a message; its number may be reused.
    void end(std::uint32_t flow);

    bool settled() const noexcept { return changed_.empty(); }
    /// Recomputes the shares affected by changes since the last call. Returns the messages whose
    /// rate has changed, with their new ends; valid until the next call.
    std::span<const Ending> settle(double now_s);

  private:
    struct Flow {
        double left_bytes = 0.0;
        double rate = 0.0;  ///< bytes per second, since since_s
        double since_s = 0.0;
        double rate_limit = 0.0;
        std::array<std::uint32_t, 4> links{};
        std::array<std::uint32_t, 4> places{};  ///< in the lists of its links
        int length = 0;
        std::uint32_t mark = 0;
        bool fixed = false;
    };
    struct Link {
        std::vector<std::uint32_t> flows;
        double left = 0.0;  ///< while sharing: what fixed messages have not taken
        std::uint32_t open = 0;
        std::uint32_t mark = 0;
    };

    std::span<const std::uint32_t> links_of(const Flow& flow) const {
        return std::span(flow.links).first(static_cast<std::size_t>(flow.length));
    }
    void collect();
    void share(double now_s);
    double next_level() const;
    void fix(std::uint32_t flow, double rate, double now_s);

    std::vector<double> capacity_;
    std::vector<Link> links_;
    std::vector<Flow> flows_;
    std::vector<std::uint32_t> free_flows_;
    std::vector<std::uint32_t> changed_;  ///< links with a message more or less
    std::vector<std::uint32_t> touched_links_, touched_flows_;
    std::vector<Ending> endings_;
    std::uint32_t mark_ = 0;
};

}  // namespace shardstone::collectives
