// SPDX-License-Identifier: Apache-2.0
//
// Slack: one pass backward over all spans. The slack of a span is the minimum that its successors
// allow: its dependants, the next span on its lane, and the peers that wait for it.
#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <utility>

#include "orrery/analysis/critical_path/critical_path.h"
#include "orrery/analysis/run_index.h"

namespace orrery::analysis {

using graph::Graph;
using result::kNone;
using result::LaneKind;
using result::Run;
using result::Span;
using result::SpanKind;

namespace {

// One pass nearly always suffices. If spans of zero duration depend on each other in cycles,
// further passes converge.
constexpr std::uint8_t kMaxPasses = 100;

/// Positions of a graph's nodes in a topological order.
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

/// One span of all timelines, and its position in time (see SlackPass::lay_out).
struct Item {
  std::uint64_t key;
  std::uint32_t timeline;
  std::uint32_t span;
};

/// Sorts by key, descending; equal keys in reverse order. O(items × digits in which keys differ).
void sort_backwards(std::vector<Item>& items) {
  constexpr int kBits = 11;
  constexpr std::uint64_t kDigit = (1u << kBits) - 1;
  std::uint64_t differ = 0;
  for (const Item& item : items) differ |= item.key ^ items.front().key;
  std::vector<Item> other(items.size());
  for (int shift = 0; shift < 64; shift += kBits) {
    if ((differ >> shift & kDigit) == 0) continue;
    std::array<std::size_t, kDigit + 1> place{};
    for (const Item& item : items) ++place[item.key >> shift & kDigit];
    std::size_t sum = 0;
    for (std::size_t& count : place) sum += std::exchange(count, sum);
    for (const Item& item : items) other[place[item.key >> shift & kDigit]++] = item;
    items.swap(other);
  }
  std::reverse(items.begin(), items.end());
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
    read_in_pass_.resize(run.collectives.size(), 0);
  }

  void run() {
    lay_out();
    order_lanes();
    late_ = true;
    for (pass_ = 1; late_ && pass_ <= kMaxPasses; ++pass_) {
      late_ = false;
      for (std::size_t i = 0; i < order_.size(); ++i) {
        constexpr std::size_t kAhead = 24;
        if (i + kAhead < order_.size()) __builtin_prefetch(&states_[at(order_[i + kAhead])]);
        visit(order_[i]);
      }
    }
    for (std::uint32_t t = 0; t < run_.timelines.size(); ++t) {
      auto& spans = run_.timelines[t].spans;
      for (std::uint32_t i = 0; i < spans.size(); ++i)
        spans[i].slack = Time(std::min(states_[first_[t] + i].slack, as_last_comer(t, spans[i])));
    }
  }

 private:
  /// The data of a span that a visit needs, stored contiguously: visits go through a million spans
  /// in order of time.
  struct State {
    std::int64_t start, end;
    std::int64_t slack;
    std::uint32_t released_by;  // only if the graph lacks this dependency; else kNone
    std::uint32_t lane_next;    // next span on its lane; kNone: none
    std::uint16_t lane;
    SpanKind kind;
    std::uint8_t read_in_pass;  // last pass in which another span read its slack
  };

  [[nodiscard]] std::size_t at(const Item& item) const { return first_[item.timeline] + item.span; }
  [[nodiscard]] const Span& span_of(const Item& item) const {
    return run_.timelines[item.timeline].spans[item.span];
  }

  // Sorts spans by end, descending. Among equal ends: spans of zero duration before the spans they
  // may depend on (by position), receives before their sends.
  void lay_out() {
    std::size_t total = 0;
    for (const result::Timeline& line : run_.timelines) total += line.spans.size();
    states_.reserve(total);
    order_.resize(total);
    for (std::uint32_t t = 0; t < run_.timelines.size(); ++t) {
      const auto& spans = run_.timelines[t].spans;
      first_.push_back(states_.size());
      const std::size_t base = states_.size();
      const auto positions =
          graphs_[t] == nullptr ? std::vector<std::uint32_t>() : topological_positions(*graphs_[t]);
      for (std::uint32_t i = 0; i < spans.size(); ++i) {
        const Span& span = spans[i];
        const bool seen = graphs_[t] != nullptr && span.release == result::Release::dependency;
        const std::int64_t left = (run_.step - span.end).count();
        states_.push_back({span.start.count(), span.end.count(), std::max<std::int64_t>(0, left),
                           seen || span.released_by >= spans.size() ? kNone : span.released_by,
                           kNone, span.lane, span.kind, 0});
        const unsigned turn = span.end == span.start           ? 3
                              : span.kind == SpanKind::receive ? 2
                              : span.kind == SpanKind::send    ? 0
                                                               : 1;
        order_[base + (positions.empty() ? i : positions[i])] = {
            static_cast<std::uint64_t>(span.end.count()) * 4 + turn, t, i};
        if (span.kind == SpanKind::send && span.wait > Time{}) rules_.rendezvous = true;
      }
    }
    sort_backwards(order_);
  }

  // Finds the next span on each lane.
  void order_lanes() {
    for (std::uint32_t t = 0; t < run_.timelines.size(); ++t) {
      const result::Timeline& line = run_.timelines[t];
      const std::size_t shared = line.lanes.size();
      std::vector<std::vector<std::uint32_t>> users(line.lanes.size() + 1);
      State* const states = states_.data() + first_[t];
      for (std::uint32_t i = 0; i < line.spans.size(); ++i) {
        const State& state = states[i];
        if (state.lane >= line.lanes.size() || state.kind == SpanKind::metadata) continue;
        const LaneKind kind = line.lanes[state.lane].kind;
        if (kind == LaneKind::receives || kind == LaneKind::other) continue;
        const bool computes = kind == LaneKind::compute || kind == LaneKind::cpu;
        users[rules_.one_comm_lane && !computes ? shared : state.lane].push_back(i);
      }
      for (auto& lane : users) {
        const auto earlier = [&](std::uint32_t a, std::uint32_t b) {
          return std::pair(states[a].start, states[a].end) <
                 std::pair(states[b].start, states[b].end);
        };
        if (!std::is_sorted(lane.begin(), lane.end(), earlier))
          std::stable_sort(lane.begin(), lane.end(), earlier);
        for (std::size_t i = 1; i < lane.size(); ++i) {
          if (states[lane[i - 1]].end > states[lane[i]].start) continue;
          states[lane[i - 1]].lane_next = lane[i];
          if (states[lane[i]].released_by == lane[i - 1]) states[lane[i]].released_by = kNone;
        }
      }
    }
  }

  [[nodiscard]] std::int64_t tell(std::size_t index) {
    states_[index].read_in_pass = pass_;
    return states_[index].slack;
  }

  // If other spans have read the slack in this pass, they have read a value that is too high.
  void lower(std::size_t index, std::int64_t to) {
    State& state = states_[index];
    if (to >= state.slack) return;
    state.slack = std::max<std::int64_t>(0, to);
    if (state.read_in_pass == pass_) late_ = true;
  }

  // Computes the slack of a span from its successors and passes it on to its predecessors.
  void visit(const Item& item) {
    const std::size_t first = first_[item.timeline];
    const std::size_t here = first + item.span;
    const State state = states_[here];
    if (const Graph* graph = graphs_[item.timeline]) {
      const auto lags = graph->lags(item.span);
      const auto successors = graph->successors(item.span);
      for (std::size_t i = 0; i < successors.size(); ++i)
        leave_room(here, first + successors[i], {0, item.timeline, successors[i]},
                   lags.empty() ? 0 : lags[i].count());
    }
    if (state.lane_next != kNone)
      leave_room(here, first + state.lane_next, {0, item.timeline, state.lane_next});
    if (state.kind == SpanKind::collective) {
      meet(item.timeline, span_of(item), tell(here));
    } else if (state.kind == SpanKind::send && span_of(item).distance != kNone) {
      for (const std::uint32_t t : peers(item.timeline, span_of(item).distance)) deliver(item, t);
    }
    if (state.released_by != kNone) leave_room(first + state.released_by, here, item);
  }

  // `next` starts at the earliest `lag` after the end of the span at `before`.
  void leave_room(std::size_t before, std::size_t next, const Item& next_item,
                  std::int64_t lag = 0) {
    const std::int64_t gap = states_[next].start - states_[before].end - lag;
    if (gap < 0) return;
    const std::int64_t room = margin(next, next_item);
    lower(before, room > kTimeMax.count() - gap ? kTimeMax.count() : gap + room);
  }

  // How much later the start of a span may be.
  [[nodiscard]] std::int64_t margin(std::size_t index, const Item& item) {
    std::int64_t room = tell(index);
    const SpanKind kind = states_[index].kind;
    if (kind != SpanKind::collective && kind != SpanKind::send && kind != SpanKind::receive)
      return room;
    const Span& span = span_of(item);
    if (span.kind == SpanKind::collective) {
      std::int64_t minimum = kTimeMax.count();
      for_each_collective(run_, index_, item.timeline, span, [&](std::uint32_t c, std::uint32_t) {
        if (!waits_for_all(run_.collectives[c], span)) return;
        const std::int64_t early = (run_.collectives[c].last_start - span.start).count();
        read_in_pass_[c] = pass_;
        minimum = std::min(minimum, std::min(together_[c], kTimeMax.count() - early) + early);
      });
      if (minimum < kTimeMax.count()) room = minimum;
    } else if (span.kind == SpanKind::send) {
      room += span.wait.count();
    } else if (span.kind == SpanKind::receive && span.peer_span != kNone && !rules_.rendezvous) {
      room += (span.end - span.start).count();  // its message arrives no earlier
    }
    return room;
  }

  [[nodiscard]] static bool waits_for_all(const result::Collective& collective, const Span& span) {
    return collective.joined && span.start <= collective.last_start &&
           span.end >= collective.last_start;
  }

  // All members of a collective end later if its last member does.
  void meet(std::uint32_t timeline, const Span& span, std::int64_t slack) {
    for_each_collective(run_, index_, timeline, span, [&](std::uint32_t c, std::uint32_t) {
      if (!waits_for_all(run_.collectives[c], span) || slack >= together_[c]) return;
      together_[c] = slack;
      if (read_in_pass_[c] == pass_) late_ = true;
    });
  }

  // How much later a member may end if it arrived last; unlimited if it did not.
  [[nodiscard]] std::int64_t as_last_comer(std::uint32_t timeline, const Span& span) const {
    std::int64_t minimum = kTimeMax.count();
    if (span.kind != SpanKind::collective) return minimum;
    for_each_collective(run_, index_, timeline, span, [&](std::uint32_t c, std::uint32_t) {
      if (waits_for_all(run_.collectives[c], span) && span.start == run_.collectives[c].last_start)
        minimum = std::min(minimum, together_[c]);
    });
    return minimum;
  }

  // The receive ends with its message, unless it was posted after the message arrived. Under the
  // rendezvous protocol, a late receive delays its message: send and receive then share the smaller
  // slack.
  void deliver(const Item& item, std::uint32_t timeline) {
    const Span& send = span_of(item);
    const auto& spans = run_.timelines[timeline].spans;
    if (send.peer_span >= spans.size()) return;
    const Span& receive = spans[send.peer_span];
    if (receive.kind != SpanKind::receive) return;
    const std::size_t there = first_[timeline] + send.peer_span;
    const std::int64_t slack = tell(there);
    const bool lasted = receive.end > receive.start;
    const std::int64_t gap =
        lasted ? 0 : std::max<std::int64_t>(0, (receive.start - send.end).count());
    lower(at(item), slack > kTimeMax.count() - gap ? slack : slack + gap);
    if (rules_.rendezvous) lower(there, tell(at(item)));
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
  std::vector<State> states_;           // by timeline (from first_), then span
  std::vector<std::int64_t> together_;  // by collective: minimum over its members
  std::vector<Item> order_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> peers_;
  std::vector<std::uint8_t> read_in_pass_;  // by collective: last pass in which a span read it
  std::uint8_t pass_ = 0;
  bool late_ = false;
};

}  // namespace

void find_slack(Run& run, const std::vector<const Graph*>& graph_of_timeline,
                const SlackRules& rules) {
  if (!run.stalled) SlackPass(run, graph_of_timeline, rules).run();
}

}  // namespace orrery::analysis
