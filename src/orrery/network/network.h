// SPDX-License-Identifier: Apache-2.0
//
// The interface of network models; the simulator depends on nothing else of a network.
// docs/architecture.md explains how to add one.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/core/findings.h"
#include "orrery/core/packet_record.h"
#include "orrery/core/state/state_reader.h"
#include "orrery/core/state/state_writer.h"
#include "orrery/network/dimensions/multi_dim_fabric.h"

namespace orrery::model {

/// A sender or receiver: ranks as the workload numbers them, then memories, then switches.
using EndPoint = std::uint32_t;

/// Numbers of end points of each kind. Networks without memories and switches set only `ranks`.
struct EndPoints {
  std::uint32_t ranks = 0;
  std::uint32_t memories = 0;
  std::uint32_t switches = 0;

  friend bool operator==(const EndPoints&, const EndPoints&) = default;
};

/// The kind of traffic, for networks with priorities.
enum class TrafficClass : std::uint8_t { point_to_point, collective, announcement, memory };

/// One message. The network returns the sender's `token` when the message arrives (Sink::arrives).
struct Send {
  EndPoint from = 0;
  EndPoint to = 0;
  std::int64_t bytes = 0;
  TrafficClass traffic = TrafficClass::collective;
  std::uint32_t token = 0;
  /// Within a tick, an end point sends its messages of one traffic class in the order of `flow`,
  /// then of `order`.
  std::uint64_t flow = 0;
  std::uint64_t order = 0;
  /// The number of equivalent senders that this one represents. More than 1: see Network::fold().
  std::uint32_t weight = 1;

  /// By sender, then by the order in which it sends; the token is compared last.
  friend std::strong_ordering operator<=>(const Send& a, const Send& b);
  friend bool operator==(const Send&, const Send&) = default;
};

/// Properties that the simulator may rely on. It checks these and never the name of a network; a
/// property that is not set does not hold.
struct Traits {
  /// A message lasts uncontended_time(), independent of other messages: the simulator never calls
  /// send().
  bool uncontended = false;
  /// Arrivals do not depend on the order in which messages are sent within a tick.
  bool tick_order_free = false;
  /// One end point may represent all that have the same port_class() and pair_class().
  bool foldable = false;
  /// Links serve messages in order of arrival. Otherwise the order of messages that share a link
  /// does not matter.
  bool in_order = false;
  /// Behavior is invariant under shifts in time; a message that has arrived leaves no state.
  bool repeatable = false;
  /// Ranks may be simulated in parallel, with uncontended_time() as the lookahead.
  bool parallel = false;
  /// A process can have only one such network.
  bool one_per_process = false;
};

/// Receives the events of a network.
class Sink {
 public:
  virtual ~Sink() = default;
  /// The message with this token arrives now.
  virtual void arrives(std::uint32_t token) = 0;
  /// Requests Network::called(code) in `delay` picoseconds, after all events that are already due
  /// then. Only for networks that depend on the order within a tick (not tick_order_free).
  virtual void call(std::int64_t delay, std::uint64_t code) = 0;
  /// A message of a representative used links that not all represented ranks have. The simulator
  /// must repeat the folded run, with links compared (Network::compare_links()) or rank by rank.
  virtual void not_equivalent() = 0;
  /// in_order, folded: messages of several senders reached `link` in one tick, so that their order
  /// depends on the numbers of the senders. The simulator must repeat the folded run: with the
  /// order of senders on this link (see EquivalentLinks::is_ordered()), or rank by rank.
  virtual void order_matters(std::uint32_t link) = 0;
  /// in_order, not tick_order_free, folded: the message has begun to cross `link`, the last of its
  /// route, and will arrive after `delay`.
  virtual void will_arrive(const Send& message, std::int64_t delay, std::uint32_t link) = 0;
  /// A time exceeds the range of the clock.
  virtual void exceeds_clock() = 0;
};

/// A link or a port, which carries bytes and can be busy.
struct LinkPlace {
  static constexpr std::uint32_t kNoRank = ~0u;

  std::uint32_t dim = 0;         ///< dimension of the platform
  std::uint32_t from = kNoRank;  ///< rank
  std::uint32_t to = kNoRank;    ///< rank; kNoRank: a switch
  bool down = false;             ///< from the switch to the rank `from`
  // Links of a fabric:
  std::string name{};           ///< "leaf0 -> spine1"; empty: link of a dimension
  std::string_view kind{};      ///< "network"
  double bytes_per_second = 0;  ///< 0: the bandwidth of its dimension
};

/// A link of a route, and the share of the bytes that it carries. Above 0, at most 1.
struct Crossing {
  std::uint32_t link = 0;
  float share = 1;

  friend bool operator==(const Crossing&, const Crossing&) = default;
};

/// Properties of a link that determine the times of messages.
struct LinkKind {
  double bytes_per_ns = 0;
  double latency_ns = 0;  ///< 0 if only the latency of complete routes is relevant

  friend bool operator==(const LinkKind&, const LinkKind&) = default;
};

/// Links that carry the same bytes at the same times if equivalent ranks send the same messages.
struct EquivalentLinks {
  std::vector<std::uint32_t> first;  ///< by link: the lowest equivalent link
  std::vector<std::uint32_t> count;  ///< by link: how many are equivalent, including itself
  /// Traits::in_order: the senders whose messages cross each link, ascending.
  std::vector<std::size_t> first_sender;  ///< by link, and the end
  std::vector<EndPoint> senders;
  /// By sender: the index, among the senders of the first equivalent link, of the sender there that
  /// sends equivalent messages over it.
  std::vector<std::uint32_t> places;
  std::vector<bool> ordered;  ///< by link: see is_ordered()

  [[nodiscard]] bool empty() const { return first.empty(); }
  /// The place of a sender of a link. O(log senders).
  [[nodiscard]] std::uint32_t place(std::uint32_t link, EndPoint sender) const;
  /// Whether equivalent senders have the same order on all equivalent links: that of their places.
  [[nodiscard]] bool is_ordered(std::uint32_t link) const { return ordered[first[link]]; }
};

/// Receives the traffic of links.
class LinkObserver {
 public:
  virtual ~LinkObserver() = default;
  /// `link` carries `bytes` from `from` to `until` (picoseconds), `times` times. Folded: each of
  /// the links that `link` represents does (Network::reported_as()).
  virtual void carries(std::uint32_t link, std::int64_t from, std::int64_t until,
                       std::int64_t bytes, std::uint32_t times) = 0;
};

/// Accepts messages and reports their arrivals. Times are picoseconds and never decrease from call
/// to call. Not thread-safe, except uncontended_time(), port_class() and pair_class() after one
/// call of each.
///
/// How to drive a contended network: within a tick, send() all messages; at the end of the tick,
/// settle(); when the clock reaches next(), advance(). A network that is not tick_order_free is
/// settled after each send() and requests called() by Sink::call().
class Network {
 public:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  virtual ~Network() = default;

  [[nodiscard]] const Traits& traits() const { return traits_; }
  [[nodiscard]] const EndPoints& end_points() const { return end_points_; }

  /// Time of a message without contention, in picoseconds. 0 if `from` is `to`.
  /// MultiDimFabric::kTooLong: it exceeds the range of the clock. A lower bound for every message,
  /// unless a fault changes its route (a Valiant route is longer than the shortest; its
  /// intermediate switch may be down).
  [[nodiscard]] std::int64_t uncontended_time(EndPoint from, EndPoint to,
                                              std::int64_t bytes) const {
    return by_dimensions_ != nullptr ? by_dimensions_->delay(from, to, bytes)
                                     : compute_uncontended_time(from, to, bytes);
  }
  /// The dimensions, if uncontended_time() is MultiDimFabric::delay and so equal for all pairs at
  /// one distance. Otherwise null.
  [[nodiscard]] const MultiDimFabric* by_dimensions() const { return by_dimensions_.get(); }

  /// The memories that are nearest to a rank, numbered from 0, ascending. Empty: there are none.
  [[nodiscard]] virtual std::span<const std::uint32_t> nearest_memories(EndPoint /*rank*/) const {
    return {};
  }

  /// foldable: ranks with equal numbers have equal ports into the network. O(1).
  [[nodiscard]] virtual std::uint32_t port_class(EndPoint /*rank*/) const { return 0; }
  /// foldable: the relation of two end points. Pairs with equal places and equal numbers have equal
  /// message times; if in_order, only if they also cross links of equal kinds. 0: `from` is `to`.
  [[nodiscard]] virtual std::uint32_t pair_class(EndPoint from, EndPoint to) const {
    return from == to ? 0 : 1;
  }
  /// foldable: all ranks have equivalent positions. One rank may represent all if every rank
  /// behaves identically towards every other.
  [[nodiscard]] virtual bool uniform() const { return by_dimensions_ != nullptr; }
  /// foldable and contended: messages share links that belong to no rank, so that the equivalence
  /// of ranks depends on that of links: see crossings() and link_kind().
  [[nodiscard]] virtual bool shares_links() const { return false; }
  /// The links on the route from one end point to another. `from` is not `to`.
  virtual void crossings(EndPoint from, EndPoint to, std::vector<Crossing>& out) const;
  /// Links of equal kinds have equal message times.
  [[nodiscard]] virtual LinkKind link_kind(std::uint32_t link) const;
  /// foldable and contended: shares_links() is true from now on.
  virtual void compare_links();
  /// foldable and contended: from now on only one rank of each class sends, for all of them
  /// (Send::weight), to any member of a class. `class_of` is by rank, `members` (the size) by
  /// class. `links` is empty unless shares_links().
  virtual void fold(const std::vector<std::uint32_t>& class_of,
                    const std::vector<std::uint32_t>& members, const EquivalentLinks& links);

  /// Accepts a message; from != to.
  virtual void send(const Send& message) = 0;
  /// Whether a message was sent since the last settle().
  [[nodiscard]] virtual bool unsettled() const = 0;
  /// The simulator calls this when no more messages follow at `now`, or when the network need not
  /// wait for them.
  virtual void settle(std::int64_t now, Sink& sink) = 0;
  /// The time of the next advance(); kNever: none until a message is sent. O(1).
  [[nodiscard]] virtual std::int64_t next() const = 0;
  /// Increases whenever next() may have changed, also to a later time because rates changed.
  [[nodiscard]] virtual std::uint64_t epoch() const = 0;
  /// Advances to `until`, at most to next(). The order of arrivals depends only on the messages.
  virtual void advance(std::int64_t until, Sink& sink) = 0;
  /// The callback requested by Sink::call().
  virtual void called(std::int64_t now, std::uint64_t code, Sink& sink);

  /// Why messages will not arrive although next() is kNever, as part of a sentence. Empty: unknown.
  [[nodiscard]] virtual std::string why_stalled() const { return {}; }

  /// What a user should know of the run until now.
  virtual void add_findings(Findings& /*findings*/) const {}
  /// The packets until now. Empty: the network simulates none.
  [[nodiscard]] virtual std::optional<PacketTotals> packet_totals() const { return {}; }
  /// … at each port and of each message, while traffic was reported (observe()). `link` counts as
  /// in link().
  [[nodiscard]] virtual std::optional<PacketRecord> packet_record() const { return {}; }

  /// A copy that continues from the current state. Null: not supported; the simulator then neither
  /// skips iterations nor copies runs.
  [[nodiscard]] virtual std::unique_ptr<Network> snapshot() const = 0;

  /// Whether save() and load() work. Otherwise the simulator refuses checkpoints.
  [[nodiscard]] virtual bool can_be_saved() const { return false; }
  /// Writes the current state, and continues from it. The two networks have the same platform and
  /// are folded alike. Call save() when nothing is unsettled.
  virtual void save(StateWriter& /*to*/) const {}
  virtual void load(StateReader& /*from*/) {}

  /// Reports link traffic to `observer` from now on; null: stops.
  void observe(LinkObserver* observer) { observer_ = observer; }
  /// 0: links are not modeled.
  [[nodiscard]] virtual std::uint32_t link_count() const { return 0; }
  [[nodiscard]] virtual LinkPlace link(std::uint32_t number) const;
  /// foldable and contended: whether reported_as() is right for all work. If not, compare_links()
  /// makes it so.
  [[nodiscard]] virtual bool knows_equivalent_links() const { return true; }
  /// foldable and contended, after fold(): by link, the equivalent link for which its traffic is
  /// reported. Empty: links represent only themselves. O(links × log links) at the first call.
  [[nodiscard]] virtual std::span<const std::uint32_t> reported_as() { return {}; }

 protected:
  Network(EndPoints end_points, Traits traits,
          std::shared_ptr<const MultiDimFabric> by_dimensions = nullptr)
      : end_points_(end_points), traits_(traits), by_dimensions_(std::move(by_dimensions)) {}
  Network(const Network& other)
      : end_points_(other.end_points_),
        traits_(other.traits_),
        by_dimensions_(other.by_dimensions_) {}
  Network& operator=(const Network&) = delete;

  /// Implements uncontended_time() if by_dimensions() is null.
  [[nodiscard]] virtual std::int64_t compute_uncontended_time(EndPoint from, EndPoint to,
                                                              std::int64_t bytes) const = 0;

  [[nodiscard]] bool observed() const { return observer_ != nullptr; }
  void report_carried(std::uint32_t link, std::int64_t from, std::int64_t until, std::int64_t bytes,
                      std::uint32_t times = 1) const {
    if (observer_ != nullptr) observer_->carries(link, from, until, bytes, times);
  }

 private:
  EndPoints end_points_;
  Traits traits_;
  std::shared_ptr<const MultiDimFabric> by_dimensions_;
  LinkObserver* observer_ = nullptr;
};

/// Returns the network model that the platform specifies. `ns3`: Platform::ns3 is not null, and
/// check_ns3() accepts the platform. Throws MemoryShortage if the graph of its dimensions does not
/// fit (core/system/memory_limit.h); see platform::has_room_for_flows().
[[nodiscard]] std::unique_ptr<Network> make_network(const platform::Platform& platform);

}  // namespace orrery::model
