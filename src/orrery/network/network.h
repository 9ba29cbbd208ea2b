// SPDX-License-Identifier: Apache-2.0
//
// The contract for networks: whoever drives one knows nothing else of it. docs/architecture.md says
// how to add one.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/network/dimensions/multi_dim_fabric.h"

namespace orrery::model {

/// Who sends and receives: ranks as the workload numbers them, then memories, then switches.
using EndPoint = std::uint32_t;

/// How many of each there are; only ranks, unless a network says otherwise.
struct EndPoints {
  std::uint32_t ranks = 0;
  std::uint32_t memories = 0;
  std::uint32_t switches = 0;

  friend bool operator==(const EndPoints&, const EndPoints&) = default;
};

/// What is sent: networks with priorities tell them apart.
enum class TrafficClass : std::uint8_t { point_to_point, collective, announcement, memory };

/// One message. `token` is the sender's: it comes back when the message is there.
struct Send {
  EndPoint from = 0;
  EndPoint to = 0;
  std::int64_t bytes = 0;
  TrafficClass traffic = TrafficClass::collective;
  std::uint32_t token = 0;
  /// What one end point sends in one tick goes in this order: by `flow`, then by `order`.
  std::uint64_t flow = 0;
  std::uint64_t order = 0;
  /// Of how many equal senders this is one. More than 1: see Network::fold().
  std::uint32_t weight = 1;

  /// By sender and what it sends first; the token comes last.
  friend std::strong_ordering operator<=>(const Send& a, const Send& b);
  friend bool operator==(const Send&, const Send&) = default;
};

/// What may be taken for granted of a network. Who drives it asks this and never its name: what is
/// not stated is not so.
struct Traits {
  /// A message takes what it takes alone(), whatever else is sent: nobody calls send().
  bool uncontended = false;
  /// What is sent within a tick arrives alike in whatever order it was sent.
  bool tick_order_free = false;
  /// One end point may stand for all that place() and colour() do not tell apart.
  bool foldable = false;
  /// Shifted in time, it does the same again; nothing is left of a message that has arrived.
  bool repeatable = false;
  /// Ranks may be simulated side by side, with a lookahead of what messages take alone().
  bool parallel = false;
  /// There can be one in a process.
  bool one_per_process = false;
};

/// What a network tells whoever drives it.
class Sink {
 public:
  virtual ~Sink() = default;
  /// The message with this token is there, now.
  virtual void arrives(std::uint32_t token) = 0;
  /// Network::called(code) is wanted in `delay` picoseconds, after all that is due then already.
  /// Only for networks that see the order within a tick (not tick_order_free).
  virtual void call(std::int64_t delay, std::uint64_t code) = 0;
  /// One that stands for others was sent over links that not all of them have: what was folded has
  /// to be simulated rank by rank.
  virtual void not_equivalent() = 0;
  /// It takes longer than the clock can tell.
  virtual void exceeds_clock() = 0;
};

/// A link, or a port: what carries bytes and can be busy.
struct LinkPlace {
  static constexpr std::uint32_t kNobody = ~0u;

  std::uint32_t dim = 0;         ///< of the platform
  std::uint32_t from = kNobody;  ///< rank
  std::uint32_t to = kNobody;    ///< rank; nobody: a switch
  bool down = false;             ///< from the switch to the rank `from`
  // Of a fabric:
  std::string name{};           ///< "leaf0 -> spine1"; empty: of a dimension
  std::string_view kind{};      ///< "network"
  double bytes_per_second = 0;  ///< what it carries; 0: as its dimension says
};

/// A link on a way, and which part of the bytes it carries. Above 0, at most 1.
struct Crossing {
  std::uint32_t link = 0;
  float share = 1;

  friend bool operator==(const Crossing&, const Crossing&) = default;
};

/// Links that carry the same at the same times, when ranks that are alike do the same.
struct EquivalentLinks {
  std::vector<std::uint32_t> first;  ///< by link: the lowest of those that are like it
  std::vector<std::uint32_t> count;  ///< by link: how many are like it, itself among them

  [[nodiscard]] bool empty() const { return first.empty(); }
};

/// Who wants to know what links carry.
class LinkObserver {
 public:
  virtual ~LinkObserver() = default;
  /// `link` carries `bytes` from `from` to `until` (picoseconds).
  virtual void carries(std::uint32_t link, std::int64_t from, std::int64_t until,
                       std::int64_t bytes) = 0;
};

/// Takes messages and says when they are there. Times are picoseconds; nothing is ever earlier than
/// what was asked last. Not thread-safe, but for alone(), place() and colour() once
/// each was called.
///
/// Driving one that is contended: within a tick, send() whatever is sent; when nothing else is left
/// of the tick, settle(); when the clock comes to next(), advance(). One that is not
/// tick_order_free is settled after each send(), and asks for called() by Sink::call().
class Network {
 public:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  virtual ~Network() = default;

  [[nodiscard]] const Traits& traits() const { return traits_; }
  [[nodiscard]] const EndPoints& end_points() const { return end_points_; }

  /// Time of a message with nobody in its way; 0 to oneself, MultiDimFabric::kTooLong when it does
  /// not fit. None takes less, unless a fault sends it another way (Valiant's is longer than the
  /// shortest: what it goes by way of may be down).
  [[nodiscard]] std::int64_t alone(EndPoint from, EndPoint to, std::int64_t bytes) const {
    return by_dimensions_ != nullptr ? by_dimensions_->delay(from, to, bytes)
                                     : uncontended_time(from, to, bytes);
  }
  /// Where alone() is MultiDimFabric::delay, and so the same for all pairs as far apart: that
  /// fabric. Otherwise null.
  [[nodiscard]] const MultiDimFabric* by_dimensions() const { return by_dimensions_.get(); }

  /// Of EndPoints::memories, those that are nearest to a rank, from 0 on, ascending. Empty: there
  /// are none.
  [[nodiscard]] virtual std::span<const std::uint32_t> nearest_memories(EndPoint /*rank*/) const {
    return {};
  }

  /// foldable: equal numbers, equal ports into the network. O(1).
  [[nodiscard]] virtual std::uint32_t place(EndPoint /*rank*/) const { return 0; }
  /// foldable: what one end point sees of another; equal numbers between equal places, equal times.
  /// 0: itself.
  [[nodiscard]] virtual std::uint32_t colour(EndPoint from, EndPoint to) const {
    return from == to ? 0 : 1;
  }
  /// foldable: all ranks stand alike. What all of them do alike towards all, one may do for all.
  [[nodiscard]] virtual bool uniform() const { return by_dimensions_ != nullptr; }
  /// foldable and contended: messages share links that belong to no rank, so that who is alike
  /// depends on which links are: crossings() and link_kind() say.
  [[nodiscard]] virtual bool shares_links() const { return false; }
  /// The links on the way from one end point to another. `from` is not `to`.
  virtual void crossings(EndPoint from, EndPoint to, std::vector<Crossing>& out) const;
  /// Equal numbers, equal links.
  [[nodiscard]] virtual std::uint64_t link_kind(std::uint32_t link) const;
  /// foldable and contended: from now on only one of each class sends, in the name of all
  /// (Send::weight), to any one of a class. `class_of` by rank, `members` by class; `links`: empty
  /// unless shares_links().
  virtual void fold(const std::vector<std::uint32_t>& class_of,
                    const std::vector<std::uint32_t>& members, const EquivalentLinks& links);

  /// Takes a message; from != to.
  virtual void send(const Send& message) = 0;
  /// Whether something was sent since it was settled last.
  [[nodiscard]] virtual bool unsettled() const = 0;
  /// Nothing else is sent at `now`, or nothing else is to be waited for.
  virtual void settle(std::int64_t now, Sink& sink) = 0;
  /// When it wants to be called next; kNever: as long as nothing is sent, not at all. O(1).
  [[nodiscard]] virtual std::int64_t next() const = 0;
  /// Counts up whenever next() may have become another, also where rates change and it is later.
  [[nodiscard]] virtual std::uint64_t epoch() const = 0;
  /// Goes on to `until`, not beyond next(). Arrivals in an order that depends on the messages
  /// alone.
  virtual void advance(std::int64_t until, Sink& sink) = 0;
  /// What Sink::call() asked for.
  virtual void called(std::int64_t now, std::uint64_t code, Sink& sink);

  /// One that goes on from here as this one does; null: that cannot be done, and nothing is to be
  /// skipped or copied.
  [[nodiscard]] virtual std::unique_ptr<Network> snapshot() const = 0;

  /// Links are told of from now on; null: no longer.
  void observe(LinkObserver* observer) { observer_ = observer; }
  /// 0: they are not modelled.
  [[nodiscard]] virtual std::uint32_t link_count() const { return 0; }
  [[nodiscard]] virtual LinkPlace link(std::uint32_t number) const;

 protected:
  Network(EndPoints end_points, Traits traits,
          std::shared_ptr<const MultiDimFabric> by_dimensions = nullptr)
      : end_points_(end_points), traits_(traits), by_dimensions_(std::move(by_dimensions)) {}
  Network(const Network& other)
      : end_points_(other.end_points_),
        traits_(other.traits_),
        by_dimensions_(other.by_dimensions_) {}
  Network& operator=(const Network&) = delete;

  /// alone(), unless by_dimensions().
  [[nodiscard]] virtual std::int64_t uncontended_time(EndPoint from, EndPoint to,
                                                      std::int64_t bytes) const = 0;

  [[nodiscard]] bool observed() const { return observer_ != nullptr; }
  void report_carried(std::uint32_t link, std::int64_t from, std::int64_t until,
                      std::int64_t bytes) const {
    if (observer_ != nullptr) observer_->carries(link, from, until, bytes);
  }

 private:
  EndPoints end_points_;
  Traits traits_;
  std::shared_ptr<const MultiDimFabric> by_dimensions_;
  LinkObserver* observer_ = nullptr;
};

/// The network that the platform names.
[[nodiscard]] std::unique_ptr<Network> make_network(const platform::Platform& platform);

}  // namespace orrery::model
