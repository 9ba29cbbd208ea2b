// SPDX-License-Identifier: Apache-2.0
//
// Store-and-forward model of congestion: a link carries one complete message at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "orrery/core/state/state_reader.h"
#include "orrery/core/state/state_writer.h"
#include "orrery/network/dimension_links.h"
#include "orrery/network/fabric_links.h"
#include "orrery/network/network.h"

namespace orrery::model {

/// Common part of all networks of links: links of one kind, and the tokens of the messages on them.
template <class L>
class LinkNetwork : public Network {
 public:
  [[nodiscard]] std::uint32_t link_count() const override {
    return static_cast<std::uint32_t>(links_.link_count());
  }
  [[nodiscard]] LinkPlace link(std::uint32_t number) const override {
    return links_.describe(number);
  }
  [[nodiscard]] std::span<const std::uint32_t> nearest_memories(EndPoint rank) const override {
    return links_.nearest_memories(rank);
  }
  void send(const Send& message) override { sent_.push_back(message); }
  [[nodiscard]] bool unsettled() const override { return !sent_.empty(); }
  [[nodiscard]] bool can_be_saved() const override { return true; }
  void save(StateWriter& to) const override { to(sent_, links_, messages_); }
  void load(StateReader& from) override { from(sent_, links_, messages_); }

 protected:
  LinkNetwork(const platform::Platform& platform, Traits traits);

  [[nodiscard]] std::int64_t compute_uncontended_time(EndPoint from, EndPoint to,
                                                      std::int64_t bytes) const override {
    return from == to ? 0 : links_.uncontended_time(from, to, bytes);
  }
  /// Adds the message to the links and returns its number there.
  [[nodiscard]] std::uint32_t add(const Send& message);
  /// Puts the message on its next link: it departs now, or waits there.
  void forward(std::uint32_t message, std::int64_t now, Sink& sink);
  virtual void depart(const DimensionLinks::Departure& departure, std::int64_t now, Sink& sink) = 0;

  std::vector<Send> sent_;
  L links_;
  std::vector<Send> messages_;  // by number on the links
};

/// Orrery rules. Within a tick, links that become idle first serve waiting messages. Then messages
/// in transit continue, then new messages start, both in the order of Send (sender first).
template <class L>
class MessageNetworkOn final : public LinkNetwork<L> {
 public:
  explicit MessageNetworkOn(const platform::Platform& platform);

  void settle(std::int64_t now, Sink& sink) override;
  static constexpr std::int64_t kNever = Network::kNever;
  [[nodiscard]] std::int64_t next() const override { return next_; }
  [[nodiscard]] std::uint64_t epoch() const override { return epoch_; }
  void advance(std::int64_t until, Sink& sink) override;
  [[nodiscard]] std::unique_ptr<Network> snapshot() const override;
  void save(StateWriter& to) const override {
    LinkNetwork<L>::save(to);
    to(events_, next_, epoch_);
  }
  void load(StateReader& from) override {
    LinkNetwork<L>::load(from);
    from(events_, next_, epoch_);
  }

 private:
  struct DueEvent {
    std::int64_t time;
    bool arrival;          // true: a message arrives; false: a link becomes idle
    std::uint32_t number;  // of the message or of the link
  };
  void depart(const DimensionLinks::Departure& departure, std::int64_t now, Sink& sink) override;
  void schedule(const DueEvent& due);

  std::vector<DueEvent> events_;         // a heap by time
  std::vector<std::uint32_t> arriving_;  // messages that arrive in the current tick
  std::int64_t next_ = kNever;
  std::uint64_t epoch_ = 0;
};
using MessageNetwork = MessageNetworkOn<DimensionLinks>;
using FabricMessageNetwork = MessageNetworkOn<FabricLinks>;

/// ASTRA rules: handles messages in the order of the simulator's events.
class OrderedMessageNetwork final : public LinkNetwork<DimensionLinks> {
 public:
  explicit OrderedMessageNetwork(const platform::Platform& platform);

  void settle(std::int64_t now, Sink& sink) override;
  [[nodiscard]] std::int64_t next() const override { return kNever; }
  [[nodiscard]] std::uint64_t epoch() const override { return 0; }
  void advance(std::int64_t /*until*/, Sink& /*sink*/) override {}
  void called(std::int64_t now, std::uint64_t code, Sink& sink) override;
  [[nodiscard]] std::unique_ptr<Network> snapshot() const override;

 private:
  void depart(const DimensionLinks::Departure& departure, std::int64_t now, Sink& sink) override;
};

}  // namespace orrery::model
