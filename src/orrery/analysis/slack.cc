// SPDX-License-Identifier: Apache-2.0
//
// Slack: one pass backwards over all spans. A span may end later by the least of what those that
// come after it leave: what they depend on, what uses their lane next, whom they wait for.
#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <utility>

#include "orrery/analysis/critical_path.h"
#include "orrery/analysis/run_index.h"

namespace orrery::analysis {

using graph::Graph;
using result::kNone;
using result::LaneKind;
using result::Run;
using result::Span;
using result::SpanKind;

namespace {

// Spans that end and begin at the same time may come in any order; further passes settle those.
constexpr int kMostPasses = 100;

/// Positions of a graph's nodes in an order in which no edge leads back.
std::vector<std::uint32_t> topological_positions(const Graph& graph) {
  std::vector<std::uint32_t> position(graph.size());
  std::iota(position.begin(), position.end(), 0u);
  bool backward = false;
  for (graph::NodeId n = 0; n < graph.size() && !backward; ++n) {
    const auto next = graph.successors(n);
    backward = !next.empty() && next.front() < n;
  }
  if (!backward) return position;
  std::vector<std::uint32_t> waits(graph.in_degrees().begin(), graph.in_degrees().end());
  std::vector<graph::NodeId> ready;
  for (graph::NodeId n = 0; n < graph.size(); ++n) {
    if (waits[n] == 0) ready.push_back(n);
  }
  std::uint32_t next_position = 0;
  while (!ready.empty()) {
    const graph::NodeId n = ready.back();
    ready.pop_back();
    position[n] = next_position++;
    for (const graph::NodeId next : graph.successors(n)) {
      if (--waits[next] == 0) ready.push_back(next);
    }
  }
  return position;
}

/// Sorts by an unsigned key, equal ones as they stand. O(items × bytes in which keys differ).
template <class Item, class Key>
void sort_by_key(std::vector<Item>& items, const Key& key) {
  std::uint64_t differ = 0;
  bool sorted = true;
  for (std::size_t i = 1; i < items.size(); ++i) {
    differ |= key(items[i]) ^ key(items[i - 1]);
    sorted = sorted && key(items[i - 1]) <= key(items[i]);
  }
  if (sorted) return;
  std::vector<std::pair<std::uint64_t, Item>> keyed, other(items.size());
  for (const Item& item : items) keyed.emplace_back(key(item), item);
  constexpr int kBits = 11;
  for (int shift = 0; shift < 64; shift += kBits) {
    if ((differ >> shift & ((1u << kBits) - 1)) == 0) continue;
    std::array<std::size_t, 1 << kBits> place{};
    const auto digit = [&](const auto& one) { return one.first >> shift & ((1u << kBits) - 1); };
    for (const auto& one : keyed) ++place[digit(one)];
    std::size_t sum = 0;
    for (std::size_t& count : place) sum += std::exchange(count, sum);
    for (const auto& one : keyed) other[place[digit(one)]++] = one;
    keyed.swap(other);
  }
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = keyed[i].second;
}

class SlackPass {
 public:
  SlackPass(Run& run, const std::vector<const Graph*>& graphs, const SlackRules& rules)
      : run_(run), rules_(rules), index_(run) {
    for (std::size_t t = 0; t < run.timelines.size(); ++t) {
      const Graph* graph = t < graphs.size() ? graphs[t] : nullptr;
      const bool fits = graph != nullptr && graph->size() == run.timelines[t].spans.size();
      graphs_.push_back(fits ? graph : nullptr);
    }
    together_.resize(run.collectives.size(), kTimeMax.count());
  }

  void run() {
    lay_out();
    order_lanes();
    bool changed = true;
    for (int pass = 0; changed && pass < kMostPasses; ++pass) {
      changed = false;
      for (const Item& item : order_) changed |= visit(item);
    }
    for (const Item& item : order_) {
      run_.timelines[item.timeline].spans[item.span].slack = Time(slack_[at(item)]);
    }
  }

 private:
  struct Item {
    std::uint32_t timeline;
    std::uint32_t span;
  };

  [[nodiscard]] std::size_t at(const Item& item) const { return first_[item.timeline] + item.span; }
  [[nodiscard]] const Span& span_of(const Item& item) const {
    return run_.timelines[item.timeline].spans[item.span];
  }

  // All that ended, the last first.
  void lay_out() {
    std::vector<std::vector<std::uint32_t>> positions;
    for (std::uint32_t t = 0; t < run_.timelines.size(); ++t) {
      const auto& spans = run_.timelines[t].spans;
      first_.push_back(slack_.size());
      for (std::uint32_t i = 0; i < spans.size(); ++i) {
        slack_.push_back(std::max<std::int64_t>(0, (run_.step - spans[i].end).count()));
        order_.push_back({t, i});
        if (spans[i].kind == SpanKind::send && spans[i].wait > Time{}) rules_.rendezvous = true;
      }
      positions.push_back(graphs_[t] == nullptr ? std::vector<std::uint32_t>()
                                                : topological_positions(*graphs_[t]));
    }
    // By end, then start, then position: least significant first, each sort keeping the order
    // before it.
    for (std::uint32_t t = 0; t < positions.size(); ++t) {
      if (positions[t].empty()) continue;
      for (std::uint32_t i = 0; i < positions[t].size(); ++i)
        order_[first_[t] + positions[t][i]] = {t, i};
    }
    const auto sort_by = [&](Time Span::*key) {
      sort_by_key(order_, [&](const Item& item) {
        return static_cast<std::uint64_t>((span_of(item).*key).count());
      });
    };
    sort_by(&Span::start);
    sort_by(&Span::end);
    std::reverse(order_.begin(), order_.end());
  }

  // Who used the lane before.
  void order_lanes() {
    lane_before_.assign(slack_.size(), kNone);
    for (std::uint32_t t = 0; t < run_.timelines.size(); ++t) {
      const result::Timeline& line = run_.timelines[t];
      const std::size_t shared = line.lanes.size();
      std::vector<std::vector<std::uint32_t>> users(line.lanes.size() + 1);
      for (std::uint32_t i = 0; i < line.spans.size(); ++i) {
        const Span& span = line.spans[i];
        if (span.lane >= line.lanes.size() || span.kind == SpanKind::metadata) continue;
        const LaneKind kind = line.lanes[span.lane].kind;
        if (kind == LaneKind::receives || kind == LaneKind::other) continue;
        const bool computes = kind == LaneKind::compute || kind == LaneKind::cpu;
        users[rules_.one_comm_lane && !computes ? shared : span.lane].push_back(i);
      }
      for (auto& lane : users) {
        const auto earlier = [&](std::uint32_t a, std::uint32_t b) {
          return std::pair(line.spans[a].start, line.spans[a].end) <
                 std::pair(line.spans[b].start, line.spans[b].end);
        };
        if (!std::is_sorted(lane.begin(), lane.end(), earlier))
          std::stable_sort(lane.begin(), lane.end(), earlier);
        for (std::size_t i = 1; i < lane.size(); ++i) {
          if (line.spans[lane[i - 1]].end > line.spans[lane[i]].start) continue;
          lane_before_[first_[t] + lane[i]] = lane[i - 1];
        }
      }
    }
  }

  void lower(std::int64_t& slack, std::int64_t to) {
    if (to >= slack) return;
    slack = std::max<std::int64_t>(0, to);
    changed_ = true;
  }

  // Takes from what comes after, hands on to what came before.
  bool visit(const Item& item) {
    changed_ = false;
    const result::Timeline& line = run_.timelines[item.timeline];
    const Span& span = line.spans[item.span];
    std::int64_t& slack = slack_[at(item)];
    if (const Graph* graph = graphs_[item.timeline]) {
      for (const graph::NodeId next : graph->successors(item.span)) {
        leave_room(item, {item.timeline, next});
      }
    }
    if (span.kind == SpanKind::collective) {
      meet(item.timeline, span, slack);
    } else if (span.kind == SpanKind::send && span.distance != kNone) {
      for (const std::uint32_t t : peers(item.timeline, span.distance)) deliver(item, t);
    }
    if (span.released_by < line.spans.size()) {
      leave_room({item.timeline, span.released_by}, item);
    }
    const std::uint32_t before = lane_before_[at(item)];
    if (before != kNone) leave_room({item.timeline, before}, item);
    return changed_;
  }

  // `next` cannot start before `item` has ended.
  void leave_room(const Item& item, const Item& next) {
    const std::int64_t gap = (span_of(next).start - span_of(item).end).count();
    if (gap < 0) return;
    const std::int64_t room = margin(next);
    lower(slack_[at(item)], room > kTimeMax.count() - gap ? kTimeMax.count() : gap + room);
  }

  // How much later a span could start.
  [[nodiscard]] std::int64_t margin(const Item& item) {
    const Span& span = span_of(item);
    std::int64_t room = slack_[at(item)];
    if (span.kind == SpanKind::collective) {
      std::int64_t least = kTimeMax.count();
      for_each_collective(run_, index_, item.timeline, span, [&](std::uint32_t c, std::uint32_t) {
        if (!waits_for_all(run_.collectives[c], span)) return;
        const std::int64_t early = (run_.collectives[c].last_start - span.start).count();
        least = std::min(least, std::min(together_[c], kTimeMax.count() - early) + early);
      });
      if (least < kTimeMax.count()) room = least;
    } else if (span.kind == SpanKind::send) {
      room += span.wait.count();
    } else if (span.kind == SpanKind::receive && span.peer_span != kNone && !rules_.rendezvous) {
      room += (span.end - span.start).count();  // its message comes no earlier
    }
    return room;
  }

  [[nodiscard]] static bool waits_for_all(const result::Collective& collective, const Span& span) {
    return collective.joined && span.start <= collective.last_start &&
           span.end >= collective.last_start;
  }

  // All members of a collective end later when its last comer does.
  void meet(std::uint32_t timeline, const Span& span, std::int64_t& slack) {
    for_each_collective(run_, index_, timeline, span, [&](std::uint32_t c, std::uint32_t) {
      const result::Collective& collective = run_.collectives[c];
      if (!waits_for_all(collective, span)) return;
      lower(together_[c], slack);
      if (span.start == collective.last_start) lower(slack, together_[c]);
    });
  }

  // A message: its receive ends with it, or may have been posted later.
  void deliver(const Item& item, std::uint32_t timeline) {
    const Span& send = span_of(item);
    const auto& spans = run_.timelines[timeline].spans;
    if (send.peer_span >= spans.size()) return;
    const Span& receive = spans[send.peer_span];
    if (receive.kind != SpanKind::receive) return;
    const std::int64_t slack = slack_[first_[timeline] + send.peer_span];
    const bool lasted = receive.end > receive.start;
    const std::int64_t gap =
        lasted ? 0 : std::max<std::int64_t>(0, (receive.start - send.end).count());
    lower(slack_[at(item)], slack > kTimeMax.count() - gap ? slack : slack + gap);
  }

  [[nodiscard]] const std::vector<std::uint32_t>& peers(std::uint32_t timeline,
                                                        std::uint32_t distance) {
    const auto [found, added] = peers_.try_emplace({timeline, distance});
    if (added) found->second = index_.timelines_at(timeline, distance);
    return found->second;
  }

  Run& run_;
  SlackRules rules_;
  RunIndex index_;
  std::vector<const Graph*> graphs_;
  std::vector<std::size_t> first_;
  std::vector<std::int64_t> slack_;
  std::vector<std::int64_t> together_;  // by collective: the least of its members
  std::vector<Item> order_;
  std::vector<std::uint32_t> lane_before_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> peers_;
  bool changed_ = false;
};

}  // namespace

void find_slack(Run& run, const std::vector<const Graph*>& graph_of_timeline,
                const SlackRules& rules) {
  if (!run.stalled) SlackPass(run, graph_of_timeline, rules).run();
}

}  // namespace orrery::analysis
