// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace shardstone::collectives {

/// Links that messages under way share max-min fairly: rates grow alike until a link is full, then
/// the messages on it keep theirs and the others go on growing (D. Bertsekas and R. Gallager, "Data
/// Networks", section 6.5.2). Every change is settled at once, as if all messages knew.
class SharedLinks {
  public:
    /// A message under way and when it will end at the rates in force.
    struct Ending {
        std::uint32_t flow;
        double time_s;
    };

    /// `capacity`: bytes per second of each link.
    explicit SharedLinks(std::vector<double> capacity);

    /// A message of so many bytes over these links (1 to 4) starts, never faster than `rate_limit`
    /// bytes per second. It moves from the next settle() on. Returns its number.
    std::uint32_t start(std::span<const std::uint32_t> links, double size_bytes, double rate_limit,
                        double now_s);
    /// A message has ended; its number may be given again.
    void end(std::uint32_t flow);

    bool settled() const noexcept { return changed_.empty(); }
    /// Shares anew what the changes since the last call have touched. The messages whose rate has
    /// changed, with their new ends; valid until the next call.
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
