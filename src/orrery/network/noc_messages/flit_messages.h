// SPDX-License-Identifier: Apache-2.0
//
// Messages as packets of flits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "orrery/network/noc/flit_engine.h"
#include "orrery/platform/noc_settings.h"

namespace orrery::model {

struct FlitMessage {
  std::uint32_t from = 0, to = 0;  ///< nodes
  std::int64_t bytes = 0;
  std::uint32_t token = 0;
  std::uint64_t key = 0;  ///< random, of its routes
};

/// Sends messages over a FlitEngine. A node sends its messages one after another, in packets.
class FlitMessages {
 public:
  /// `settings` is complete.
  FlitMessages(noc::FlitEngine engine, const platform::NocSettings& settings);

  [[nodiscard]] std::uint64_t packet_count(std::int64_t bytes) const;
  /// Flits of a message, with the heads of its packets.
  [[nodiscard]] std::int64_t flit_count(std::int64_t bytes) const;

  /// Sends a message after `now`, the time of the last run().
  void post(const FlitMessage& message, std::int64_t now);
  /// Simulates until `until`. Calls `arrives(token, time)` for complete messages, in order of time.
  template <class Arrives>
  void run(std::int64_t until, const Arrives& arrives) {
    // In steps, so that no source runs out of packets.
    while (engine_.next_delivery() <= until) {
      engine_.run(engine_.next_delivery());
      take_deliveries(arrives);
    }
    engine_.run(until);
    take_deliveries(arrives);
  }
  /// No message arrives before, unless one is posted.
  [[nodiscard]] std::int64_t next_arrival() const { return engine_.next_delivery(); }

  [[nodiscard]] const noc::FlitEngine& engine() const { return engine_; }
  [[nodiscard]] noc::FlitEngine& engine() { return engine_; }

 private:
  /// A message whose packets are in the network or wait for it.
  struct Message {
    std::uint32_t token = 0;
    std::uint32_t to = 0;
    std::int64_t bytes = 0;                      // not yet in packets
    std::int64_t created = 0;                    // after this time
    std::uint64_t packets = 0, undelivered = 0;  // not yet in packets; not yet arrived
    std::uint64_t key = 0;
  };

  template <class Arrives>
  void take_deliveries(const Arrives& arrives) {
    feed_senders();
    for (const noc::Delivery& one : engine_.deliveries()) {
      Message& message = messages_[one.packet.tag];
      if (--message.undelivered > 0) continue;
      unused_.push_back(one.packet.tag);
      arrives(message.token, one.time);
    }
    engine_.clear_deliveries();
  }
  void feed_senders();
  void feed(std::uint32_t from);
  void post_packet(std::uint32_t from, std::uint32_t number);

  platform::NocSettings settings_;
  noc::FlitEngine engine_;
  std::vector<Message> messages_;
  std::vector<std::uint32_t> unused_;
  std::vector<std::deque<std::uint32_t>> waiting_;  // by sender: messages with packets to post
  std::vector<std::uint32_t> senders_;              // those with waiting messages
};

}  // namespace orrery::model
