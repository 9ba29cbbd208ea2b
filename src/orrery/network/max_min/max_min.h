// SPDX-License-Identifier: Apache-2.0
//
// How flows share links: max-min fair rates, kept up to date while flows come and go. It knows of
// no time and no messages.
//
// Flow f goes at rate x(f), at most its cap, and puts a(f, l) x(f) on link l; w(f) flows are alike.
// Rates are feasible if on every link the sum of w(f) a(f, l) x(f) is at most its capacity. They
// are max-min fair if they are feasible and no rate can be raised but by lowering one that is not
// higher. That is so if and only if every flow is at its cap or has a bottleneck: a link that is
// full and on which no flow is faster. There is exactly one such vector of rates.
// Source: Bertsekas and Gallager, Data Networks, 2nd ed., section 6.5.2.
//
// Each link has a level v(l): what a flow gets there that nothing else holds back; infinite, if the
// link has enough for all. Rates are max-min fair if and only if
//   x(f) = min(cap(f), min of v(l) over the links l of f)                                       (1)
//   load(l) = capacity(l), or load(l) < capacity(l) and v(l) is infinite                        (2)
// since then the link that has the least level is f's bottleneck.
//
// (1) is kept always. (2) is what a change breaks: a link is over (load > capacity: its level has
// to fall) or under (it may rise). Whenever a load changes it is seen whether its link has become
// one of these; when none is left, rates are right, in whatever order they were taken.
//
// The order makes it quick. solve() takes links by the lower of what their level is and what it
// would be, as Dijkstra's algorithm takes nodes by their distance. Whatever a link changes then was
// at or above that level and stays so, and whether (2) holds on a link with a level below does not
// depend on it: what lies below is right for good. So a link whose level falls gets its last level,
// and one can rise again only after a neighbour fell: it ends, and flows and links that a change
// does not reach are never looked at. (That changes go from level to level upwards is also how
// Ramalingam and Reps, 1996, and LPA* keep shortest paths.) Roundings keep no order: should they
// ever chase each other, solve() begins from nothing, where each level is found once.
//
// A solve costs about the number of flows on the links whose level changes, and on those that these
// flows bring over their capacity. Loads are kept in twice the precision of a double, so that
// nothing adds up over time; a load is equal to the capacity if they differ by no more than adding
// up the flows in doubles could (2^-52 of it for each, and 64 more). So rates are right but for the
// last digits, and these may depend on what was before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace orrery::model {

/// Rates of flows over links. The same calls give the same bits; a copy goes on as the original.
class MaxMin {
 public:
  static constexpr double kUnlimited = std::numeric_limits<double>::infinity();

  /// A link on a flow's way, and the part of the flow's rate that it carries: 1, but for flows that
  /// are sprayed over several links. Above 0.
  struct Hop {
    std::uint32_t link = 0;
    double share = 1;
  };

  /// Links by number; any unit. 0: the link is down. kUnlimited: it is never full.
  explicit MaxMin(std::vector<double> capacities);

  /// A flow, or `weight` flows that are alike; its number, which may be that of one that was
  /// removed before the last solve. A link that is named twice carries both shares. Without a cap
  /// and a link its rate is kUnlimited.
  std::uint32_t add(std::span<const Hop> hops, double cap = kUnlimited, std::uint32_t weight = 1);
  void remove(std::uint32_t flow);
  /// From now on it is as many flows that are alike. Above 0.
  void set_weight(std::uint32_t flow, std::uint32_t weight);
  void set_capacity(std::uint32_t link, double capacity);

  /// Brings rates up to date. The flows whose rate is another than after the solve before, and new
  /// ones, each once, in an order that depends on the calls alone; good until the next solve.
  std::span<const std::uint32_t> solve();
  /// The same from nothing: every level is found again, at the cost of looking at all flows.
  std::span<const std::uint32_t> solve_from_scratch();

  /// What each of its `weight` flows gets, as of the last solve.
  [[nodiscard]] double rate(std::uint32_t flow) const { return rates_[flow]; }
  /// What a link carries, as of the last solve.
  [[nodiscard]] double load(std::uint32_t link) const { return links_[link].carried(); }
  [[nodiscard]] double capacity(std::uint32_t link) const { return links_[link].capacity; }
  [[nodiscard]] std::uint32_t link_count() const {
    return static_cast<std::uint32_t>(links_.size());
  }

 private:
  /// A sum that forgets nothing: what is added and later subtracted leaves no trace.
  struct Sum {
    double high = 0;
    double low = 0;

    void add(double value) {
      const double sum = high + value;
      const double part = sum - high;
      low += (high - (sum - part)) + (value - part);
      high = sum;
    }
    [[nodiscard]] double value() const { return high + low; }
  };

  struct alignas(64) Link {
    double capacity = 0;
    double slack = 0;  ///< a load that differs this little from the capacity is equal to it
    double level = kUnlimited;    ///< v
    double key = kUnlimited;      ///< where it is in the queue; kUnlimited: it is not there
    Sum finite;                   ///< load of flows with a finite rate
    Sum open;                     ///< shares of flows without
    std::uint32_t unlimited = 0;  ///< flows without
    std::uint32_t gone = 0;       ///< members that were removed since the last solve
    bool dirty = false;           ///< among dirty_
    bool touched = false;         ///< among touched_
    bool stale = false;           ///< the key is only a lower bound
    bool rising = false;          ///< finite rates are no higher than levels that were taken

    [[nodiscard]] double carried() const { return unlimited > 0 ? kUnlimited : finite.value(); }
    [[nodiscard]] bool over() const { return carried() > capacity + slack; }
    [[nodiscard]] bool under() const { return level < kUnlimited && carried() < capacity - slack; }
    void put(double rate, double share) {
      if (rate == kUnlimited) {
        ++unlimited;
        open.add(share);
      } else {
        finite.add(share * rate);
      }
    }
    void take(double rate, double share) {
      if (rate == kUnlimited) {
        --unlimited;
        open.add(-share);
      } else {
        finite.add(-(share * rate));
      }
    }
  };

  /// A flow on a link. `share`: of all `weight`.
  struct Member {
    std::uint32_t flow;
    std::uint32_t place;  ///< in places_
    double share;
  };

  /// The same seen from the flow. `share`: of one of them.
  struct Place {
    std::uint32_t link;
    std::uint32_t member;  ///< in members_[link]
    double share;
  };

  enum class State : std::uint8_t { removed, fresh, solved };

  struct Flow {
    double cap = kUnlimited;
    double before = 0;  ///< rate after the last solve, if noted
    std::uint32_t first = 0;
    std::uint32_t hops = 0;
    std::uint32_t room = 0;  ///< places from `first`: a hop each, more if links were named twice
    std::uint32_t weight = 1;
    State state = State::removed;
    bool noted = false;  ///< among changed_
  };

  struct Entry {
    double key;
    std::uint32_t link;
  };

  /// What solve() knows of a flow on the link that it is looking at.
  struct Contender {
    double limit;  ///< what it gets at most, whatever the link gives
    double share;
  };
  struct Riser {
    std::uint32_t flow;
    double limit;
  };

  [[nodiscard]] std::span<const Place> places(const Flow& flow) const {
    return std::span<const Place>(places_).subspan(flow.first, flow.hops);
  }
  [[nodiscard]] static double share(const Flow& flow, const Place& place) {
    return place.share * flow.weight;
  }
  [[nodiscard]] std::uint32_t place_for(std::uint32_t hops);
  void join(std::uint32_t flow, const Hop& hop);
  void sweep();
  void erase_removed(std::uint32_t link);
  void take_out(const Place& place);
  void mark(std::uint32_t link);
  void note(std::uint32_t flow);
  [[nodiscard]] double limit(const Flow& flow, std::uint32_t except) const;

  void forget();
  bool run(std::size_t visits);
  void inspect(std::uint32_t link);
  void visit(std::uint32_t link);
  void lower(std::uint32_t link, double level);
  void raise(std::uint32_t link);
  void drop(std::uint32_t flow, double rate);
  void lift(std::uint32_t flow, double rate);
  [[nodiscard]] double lower_level(std::uint32_t link);
  [[nodiscard]] double fill(double capacity, double level);
  std::span<const std::uint32_t> finish();

  [[nodiscard]] static bool later(const Entry& a, const Entry& b);
  void enter(std::uint32_t link, double key, std::vector<Entry>& entries);
  void push(std::uint32_t link, double key);
  bool pop(Entry& entry);
  [[nodiscard]] double next_key() const;

  std::vector<Link> links_;
  std::vector<std::vector<Member>> members_;  ///< by link
  std::vector<Flow> flows_;
  std::vector<double> rates_;  ///< by flow
  std::vector<Place> places_;
  std::vector<std::uint32_t> free_flows_;
  std::vector<std::vector<std::uint32_t>> free_places_;  ///< by how many they are

  std::vector<std::uint32_t> gone_;  ///< removed since the last solve, still members of links
  std::vector<std::uint32_t> dirty_;
  std::vector<std::uint32_t> changed_;  ///< flows that may be another rate's since the last solve
  std::vector<std::uint32_t> reported_;
  // The queue, first what a solve begins with, then what comes up. Entries whose key is no longer
  // the link's do not count.
  std::vector<Entry> sorted_;
  std::size_t next_sorted_ = 0;
  std::vector<Entry> heap_;
  std::vector<std::uint32_t> touched_;
  std::vector<Contender> contenders_;
  std::vector<Riser> risers_;
  double reached_ = 0;  ///< levels below are right
  bool anew_ = false;   ///< every level that there is is right
};

}  // namespace orrery::model
