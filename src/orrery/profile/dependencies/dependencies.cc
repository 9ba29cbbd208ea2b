// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/dependencies/dependencies.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "orrery/profile/dependencies/draft.h"
#include "orrery/profile/dependencies/graph_edges.h"
#include "orrery/profile/dependencies/sync_waits.h"

namespace orrery::profile {
namespace draft {

namespace {

/// Selects the events that become nodes; counts the others.
class NodeFilter {
 public:
  explicit NodeFilter(DependencyDraft& draft) : draft_(draft) {}

  bool operator()(EventId e) {
    const Event& event = draft_.profile.events[e];
    switch (event.kind) {
      case Kind::op:
      case Kind::annotation:
        return true;
      case Kind::call: {
        const CallEffect& effect = *draft_.effect(e);
        if (effect.work != kNoEvent || effect.waits) return true;
        ++calls_;
        return false;
      }
      case Kind::python:
      case Kind::overhead:
        ++context_;
        return false;
      default:
        return is_device_work(event.kind);
    }
  }
  void report() const {
    if (calls_ > 0) draft_.findings.add(FindingCode::call_folded, draft_.profile.where, calls_);
    if (context_ > 0)
      draft_.findings.add(FindingCode::host_context_folded, draft_.profile.where, context_);
  }

 private:
  DependencyDraft& draft_;
  std::uint64_t calls_ = 0, context_ = 0;
};

/// Sets the end of each step of a thread; see Dependencies.
void find_steps(DependencyDraft& draft, std::uint32_t lane) {
  const NodePosition first = draft.lane_offsets[lane];
  const NodePosition last = draft.lane_offsets[lane + 1];
  Time next = kTimeMax;        // start of the next timed node
  Time closing{};              // latest end of all nodes
  NodePosition final = kNone;  // the last timed node
  for (NodePosition place = last; place-- > first;) {
    const Event& event = draft.event(place);
    if (!event.timed()) continue;
    if (final == kNone) final = place;
    closing = std::max(closing, event.end());
    Time end = std::min(event.end(), next);
    const CallEffect* effect = draft.effect(draft.nodes[place]);
    if (effect != nullptr && effect->work != kNoEvent)
      end = effect->blocks ? event.start : std::min(end, draft.profile.events[effect->work].start);
    draft.ends[place] = std::max(end, event.start);
    next = event.start;
  }
  if (final != kNone) {  // the last step lasts until all nodes have ended
    const CallEffect* effect = draft.effect(draft.nodes[final]);
    if (effect == nullptr || effect->work == kNoEvent) draft.ends[final] = closing;
  }
  // A node without times is where the previous step ended, or where the thread began.
  Time before = next == kTimeMax ? Time{} : next;
  for (NodePosition place = first; place < last; ++place) {
    if (draft.event(place).timed()) {
      before = draft.ends[place];
    } else {
      draft.ends[place] = before;
    }
  }
}

}  // namespace

void select_nodes(DependencyDraft& draft) {
  const Profile& profile = draft.profile;
  draft.node_of.assign(profile.events.size(), kNone);
  draft.lane_offsets.assign(1, 0);
  NodeFilter is_node(draft);
  for (std::uint32_t lane = 0; lane < profile.lanes.size(); ++lane) {
    for (const EventId e : profile.in_order(lane)) {
      if (!is_node(e)) continue;
      draft.node_of[e] = static_cast<NodePosition>(draft.nodes.size());
      draft.nodes.push_back(e);
    }
    draft.lane_offsets.push_back(static_cast<NodePosition>(draft.nodes.size()));
  }
  is_node.report();
  draft.ends.assign(draft.nodes.size(), Time{});
  for (std::uint32_t lane = 0; lane < profile.lanes.size(); ++lane) {
    if (!profile.lanes[lane].device) find_steps(draft, lane);
  }
}

namespace {

/// Sorts the draft's nodes by time and converts its edges to columns.
class DependencyBuilder {
 public:
  explicit DependencyBuilder(DependencyDraft& draft) : draft_(draft) {}

  Dependencies build() {
    sort_nodes();
    count_edges();
    fill_edges();
    sort_edges();
    add_polls();
    find_costs();
    find_lags(draft_, made_);
    set_poll_lags();
    add_idle_waits();
    fill_rows();
    fill_node_of();
    return std::move(made_);
  }

 private:
  void sort_nodes() {
    struct Key {
      Time start;
      NodePosition place;
    };
    const auto n = static_cast<NodePosition>(draft_.nodes.size());
    std::vector<Key> keys(n);
    const Profile& profile = draft_.profile;
    for (std::uint32_t lane = 0; lane < profile.lanes.size(); ++lane) {
      Time before = kTimeMax;
      for (NodePosition place = draft_.lane_offsets[lane]; place < draft_.lane_offsets[lane + 1];
           ++place) {
        const Event& event = draft_.event(place);
        if (event.timed()) before = event.start;
        keys[place] = {before == kTimeMax ? draft_.ends[place] : before, place};
      }
    }
    std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
      return a.start != b.start ? a.start < b.start : a.place < b.place;
    });
    begin_ = n == 0 ? Time{} : keys.front().start;
    index_.resize(n);
    made_.nodes.resize(n);
    for (std::uint32_t i = 0; i < n; ++i) {
      index_[keys[i].place] = i;
      made_.nodes[i] = draft_.nodes[keys[i].place];
    }
  }

  /// Calls `each(from, to, kind, guessed)` for every edge, including thread chains.
  template <class Each>
  void for_each(const Each& each) const {
    const auto& lanes = draft_.profile.lanes;
    for (std::uint32_t lane = 0; lane < lanes.size(); ++lane) {
      if (lanes[lane].device) continue;
      for (NodePosition place = draft_.lane_offsets[lane] + 1;
           place < draft_.lane_offsets[lane + 1]; ++place)
        each(place - 1, place, DependencyKind::thread, false);
    }
    for (const DraftEdge& edge : draft_.edges) each(edge.from, edge.to, edge.kind, edge.guessed);
  }

  void count_edges() {
    made_.first.assign(made_.nodes.size() + 1, 0);
    for_each([&](NodePosition, NodePosition to, DependencyKind, bool) {
      ++made_.first[index_[to] + 1];
    });
    std::partial_sum(made_.first.begin(), made_.first.end(), made_.first.begin());
  }

  void fill_edges() {
    made_.edges.resize(made_.first.back());
    std::vector<std::uint32_t> next(made_.first.begin(), made_.first.end() - 1);
    for_each([&](NodePosition from, NodePosition to, DependencyKind kind, bool guessed) {
      made_.edges[next[index_[to]]++] = {draft_.nodes[from], kind, guessed};
    });
    draft_.edges = {};
  }

  /// Sorts each node's dependencies. Of several on one event, keeps a poll, which has a lag, then a
  /// recorded one rather than a guessed one, then the first kind.
  void sort_edges() {
    std::uint32_t retained = 0;
    for (std::uint32_t node = 0; node < made_.nodes.size(); ++node) {
      const auto first = made_.edges.begin() + made_.first[node];
      const auto last = made_.edges.begin() + made_.first[node + 1];
      std::sort(first, last, [](const Dependency& a, const Dependency& b) {
        if (a.from != b.from) return a.from < b.from;
        const bool poll = a.kind == DependencyKind::poll;
        if (poll != (b.kind == DependencyKind::poll)) return poll;
        if (a.guessed != b.guessed) return b.guessed;
        return a.kind < b.kind;
      });
      const auto end = std::unique(
          first, last, [](const Dependency& a, const Dependency& b) { return a.from == b.from; });
      made_.first[node] = retained;
      for (auto edge = first; edge != end; ++edge) {
        ++made_.counts[static_cast<std::size_t>(edge->kind)];
        made_.guessed += edge->guessed ? 1 : 0;
        made_.edges[retained++] = *edge;
      }
    }
    made_.first.back() = retained;
    made_.edges.resize(retained);
  }

  void add_polls() {
    for (const EarlyPoll& poll : draft_.early_polls)
      made_.polls.push_back({index_[poll.step], index_[poll.work], poll.progress});
    std::sort(made_.polls.begin(), made_.polls.end(),
              [](const PollWait& a, const PollWait& b) { return a.node < b.node; });
  }

  /// Ends of the waits of early polls, by node.
  [[nodiscard]] std::unordered_map<std::uint32_t, Time> poll_ends() const {
    std::unordered_map<std::uint32_t, Time> ends;
    for (const EarlyPoll& poll : draft_.early_polls) ends.emplace(index_[poll.step], poll.until);
    return ends;
  }

  void set_poll_lags() {
    for (const PollWait& poll : made_.polls) {
      for (std::uint32_t i = made_.first[poll.node]; i < made_.first[poll.node + 1]; ++i) {
        Dependency& edge = made_.edges[i];
        if (edge.kind != DependencyKind::poll) continue;
        edge.lag = poll.progress;
        for (const Dependency& of_work : made_.of(poll.work))
          if (of_work.from == edge.from) edge.lag += of_work.lag;
      }
    }
  }

  void find_costs() {
    const auto polls = poll_ends();
    made_.cost.resize(made_.nodes.size());
    made_.start.resize(made_.nodes.size());
    made_.end.resize(made_.nodes.size());
    for (NodePosition place = 0; place < draft_.nodes.size(); ++place) {
      const std::uint32_t node = index_[place];
      const Event& event = draft_.event(place);
      made_.end[node] = draft_.ends[place];
      Time ready = begin_, stream_ready = begin_;
      for (const Dependency& edge : made_.of(node)) {
        const Time end = draft_.ends[draft_.node_of[edge.from]];
        ready = std::max(ready, end);
        if (edge.kind == DependencyKind::stream) stream_ready = std::max(stream_ready, end);
      }
      if (const auto poll = polls.find(node); poll != polls.end())
        ready = std::max(ready, poll->second);
      if (event.timed() && event.start > begin_ && made_.of(node).empty()) {
        made_.start[node] = event.start - begin_;
        ready = event.start;
      }
      if (is_device_work(event.kind)) {
        made_.cost[node] = std::min(event.duration, std::max(Time{}, event.end() - stream_ready));
      } else if (event.timed()) {
        made_.cost[node] = std::max(Time{}, draft_.ends[place] - ready);
      }
    }
  }

  void fill_rows() {
    if (draft_.rows.empty()) return;
    made_.rows.resize(made_.nodes.size());
    for (NodePosition place = 0; place < draft_.nodes.size(); ++place)
      made_.rows[index_[place]] = draft_.rows[place];
  }

  void fill_node_of() {
    made_.node_of = std::move(draft_.node_of);
    for (std::uint32_t& node : made_.node_of) {
      if (node != kNone) node = index_[node];
    }
  }

  /// Moves the rest of idle times, after all dependencies, from the cost of the step to a recorded
  /// wait.
  void add_idle_waits() {
    for (const IdleInterval& idle : draft_.idle) {
      const std::uint32_t node = index_[idle.next];
      Dependency* last = nullptr;
      Time ready = idle.begin;
      for (std::uint32_t i = made_.first[node]; i < made_.first[node + 1]; ++i) {
        const Time end = draft_.ends[draft_.node_of[made_.edges[i].from]];
        if (last != nullptr && end < draft_.ends[draft_.node_of[last->from]]) continue;
        last = &made_.edges[i];
        ready = std::max(ready, end);
      }
      if (last == nullptr) continue;  // it begins at its recorded time
      const Time wait = std::min(idle.end - ready, made_.cost[node]);
      if (wait < draft_.options.inter_thread_gap) continue;
      made_.cost[node] = made_.cost[node] - wait;
      last->lag += wait;
      --made_.counts[static_cast<std::size_t>(last->kind)];
      last->kind = DependencyKind::recorded_wait;
      ++made_.counts[static_cast<std::size_t>(last->kind)];
      draft_.findings.add(FindingCode::thread_idle_unexplained, draft_.profile.where);
    }
  }

  DependencyDraft& draft_;
  Dependencies made_;
  std::vector<std::uint32_t> index_;  // NodePosition → index in Dependencies::nodes
  Time begin_{};
};

}  // namespace
}  // namespace draft

Extent recorded_extent(const Profile& profile, const Dependencies& dependencies) {
  if (dependencies.nodes.empty()) return {};
  const Time first = profile.events[dependencies.nodes.front()].start;
  Extent extent{first, first};
  for (const Time end : dependencies.end) extent.to = std::max(extent.to, end);
  return extent;
}

Extent recorded_extent(const Profile& profile) {
  Findings ignored;
  const DependencyOptions options;
  draft::DependencyDraft draft{.profile = profile, .options = options, .findings = ignored};
  draft::find_streams(draft);
  draft::find_waits(draft);
  draft::guess_waits(draft);
  draft::select_nodes(draft);
  Extent extent{kTimeMax, Time{}};
  for (std::size_t place = 0; place < draft.nodes.size(); ++place) {
    const Event& event = profile.events[draft.nodes[place]];
    if (!event.timed()) continue;
    extent.from = std::min(extent.from, event.start);
    extent.to = std::max(extent.to, is_host(event.kind) ? draft.ends[place] : event.end());
  }
  return extent.from == kTimeMax ? Extent{} : extent;
}

Dependencies find_dependencies(const Profile& profile, const DependencyOptions& options,
                               Findings& findings) {
  draft::DependencyDraft draft{.profile = profile, .options = options, .findings = findings};
  draft::find_streams(draft);
  draft::find_waits(draft);
  draft::guess_waits(draft);
  draft::select_nodes(draft);
  draft::connect_devices(draft);
  draft.first_extra = draft.edges.size();
  for (const draft::WorkWait& wait : draft.syncs)
    draft.add(wait.work, wait.later, DependencyKind::sync, wait.guessed);
  for (const draft::WorkWait& wait : draft.stream_waits)
    draft.add(wait.work, wait.later, DependencyKind::stream_wait, wait.guessed);
  draft::connect_graphs(draft);
  draft::connect_blocking_copies(draft);
  draft::connect_polls(draft);
  draft::connect_queues(draft);
  draft::connect_threads(draft);
  // Nodes of TensorFlow run when their inputs are there, on any thread.
  if (options.tensors || profile.format == "run_metadata") draft::connect_tensors(draft);
  draft::drop_contradictions(draft);
  draft::infer_waits(draft);
  draft::connect_early_polls(draft);
  return draft::DependencyBuilder(draft).build();
}

}  // namespace orrery::profile
