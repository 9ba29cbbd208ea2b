// SPDX-License-Identifier: Apache-2.0
//
// A packet engine that leaves out periods that repeat exactly.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "orrery/network/packet/packet_engine.h"
#include "orrery/platform/packet_settings.h"

namespace orrery::model {

/// Routes between numbered ends, as links of one engine.
class GivenRoutes final : public PacketRouter {
 public:
  void add(std::uint32_t from, std::uint32_t to, const std::vector<std::uint32_t>& links) {
    routes_.try_emplace(key_of(from, to), links);
  }
  [[nodiscard]] std::uint32_t node_of(std::uint32_t /*end_point*/) const override { return 0; }
  [[nodiscard]] bool sprays() const override { return false; }
  void append_route(std::uint32_t state, std::uint32_t from, std::uint32_t to,
                    std::uint32_t entropy, std::vector<std::uint32_t>& links) override;
  void append_next(std::uint32_t state, std::uint32_t node, std::uint32_t to,
                   std::vector<std::uint32_t>& links) override;

 private:
  [[nodiscard]] static std::uint64_t key_of(std::uint32_t from, std::uint32_t to) {
    return std::uint64_t{from} << 32 | to;
  }
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> routes_;
};

/// Simulates packets until their state, relative to the time, is what it was before. From then on
/// everything repeats with this period until a message is posted or a message ends, so that the
/// engine removes the packets of complete periods from the messages and shifts its clock. The
/// result is exactly that of PacketEngine.
///
/// Times begin at 0. The state is compared only when the packets of the longest message seem to
/// repeat; after each failure it waits longer.
class SteadyEngine {
 public:
  using Report = PacketEngine::Report;
  static constexpr std::int64_t kNever = PacketEngine::kNever;

  SteadyEngine(const platform::PacketSettings& settings, std::optional<std::int64_t> usual_window);

  std::uint32_t add_link(const PacketLink& link, const PacketLink* back) {
    return engine_.add_link(link, back);
  }
  [[nodiscard]] GivenRoutes& routes() { return *routes_; }
  /// Sends a message at `now`, the time of the last run().
  void post(const PacketPost& message, std::int64_t now, Report& report);
  /// Handles all events until `until`.
  void run(std::int64_t until, Report& report);
  /// The current time, also during Report::arrives().
  [[nodiscard]] std::int64_t now() const { return engine_.now() + offset_; }
  /// No message arrives before, unless one is posted.
  [[nodiscard]] std::int64_t next_arrival() const;
  [[nodiscard]] bool is_quiet() const { return engine_.is_quiet(); }
  [[nodiscard]] std::int64_t quiet_since() const { return engine_.quiet_since() + offset_; }
  /// Events that PacketEngine would have handled, and those that were handled.
  [[nodiscard]] std::uint64_t events() const { return simulated() + skipped_; }
  [[nodiscard]] std::uint64_t simulated() const { return engine_.counts().events; }
  [[nodiscard]] const PacketEngine& engine() const { return engine_; }

 private:
  static constexpr std::uint64_t kLeastPackets = 128;  // of a message that is worth it
  static constexpr std::size_t kFirstWait = 48, kLongestWait = 4096;  // packets
  static constexpr int kMultiples = 6;

  void watch_anew(std::size_t wait);
  bool watch(std::int64_t until, Report& report);
  void note_packet();
  void begin_comparison(std::size_t period);
  [[nodiscard]] bool compare();
  [[nodiscard]] std::size_t seeming_period() const;

  std::shared_ptr<GivenRoutes> routes_;
  PacketEngine engine_;
  std::int64_t offset_ = 0;  // of the time from that of the engine
  std::uint64_t skipped_ = 0;

  // The packets of one connection:
  struct Stop {
    std::uint64_t interval = 0;  // since the packet before: hash of the time and events
    std::uint64_t next = 0;      // number of the next packet
  };
  std::uint32_t watched_ = kNoPacket;
  std::uint64_t stop_at_ = 0;
  std::vector<Stop> stops_;
  std::size_t wait_ = kFirstWait;
  std::int64_t stopped_ = 0;
  std::uint64_t stopped_events_ = 0;
  // A state, and the packets until it is compared:
  std::vector<std::uint64_t> state_, state_progress_;
  std::int64_t state_time_ = 0;
  std::uint64_t state_events_ = 0, compare_every_ = 0;
  int compared_ = 0;
  // The period; 0: none is known.
  std::int64_t period_ = 0;
  std::uint64_t period_events_ = 0;
  std::vector<std::uint64_t> sent_;  // packets in a period, by connection
};

}  // namespace orrery::model
