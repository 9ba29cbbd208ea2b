// SPDX-License-Identifier: Apache-2.0
//
// Max-min fair rates of flows that share links, updated incrementally when flows begin and end. The
// solver has no notion of time or of messages.
//
// Flow f has rate x(f), at most its cap, and puts a(f, l) x(f) on link l. It represents w(f)
// identical flows. Rates are feasible if, on every link, the sum of w(f) a(f, l) x(f) is at most
// the capacity. They are max-min fair if they are feasible and no rate can increase unless another
// rate that is not higher decreases. Equivalently, every flow is at its cap or has a bottleneck: a
// full link on which no flow is faster. Exactly one vector of rates is max-min fair. Source:
// Bertsekas and Gallager, Data Networks, 2nd ed., section 6.5.2.
//
// Each link has a level v(l): the rate of a flow that only this link limits. The level is infinite
// if the link has enough capacity for all its flows. Rates are max-min fair if and only if
//   x(f) = min(cap(f), min of v(l) over the links l of f)                                       (1)
//   load(l) = capacity(l), or load(l) < capacity(l) and v(l) is infinite                        (2)
// because then the link of f with the lowest level is its bottleneck.
//
// The solver always maintains (1). A change violates (2): a link is `over` (load > capacity: its
// level must fall) or `under` (load < capacity: its level may rise). After each change of a load,
// the solver checks its link for both. When no link is over or under, the rates are correct,
// whatever the order in which the solver visited the links.
//
// The order makes the solver fast. solve() visits links in ascending order of the lower of their
// current and their next level, as Dijkstra's algorithm visits nodes by distance. A visit changes
// only levels and rates that are not below this level, before and after. (2) on links with lower
// levels does not depend on them, so lower levels are final. A level that falls is therefore final,
// and a level can rise again only after a neighbor's has fallen. So solve() terminates and skips
// all flows and links that the change does not affect. (Ramalingam and Reps, 1996, and LPA* update
// shortest paths in the same ascending order.) Rounding errors can violate the order. If they
// cause too many visits, solve() starts from scratch, where it computes each level once.
//
// The cost of a solve is about the number of flows on the links whose level changes, and on those
// links that these flows bring over their capacity. Loads are sums in twice the precision of a
// double, so that rounding errors do not accumulate. A load equals the capacity if they differ by
// at most (flows + 64) x 2^-52 of the capacity, the error of a sum in doubles. So rates are exact
// except for the last digits, which may depend on earlier calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <tuple>
#include <vector>

namespace orrery::model {

/// Rates of flows over links. The same calls give bitwise equal results, also on a copy.
class MaxMin {
 public:
  static constexpr double kUnlimited = std::numeric_limits<double>::infinity();

  /// A link of a flow's route, and the share of the flow's rate that it carries: above 0, and 1
  /// unless the flow is sprayed over several links.
  struct Hop {
    std::uint32_t link = 0;
    double share = 1;
  };

  /// Capacities by link, in any unit. 0: the link is down. kUnlimited: it is never full.
  explicit MaxMin(std::vector<double> capacities);

  /// Adds a flow that represents `weight` identical flows and returns its number. Numbers of flows
  /// that were removed before the last solve are reused. A link that occurs twice carries both
  /// shares. The rate of a flow without cap and links is kUnlimited.
  std::uint32_t add(std::span<const Hop> hops, double cap = kUnlimited, std::uint32_t weight = 1);
  void remove(std::uint32_t flow);
  /// Sets the number of identical flows that `flow` represents. Above 0.
  void set_weight(std::uint32_t flow, std::uint32_t weight);
  void set_capacity(std::uint32_t link, double capacity);

  /// Updates the rates. Returns new flows and flows whose rate differs from that after the previous
  /// solve, each once. Their order depends only on the calls. Valid until the next solve.
  std::span<const std::uint32_t> solve();
  /// Like solve(), but recomputes every level, at the cost of visiting all flows.
  std::span<const std::uint32_t> solve_from_scratch();

  /// The rate of each of the `weight` flows that `flow` represents, as of the last solve.
  [[nodiscard]] double rate(std::uint32_t flow) const { return rates_[flow]; }
  /// The sum of rates on a link, as of the last solve.
  [[nodiscard]] double load(std::uint32_t link) const { return links_[link].carried(); }
  [[nodiscard]] double capacity(std::uint32_t link) const { return links_[link].capacity; }
  [[nodiscard]] std::uint32_t link_count() const {
    return static_cast<std::uint32_t>(links_.size());
  }

  /// Its state, for checkpoints.
  static auto fields(auto& self) {
    auto& [links, members, flows, rates, places, free_flows, free_places, removed_flows, dirty,
           changed, reported, sorted, next_sorted, heap, touched, contenders, rising_flows, reached,
           from_scratch] = self;
    return std::tie(links, members, flows, rates, places, free_flows, free_places, removed_flows,
                    dirty, changed, sorted, next_sorted, heap, touched, reached, from_scratch);
  }

 private:
  /// A compensated sum: a value that is added and later subtracted leaves no rounding error.
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
    double slack = 0;             ///< tolerance: a load within it equals the capacity
    double level = kUnlimited;    ///< v
    double key = kUnlimited;      ///< position in the queue; kUnlimited: not in the queue
    Sum finite;                   ///< load of flows with a finite rate
    Sum open;                     ///< sum of shares of flows with an unlimited rate
    std::uint32_t unlimited = 0;  ///< number of flows with an unlimited rate
    std::uint32_t removed = 0;    ///< members that were removed since the last solve
    bool dirty = false;           ///< whether it is in dirty_
    bool touched = false;         ///< whether it is in touched_
    bool stale = false;           ///< the key is only a lower bound
    bool rising = false;          ///< no finite rate here exceeds the levels visited so far

    [[nodiscard]] double carried() const { return unlimited > 0 ? kUnlimited : finite.value(); }
    [[nodiscard]] bool over() const { return carried() > capacity + slack; }
    [[nodiscard]] bool under() const { return level < kUnlimited && carried() < capacity - slack; }
    void add_rate(double rate, double share) {
      if (rate == kUnlimited) {
        ++unlimited;
        open.add(share);
      } else {
        finite.add(share * rate);
      }
    }
    void subtract_rate(double rate, double share) {
      if (rate == kUnlimited) {
        --unlimited;
        open.add(-share);
      } else {
        finite.add(-(share * rate));
      }
    }
  };

  /// A flow on a link. `share`: of all its `weight` flows together.
  struct Member {
    std::uint32_t flow;
    std::uint32_t place;  ///< index in places_
    double share;
  };

  /// A link of a flow: the counterpart of Member. `share`: of one of its `weight` flows.
  struct Place {
    std::uint32_t link;
    std::uint32_t member;  ///< index in members_[link]
    double share;
  };

  enum class State : std::uint8_t { removed, fresh, solved };

  struct Flow {
    double cap = kUnlimited;
    double before = 0;  ///< rate after the last solve, if noted
    std::uint32_t first = 0;
    std::uint32_t hops = 0;
    std::uint32_t reserved = 0;  ///< reserved places from `first`; more than `hops` if links repeat
    std::uint32_t weight = 1;
    State state = State::removed;
    bool is_rate_saved = false;  ///< whether it is in changed_
  };

  struct Entry {
    double key;
    std::uint32_t link;
  };

  /// A flow on the link that solve() visits.
  struct Contender {
    double limit;  ///< maximum rate by its cap and its other links
    double share;
  };
  struct RisingFlow {
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
  void add_hop(std::uint32_t flow, const Hop& hop);
  void erase_removed_flows();
  void erase_removed(std::uint32_t link);
  void remove_member(const Place& place);
  void mark(std::uint32_t link);
  void save_rate(std::uint32_t flow);
  [[nodiscard]] double limit(const Flow& flow, std::uint32_t except) const;

  void reset_levels();
  bool visit_links(std::size_t visits);
  void inspect(std::uint32_t link);
  void visit(std::uint32_t link);
  void lower(std::uint32_t link, double level);
  void raise(std::uint32_t link);
  void lower_rate(std::uint32_t flow, double rate);
  void raise_rate(std::uint32_t flow, double rate);
  [[nodiscard]] double lower_level(std::uint32_t link);
  [[nodiscard]] double fill(double capacity, double level);
  std::span<const std::uint32_t> finish();

  [[nodiscard]] static bool later(const Entry& a, const Entry& b);
  void set_key(std::uint32_t link, double key, std::vector<Entry>& entries);
  void push(std::uint32_t link, double key);
  bool pop(Entry& entry);
  [[nodiscard]] double next_key() const;

  std::vector<Link> links_;
  std::vector<std::vector<Member>> members_;  ///< by link
  std::vector<Flow> flows_;
  std::vector<double> rates_;  ///< by flow
  std::vector<Place> places_;
  std::vector<std::uint32_t> free_flows_;
  std::vector<std::vector<std::uint32_t>> free_places_;  ///< by length: first place of each range

  std::vector<std::uint32_t>
      removed_flows_;                   ///< removed since the last solve, still members of links
  std::vector<std::uint32_t> dirty_;    ///< links with other flows or another capacity
  std::vector<std::uint32_t> changed_;  ///< flows whose rate may differ from the last solve
  std::vector<std::uint32_t> reported_;
  // The queue: sorted_ holds the links at the begin of a solve, heap_ those added during it. An
  // entry is obsolete if its key differs from the link's.
  std::vector<Entry> sorted_;
  std::size_t next_sorted_ = 0;
  std::vector<Entry> heap_;
  std::vector<std::uint32_t> touched_;
  std::vector<Contender> contenders_;
  std::vector<RisingFlow> rising_flows_;
  double reached_ = 0;         ///< levels below this one are final
  bool from_scratch_ = false;  ///< solving from scratch: every finite level is final
};

}  // namespace orrery::model
