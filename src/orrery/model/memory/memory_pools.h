// SPDX-License-Identifier: Apache-2.0
//
// Contention at remote memories: accesses share each memory, and the links to it, fairly.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "orrery/model/memory/memory_stages.h"
#include "orrery/network/max_min/max_min.h"
#include "orrery/platform/platform.h"

namespace orrery::model {

/// The bytes that cross a stage, in both directions.
struct StageTraffic {
  std::uint64_t loaded = 0;  ///< bytes
  std::uint64_t stored = 0;

  friend bool operator==(const StageTraffic&, const StageTraffic&) = default;
};

/// Simulates accesses as flows through the memory and its stages, at max-min fair rates
/// (max_min.h). Loads and stores share the bandwidth of a memory; a link has its bandwidth in each
/// direction. An access ends when its last byte has passed its slowest stage, plus the latency,
/// plus the time of a chunk in all other stages as they were shared at its begin. So accesses that
/// begin together end as all_load_ns() predicts. All accesses that begin or end in one tick are one
/// change.
///
/// If switches gather, data that all devices load together crosses each stage once for all of them;
/// each device's access is one equal part of it. This assumes that the devices load at about the
/// same time.
class MemoryPools {
 public:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  /// One load or store. `rank` and `node` identify it for the caller.
  struct Access {
    std::uint32_t device = 0;  ///< device that accesses, by its number in the platform
    std::uint32_t rank = 0;
    std::uint32_t node = 0;
    std::int64_t bytes = 0;
    bool store = false;
    bool together = true;  ///< if switches gather: all devices load or store the same data

    friend auto operator<=>(const Access&, const Access&) = default;
  };
  struct FinishedAccess {
    Access access;
    std::int64_t lost = 0;  ///< delay by contention, picoseconds
  };

  explicit MemoryPools(const platform::Platform& platform);

  /// From now on, one device of each class accesses for all devices of its class. `class_of` is by
  /// device, `members` (the size) by class. False: devices of one class share memories or links
  /// with different devices, so that none may represent the others. O(devices × stages).
  [[nodiscard]] bool fold(const std::vector<std::uint32_t>& class_of,
                          const std::vector<std::uint32_t>& members);

  [[nodiscard]] bool folded() const { return !class_of_.empty(); }

  /// Whether the duration of the access exceeds the range of the clock. Such an access must not
  /// begin.
  [[nodiscard]] bool exceeds_clock(const Access& access) const;
  void begin(const Access& access) { new_accesses_.push_back(access); }
  [[nodiscard]] bool unsettled() const { return !new_accesses_.empty(); }
  /// The caller calls this when no more accesses begin at `now`.
  void settle(std::int64_t now);
  /// The next time at which an access ends or rates change; kNever: none until an access begins.
  [[nodiscard]] std::int64_t next() const { return next_; }
  /// Advances to `now`, which is next(), and adds the accesses that end to `out`. Their order
  /// depends only on the accesses.
  void advance(std::int64_t now, std::vector<FinishedAccess>& out);

  /// The current transfer rate of a rank.
  struct Rate {
    std::uint32_t rank = 0;
    double bytes_per_ns = 0;
  };
  /// The rates of all ranks with accesses in progress, by rank, ascending; loads and stores
  /// together. O(accesses log accesses).
  [[nodiscard]] std::vector<Rate> rates() const;

  /// Bytes that were transferred at a constant rate between two times (picoseconds).
  struct TransferSpan {
    std::int64_t from = 0, until = 0;
    std::int64_t bytes = 0;     ///< of one device
    std::uint32_t devices = 1;  ///< that the access's device represents
    bool store = false;
    bool together = false;  ///< whether switches gather or reduce them

    friend bool operator==(const TransferSpan&, const TransferSpan&) = default;
  };
  /// From now on, records transfers, as the slowest stage of each access carries them.
  void watch() { is_recording_ = true; }
  /// Returns the transfers since the last call. The bytes of an access that has ended sum to its
  /// size.
  [[nodiscard]] std::vector<TransferSpan> moved() { return std::exchange(transfers_, {}); }

  /// The memory, then the other stages. If switches gather, capacities are multiplied by the number
  /// of devices that share the stage.
  [[nodiscard]] const std::vector<StageCapacity>& stages() const { return stages_; }
  /// The bytes of accesses that have begun to cross a stage, including those of represented
  /// devices.
  [[nodiscard]] StageTraffic traffic(std::size_t stage) const;

  /// Its state, for checkpoints.
  static auto fields(auto& self) {
    auto& [stages, devices, latency, chunk, in_switch, first, sharers, class_of, members, places,
           solver, new_accesses, flows, of_solver, pending, is_recording, transfers, gathered,
           separate, next] = self;
    return std::tie(stages, first, sharers, class_of, members, places, solver, new_accesses, flows,
                    of_solver, pending, transfers, gathered, separate, next);
  }

 private:
  struct Flow {
    Access access;
    std::vector<MaxMin::Hop> hops;
    std::uint32_t solver = 0;
    double rate = 0;       // bytes per nanosecond
    double remaining = 0;  // remaining bytes at `since`
    std::int64_t since = 0;
    std::int64_t begun = 0;
    std::int64_t end = kNever;  // when its last byte passes the slowest stage
    std::int64_t tail = 0;      // time from `end` until the access is done
    std::int64_t reported = 0;  // bytes recorded as transferred
  };
  struct PendingAccess {
    std::int64_t time = 0;
    std::int64_t begun = 0;
    Access access;
    friend auto operator<=>(const PendingAccess&, const PendingAccess&) = default;
  };
  /// The part of a stage that a device uses, and the number of equivalent devices that share it.
  struct Place {
    std::uint32_t number = 0;
    std::uint32_t sharing = 1;
  };

  [[nodiscard]] std::vector<MaxMin::Hop> hops(const Access& access) const;
  void start_flow(const Access& access, std::int64_t now);
  [[nodiscard]] std::int64_t tail_of(const Flow& flow) const;
  [[nodiscard]] std::int64_t crossings(std::size_t stage, const Access& access) const;
  [[nodiscard]] std::int64_t uncontended_time(const Access& access) const;
  [[nodiscard]] std::uint32_t equivalent_accesses(const Access& access) const;
  void record_transfer(Flow& flow, std::int64_t until, std::int64_t bytes);
  void solve(std::int64_t now);
  void find_next();
  void make_solver(const std::vector<std::uint32_t>& places_of_stage);
  void unfold_places();

  std::vector<StageCapacity> stages_;
  std::int64_t devices_ = 0;
  double latency_ns_ = 0;
  double chunk_ = 0;
  bool in_switch_ = false;
  std::vector<std::uint32_t> first_;   // by stage: its first link in the solver
  std::vector<std::int64_t> sharers_;  // by link of the solver: number of accesses of all devices
  // If folded; places_ is by stage and class.
  std::vector<std::uint32_t> class_of_, members_;
  std::vector<std::vector<Place>> places_;
  MaxMin solver_{{}};
  std::vector<Access> new_accesses_;
  std::vector<Flow> flows_;
  std::vector<std::uint32_t> of_solver_;
  std::vector<PendingAccess> pending_;
  bool is_recording_ = false;
  std::vector<TransferSpan> transfers_;
  StageTraffic gathered_, separate_;  // of all devices: gathered by switches, all other
  std::int64_t next_ = kNever;
};

}  // namespace orrery::model
