// SPDX-License-Identifier: Apache-2.0
//
// Store-and-forward model of congestion: a link carries one complete message at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
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
  [[nodiscard]] bool shares_links() const override { return true; }
  void crossings(EndPoint from, EndPoint to, std::vector<Crossing>& out) const override {
    links_.crossings(from, to, out);
  }
  [[nodiscard]] LinkKind link_kind(std::uint32_t link) const override {
    return links_.link_kind(link);
  }
  void fold(const std::vector<std::uint32_t>& class_of, const std::vector<std::uint32_t>& members,
            const EquivalentLinks& links) override;
  [[nodiscard]] std::span<const std::uint32_t> reported_as() override { return equivalent_.first; }
  void send(const Send& message) override { sent_.push_back(message); }
  [[nodiscard]] bool unsettled() const override { return !sent_.empty(); }
  [[nodiscard]] bool can_be_saved() const override { return true; }
  void save(StateWriter& to) const override { to(sent_, links_, messages_); }
  void load(StateReader& from) override { from(sent_, links_, messages_); }

 protected:
  LinkNetwork(const platform::Platform& platform, L links, bool tick_order_free);

  [[nodiscard]] std::int64_t compute_uncontended_time(EndPoint from, EndPoint to,
                                                      std::int64_t bytes) const override {
    return from == to ? 0 : links_.uncontended_time(from, to, bytes);
  }
  /// Adds the message to the links and returns its number there.
  [[nodiscard]] std::uint32_t add(const Send& message);
  /// Puts the message on its next link: it departs now, or waits there.
  void forward(std::uint32_t message, std::int64_t now, Sink& sink);
  virtual void depart(const DimensionLinks::Departure& departure, std::int64_t now, Sink& sink) = 0;
  [[nodiscard]] bool is_folded() const { return !equivalent_.empty(); }

  std::vector<Send> sent_;
  L links_;
  EquivalentLinks equivalent_;  // empty: not folded
  std::vector<Send> messages_;  // by number on the links
};

/// Orrery rules. Within a tick, links that become idle first serve waiting messages. Then messages
/// in transit continue, then new messages start, both in the order of Send (sender first).
///
/// Folded, messages that reach one link in this way have the order of the places of their senders
/// (EquivalentLinks::is_ordered()): on every equivalent link, that is the order of the senders'
/// numbers. If the link is not ordered, the network reports Sink::order_matters().
template <class L>
class MessageNetworkOn final : public LinkNetwork<L> {
 public:
  explicit MessageNetworkOn(const platform::Platform& platform)
      : MessageNetworkOn(platform, L(platform)) {}

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
  /// A message at its next link.
  struct Entry {
    std::uint32_t queue;  // the link that represents its link
    Send order;           // the message, with the place of its sender as sender
    std::uint32_t message;
  };
  MessageNetworkOn(const platform::Platform& platform, L links);
  void enter(std::int64_t now, Sink& sink);
  [[nodiscard]] bool sort_by_place(std::span<Entry> entries);
  void depart(const DimensionLinks::Departure& departure, std::int64_t now, Sink& sink) override;
  void schedule(const DueEvent& due);

  std::vector<DueEvent> events_;         // a heap by time
  std::vector<std::uint32_t> arriving_;  // messages that arrive in the current tick
  std::vector<std::uint32_t> entering_;  // messages whose next link is known, in order of Send
  std::vector<Entry> entries_;           // scratch
  std::int64_t next_ = kNever;
  std::uint64_t epoch_ = 0;
};
using MessageNetwork = MessageNetworkOn<DimensionLinks>;
using FabricMessageNetwork = MessageNetworkOn<FabricLinks>;

/// ASTRA rules: handles messages in the order of the simulator's events.
///
/// Folded, the order of two messages that reach one link in one tick must not depend on the numbers
/// of ranks. It does not if one sender sends both, or if they have left their last links at
/// different times, because events of a tick are handled in the order in which they were requested.
/// Otherwise the network reports Sink::order_matters(). (A link that becomes idle in that tick has
/// no effect on the order: the oldest waiting message departs in any case.)
class OrderedMessageNetwork final : public LinkNetwork<DimensionLinks> {
 public:
  explicit OrderedMessageNetwork(const platform::Platform& platform)
      : OrderedMessageNetwork(platform, DimensionLinks(platform)) {}

  void settle(std::int64_t now, Sink& sink) override;
  [[nodiscard]] std::int64_t next() const override { return kNever; }
  [[nodiscard]] std::uint64_t epoch() const override { return 0; }
  void advance(std::int64_t /*until*/, Sink& /*sink*/) override {}
  void called(std::int64_t now, std::uint64_t code, Sink& sink) override;
  [[nodiscard]] std::unique_ptr<Network> snapshot() const override;
  void save(StateWriter& to) const override {
    LinkNetwork::save(to);
    to(entries_, departed_);
  }
  void load(StateReader& from) override {
    LinkNetwork::load(from);
    from(entries_, departed_);
  }

 private:
  static constexpr std::int64_t kNew = -1;
  /// The last message that reached a link.
  struct Entry {
    std::int64_t time = -1;
    std::int64_t departed = kNew;  // when it left its last link
    std::uint32_t place = 0;       // of its sender
  };
  OrderedMessageNetwork(const platform::Platform& platform, DimensionLinks links);
  void enter(std::uint32_t message, std::int64_t departed, std::int64_t now, Sink& sink);
  void depart(const DimensionLinks::Departure& departure, std::int64_t now, Sink& sink) override;

  std::vector<Entry> entries_;          // folded: by link that represents others
  std::vector<std::int64_t> departed_;  // folded: by message
};

}  // namespace orrery::model
