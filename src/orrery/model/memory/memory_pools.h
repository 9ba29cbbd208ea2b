// SPDX-License-Identifier: Apache-2.0
//
// Remote memories as devices meet at them: accesses share each memory, and the links to it, fairly.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "orrery/core/quantity.h"
#include "orrery/model/memory/memory_stages.h"
#include "orrery/network/max_min/max_min.h"
#include "orrery/platform/platform.h"

namespace orrery::model {

/// What crosses a stage, both directions together.
struct StageTraffic {
  std::uint64_t loaded = 0;  ///< bytes
  std::uint64_t stored = 0;

  friend bool operator==(const StageTraffic&, const StageTraffic&) = default;
};

/// Accesses as flows through the memory and its stages, at max-min fair rates (max_min.h): a
/// memory's bandwidth counts for loads and stores together, a link's for each direction. An access
/// ends when its last byte has passed its slowest stage, plus the latency, plus the time of a chunk
/// in all other stages as they were shared when it began; so that accesses that begin together take
/// what all_load_ns() says. What begins or ends in one tick is one change.
///
/// Where switches gather, what devices load together crosses each stage as each one's part of what
/// all that share it load: they are taken to do so at about one time.
class MemoryPools {
 public:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  /// One load or store; `rank` and `node` are the caller's words for it.
  struct Access {
    std::uint32_t device = 0;  ///< whose it is, as the platform numbers them
    std::uint32_t rank = 0;
    std::uint32_t node = 0;
    std::int64_t bytes = 0;
    bool store = false;
    bool together = true;  ///< where switches gather: all devices load or store the same

    friend auto operator<=>(const Access&, const Access&) = default;
  };
  struct FinishedAccess {
    Access access;
    std::int64_t lost = 0;  ///< picoseconds longer than alone
  };

  explicit MemoryPools(const platform::Platform& platform);

  /// From now on one device of each class accesses, in the name of all: `class_of` by device,
  /// `members` by class. False: devices that are alike share memory or links with other ones, so
  /// that none may stand for others. O(devices × stages).
  [[nodiscard]] bool fold(const std::vector<std::uint32_t>& class_of,
                          const std::vector<std::uint32_t>& members);

  [[nodiscard]] bool folded() const { return !class_of_.empty(); }

  /// Whether anything takes longer than the clock can tell: such an access must not begin.
  [[nodiscard]] bool exceeds_clock(const Access& access) const;
  void begin(const Access& access) { begun_.push_back(access); }
  [[nodiscard]] bool unsettled() const { return !begun_.empty(); }
  /// Nothing else begins at `now`.
  void settle(std::int64_t now);
  /// When an access ends or rates change next; kNever: not by themselves.
  [[nodiscard]] std::int64_t next() const { return next_; }
  /// Goes on to `now`, which is next(); adds what ends there, in an order that depends on the
  /// accesses alone.
  void advance(std::int64_t now, std::vector<FinishedAccess>& out);

  /// What the access of a rank moves at the moment.
  struct Rate {
    std::uint32_t rank = 0;
    double bytes_per_ns = 0;
  };
  /// Of every rank that has accesses whose bytes are under way, ascending; loads and stores
  /// together. O(accesses log accesses).
  [[nodiscard]] std::vector<Rate> rates() const;

  /// Bytes that were moved evenly from one time (picoseconds) to another.
  struct TransferSpan {
    std::int64_t from = 0, until = 0;
    std::int64_t bytes = 0;  ///< of all devices that the access's device stands for
    bool store = false;
    bool together = false;  ///< switches gather or reduce them

    friend bool operator==(const TransferSpan&, const TransferSpan&) = default;
  };
  /// From now on it is kept what is moved when, as the slowest stage of each access carries it.
  void watch() { watched_ = true; }
  /// What was moved since this was last asked; the bytes of an access that has ended sum to its
  /// size.
  [[nodiscard]] std::vector<TransferSpan> moved() { return std::exchange(moved_, {}); }

  /// The memory first. Where switches gather they have what all that share them load together for
  /// each.
  [[nodiscard]] const std::vector<StageCapacity>& stages() const { return stages_; }
  /// What has begun to cross a stage; of all devices, where some stand for others, too.
  [[nodiscard]] StageTraffic traffic(std::size_t stage) const;

 private:
  struct Flow {
    Access access;
    std::vector<MaxMin::Hop> hops;
    std::uint32_t solver = 0;
    double rate = 0;  // bytes per nanosecond
    double left = 0;  // bytes, at `since`
    std::int64_t since = 0;
    std::int64_t begun = 0;
    std::int64_t end = kNever;  // of its last byte at the slowest stage
    std::int64_t tail = 0;      // from there until it is done
    std::int64_t reported = 0;  // bytes that were told as moved
  };
  struct Landing {
    std::int64_t time = 0;
    std::int64_t begun = 0;
    Access access;
    friend auto operator<=>(const Landing&, const Landing&) = default;
  };
  /// Where a device meets a stage, and how many that are like it do.
  struct Place {
    std::uint32_t number = 0;
    std::uint32_t sharing = 1;
  };

  [[nodiscard]] std::vector<MaxMin::Hop> hops(const Access& access) const;
  void enter(const Access& access, std::int64_t now);
  [[nodiscard]] std::int64_t tail_of(const Flow& flow) const;
  [[nodiscard]] std::int64_t crossings(std::size_t stage, const Access& access) const;
  [[nodiscard]] std::int64_t alone(const Access& access) const;
  [[nodiscard]] std::int64_t equivalent_accesses(const Access& access) const;
  void record_moved(Flow& flow, std::int64_t until, std::int64_t bytes);
  void solve(std::int64_t now);
  void find_next();
  void make_solver(const std::vector<std::uint32_t>& places_of_stage);
  void unfold_places();

  std::vector<StageCapacity> stages_;
  std::int64_t devices_ = 0;
  double latency_ns_ = 0;
  double chunk_ = 0;
  bool in_switch_ = false;
  std::vector<std::uint32_t> first_;   // by stage: its first link of the solver
  std::vector<std::int64_t> sharers_;  // by link of the solver: accesses there, of all devices
  // Folded: by stage and class.
  std::vector<std::uint32_t> class_of_, members_;
  std::vector<std::vector<Place>> places_;
  MaxMin solver_{{}};
  std::vector<Access> begun_;
  std::vector<Flow> flows_;
  std::vector<std::uint32_t> of_solver_;
  std::vector<Landing> landing_;
  bool watched_ = false;
  std::vector<TransferSpan> moved_;
  StageTraffic together_, apart_;  // of all devices: what switches gather, all else
  std::int64_t next_ = kNever;
};

}  // namespace orrery::model
