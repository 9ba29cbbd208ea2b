// SPDX-License-Identifier: Apache-2.0
//
// Builds one timeline per rank; equal timelines are shared.

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "orrery/graph/structure/node_selection.h"
#include "orrery/record/equal_times.h"
#include "orrery/record/make_run_internal.h"

namespace orrery::record {

using graph::NodeId;
using graph::NodeKind;
using result::Lane;
using result::LaneKind;
using result::Span;
using result::SpanKind;

namespace {

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15ull + (hash << 6) + (hash >> 2);
  return hash * 0xff51afd7ed558ccdull;
}

SpanKind kind_of(const graph::Graph& graph, NodeId node) {
  // In the order of NodeKind.
  constexpr std::array<SpanKind, graph::kNodeKinds> kKinds = {
      SpanKind::metadata, SpanKind::metadata, SpanKind::load,    SpanKind::store,
      SpanKind::compute,  SpanKind::send,     SpanKind::receive, SpanKind::collective};
  static_assert(graph::kNodeKinds == 8);
  const SpanKind kind = kKinds[static_cast<std::size_t>(graph.kind(node))];
  return kind == SpanKind::compute && graph.is_cpu(node) ? SpanKind::cpu : kind;
}

LaneKind lane_of(SpanKind kind) {
  // In the order of SpanKind.
  constexpr std::array<LaneKind, result::kSpanKinds> kLanes = {
      LaneKind::other, LaneKind::compute,  LaneKind::cpu,    LaneKind::communicator,
      LaneKind::sends, LaneKind::receives, LaneKind::memory, LaneKind::memory};
  static_assert(result::kSpanKinds == 8);
  return kLanes[static_cast<std::size_t>(kind)];
}

Lane recorded_lane(const graph::Lane& recorded) {
  Lane lane;
  lane.kind = recorded.host ? LaneKind::thread : LaneKind::stream;
  lane.number = recorded.id;
  lane.device = recorded.device;
  return lane;
}

/// The timeline of one rank while it is built.
struct TimelineDraft {
  result::Timeline line;
  std::vector<Lane> keys;
  std::vector<std::uint32_t> groups;  ///< by group number at the rank
};

std::uint32_t number_in(std::vector<std::uint32_t>& groups, std::uint32_t group) {
  const auto known = std::find(groups.begin(), groups.end(), group);
  if (known != groups.end()) return static_cast<std::uint32_t>(known - groups.begin());
  groups.push_back(group);
  return static_cast<std::uint32_t>(groups.size() - 1);
}

/// The numbers of a rank's groups at the rank, in order of first use, while its collectives are
/// compared.
class GroupNumbers {
 public:
  GroupNumbers(const RecordingSource& source, const RecordedCollectives& recorded)
      : source_(source), recorded_(recorded), numbers_(recorded.of_class.size(), result::kNone) {}

  void begin(std::uint32_t rank) {
    for (const std::uint32_t one : used_) numbers_[one] = result::kNone;
    used_.clear();
    groups_.clear();
    rank_ = rank;
  }
  /// The number of the group of this class (RecordedCollective::group_class).
  [[nodiscard]] std::uint32_t number_of(std::uint32_t group_class) {
    std::uint32_t& number = numbers_[group_class];
    if (number != result::kNone) return number;
    used_.push_back(group_class);
    return number = number_in(groups_, recorded_.group_of(source_.recording, rank_, group_class));
  }
  [[nodiscard]] const std::vector<std::uint32_t>& groups() const { return groups_; }

 private:
  const RecordingSource& source_;
  const RecordedCollectives& recorded_;
  std::uint32_t rank_ = 0;
  std::vector<std::uint32_t> groups_;
  std::vector<std::uint32_t> numbers_;  // by class; kNone: not used
  std::vector<std::uint32_t> used_;     // classes
};

class TimelineBuilder {
 public:
  TimelineBuilder(const RecordingSource& source, const EqualTimes& times,
                  const RecordedCollectives& recorded, const std::vector<NodeId>& partners,
                  result::Run& run)
      : source_(source),
        recorded_(recorded),
        partners_(partners),
        run_(run),
        times_(times),
        mine_(source, recorded),
        its_(source, recorded) {}

  [[nodiscard]] TimelineDraft draft(std::uint32_t rank) {
    const graph::Graph& graph = source_.workload.graph(rank);
    TimelineDraft draft;
    std::vector<Time> ready(graph.size());
    std::vector<NodeId> nodes;
    draft.line.spans.reserve(graph.size());
    draft.keys.reserve(graph.size());
    nodes.reserve(graph.size());
    const std::vector<sim::NodeTimes> all = times_of(rank);
    for (NodeId node = 0; node < graph.size(); ++node) {
      const sim::NodeTimes& times = all[node];
      if (times.start < 0 || times.end < 0) continue;
      Span& span = draft.line.spans.emplace_back();
      span.node = graph.id(node);
      span.start = Time(times.start);
      span.end = Time(times.end);
      span.name = number_of(graph.name(node));
      nodes.push_back(node);
      fill(span, rank, node, draft);
      for (const NodeId next : graph.successors(node))
        ready[next] = std::max(ready[next], span.end);
    }
    for (std::size_t i = 0; i < nodes.size(); ++i)
      find_release(draft.line.spans[i], rank, nodes[i], all[nodes[i]].released_by, ready);
    place_in_lanes(draft.line, draft.keys);
    return draft;
  }

  /// Whether `rank` has the timeline of `other`, determined without building it: the same graph,
  /// times and waits, and equivalent collectives and messages. Sets `groups` to its groups by
  /// number.
  [[nodiscard]] bool is_equivalent(std::uint32_t rank, std::uint32_t other,
                                   std::vector<std::uint32_t>& groups) {
    const sim::Recording& recording = source_.recording;
    const graph::Graph& graph = source_.workload.graph(rank);
    if (times_.same_as(rank) != times_.same_as(other)) return false;
    mine_.begin(rank);
    its_.begin(other);
    std::size_t mine = recording.details_of[rank].first;
    std::size_t its = recording.details_of[other].first;
    for (const NodeId node : recording.detailed_nodes(rank)) {
      const std::size_t at = mine++, other_at = its++;
      const NodeKind kind = graph.kind(node);
      if (kind == NodeKind::send || kind == NodeKind::recv) {
        if (recording.at(other, node).start >= 0 && !has_equal_message(rank, other, node))
          return false;
        continue;
      }
      const sim::NodeDetail &x = recording.details[at], &y = recording.details[other_at];
      if (x.queue != y.queue || x.latency != y.latency) return false;
      if (kind != NodeKind::coll || recorded_.of_detail[at] == result::kNone) continue;
      if (!has_equal_collective(recorded_.of_detail[at], recorded_.of_detail[other_at]))
        return false;
    }
    groups = mine_.groups();
    return true;
  }

  /// The same for ranks of one class (Recording::class_of): the same graph, and peers at the same
  /// distances. O(peers).
  [[nodiscard]] bool is_like_in_class(std::uint32_t rank, std::uint32_t other,
                                      std::vector<std::uint32_t>& groups) {
    const graph::Graph& graph = source_.workload.graph(rank);
    if (&graph != &source_.workload.graph(other)) return false;
    const std::uint32_t ranks = source_.workload.rank_count();
    const auto distance = [&](std::uint32_t from, NodeId node) {
      return (peer_of(graph, from, node) + ranks - from) % ranks;
    };
    for (const NodeId node : named_peers(rank))
      if (distance(rank, node) != distance(other, node)) return false;
    groups.clear();
    for (const std::uint32_t group : run_.ranks[other].groups)
      groups.push_back(source_.recording.group_of(rank, class_of_group(other, group)));
    return true;
  }

 private:
  /// Whether collective number `one` of `mine_` and `other` of `its_`, which ran at the same time,
  /// give equal spans. Adds their groups to the groups of the ranks.
  [[nodiscard]] bool has_equal_collective(std::uint32_t one, std::uint32_t other) {
    const CollectivePlace &a = recorded_.places[one], &b = recorded_.places[other];
    return mine_.number_of(a.group_class) == its_.number_of(b.group_class) &&
           (one == other ||
            (a.sequence == b.sequence && a.joined == b.joined && a.last_start == b.last_start));
  }

  [[nodiscard]] std::uint32_t class_of_group(std::uint32_t rank, std::uint32_t group) const {
    std::size_t at = source_.recording.first_membership[rank];
    while (source_.recording.memberships[at].group != group) ++at;
    return source_.recording.memberships[at].group_class;
  }

  // Everything that fill_message() reads, for a node that ran at the same time at both ranks.
  [[nodiscard]] bool has_equal_message(std::uint32_t rank, std::uint32_t other, NodeId node) const {
    const graph::Graph& graph = source_.workload.graph(rank);
    const std::uint32_t ranks = source_.workload.rank_count();
    const std::uint32_t peer = peer_of(graph, rank, node), its = peer_of(graph, other, node);
    if ((peer + ranks - rank) % ranks != (its + ranks - other) % ranks) return false;
    if (source_.platform.replay_only) return true;
    const NodeId partner = partners_[source_.recording.detail_index(rank, node)];
    if (partner != partners_[source_.recording.detail_index(other, node)]) return false;
    if (partner != graph::kNoNode &&
        (source_.span_of(peer, partner) != source_.span_of(its, partner) ||
         source_.recording.at(peer, partner).start != source_.recording.at(its, partner).start))
      return false;
    const bool out = graph.kind(node) == NodeKind::send;
    for (const std::int64_t bytes : {graph.point_to_point(node).size.count(), std::int64_t{0}}) {
      if (source_.recording.uncontended_time(out ? rank : peer, out ? peer : rank, bytes) !=
          source_.recording.uncontended_time(out ? other : its, out ? its : other, bytes))
        return false;
    }
    return true;
  }

  /// A node of the rank's graph for each peer that it names.
  [[nodiscard]] const std::vector<NodeId>& named_peers(std::uint32_t rank) {
    const auto [found, added] = named_peers_.try_emplace(source_.workload.graph_of_rank[rank]);
    if (!added) return found->second;
    const graph::Graph& graph = source_.workload.graph(rank);
    std::set<std::pair<std::uint32_t, std::uint32_t>> known;  // the peers of ranks 0 and 1
    for (NodeId node = 0; node < graph.size(); ++node) {
      const NodeKind kind = graph.kind(node);
      if (kind != NodeKind::send && kind != NodeKind::recv) continue;
      if (known.insert({peer_of(graph, 0, node), peer_of(graph, 1, node)}).second)
        found->second.push_back(node);
    }
    return found->second;
  }

  // Consecutively: nodes of several ranks alternate in the recording, and each is in a cache line
  // of its own. Reads that do not wait for each other hide that.
  [[nodiscard]] std::vector<sim::NodeTimes> times_of(std::uint32_t rank) const {
    const auto [first, step] = source_.recording.nodes_of[rank];
    std::vector<sim::NodeTimes> times(source_.workload.graph(rank).size());
    std::size_t next = first;
    for (sim::NodeTimes& one : times) {
      one = source_.recording.times[next];
      next += step;
    }
    return times;
  }

  [[nodiscard]] std::uint32_t number_of(std::string_view name) {
    CachedName& cached =
        name_cache_[(reinterpret_cast<std::uintptr_t>(name.data()) >> 3) % name_cache_.size()];
    if (cached.text.data() != name.data() || cached.text.size() != name.size())
      cached = {name, run_.names.intern(name)};
    return cached.number;
  }

  void fill(Span& span, std::uint32_t rank, NodeId node, TimelineDraft& draft) {
    const graph::Graph& graph = source_.workload.graph(rank);
    span.kind = kind_of(graph, node);
    Lane lane;
    lane.kind = lane_of(span.kind);
    const TimeSource network = network_model(source_.platform.network).source;
    switch (span.kind) {
      case SpanKind::compute:
      case SpanKind::cpu:
        span.model = source_.recording.timed_by[source_.workload.graph_of_rank[rank]][node];
        if (graph.has(node, graph::kHasNumOps)) span.flops = graph.work(node).num_ops;
        span.bytes = graph.work(node).tensor_size;
        break;
      case SpanKind::collective:
        span.model = network;
        fill_collective(span, rank, node, draft);
        lane.group = span.group;
        break;
      case SpanKind::send:
      case SpanKind::receive:
        span.model = network;
        fill_message(span, rank, node, lane);
        break;
      case SpanKind::load:
      case SpanKind::store:
        span.model = source_.platform.replay_only ? TimeSource::recorded : TimeSource::memory;
        span.bytes = graph.work(node).tensor_size;
        span.queue =
            std::min(span.end - span.start, Time(source_.recording.detail(rank, node).queue));
        break;
      case SpanKind::metadata:
        break;
    }
    // Simulated communication does not use recorded lanes.
    const bool communicates = span.kind == SpanKind::collective || span.kind == SpanKind::send ||
                              span.kind == SpanKind::receive;
    if (graph.lane(node) != graph::kNoLane && (!communicates || span.model == TimeSource::recorded))
      lane = recorded_lane(graph.lanes()[graph.lane(node)]);
    draft.keys.push_back(lane);
  }

  void fill_collective(Span& span, std::uint32_t rank, NodeId node, TimelineDraft& draft) {
    const RecordedCollective& recorded =
        recorded_.all[recorded_.number_of(source_.recording, rank, node)];
    const result::Collective& one = recorded.one;
    const std::uint32_t group = recorded_.group_of(source_.recording, rank, recorded.group_class);
    span.group = number_in(draft.groups, group);
    span.sequence = recorded.sequence;
    const graph::Collective& stated = source_.workload.graph(rank).collective(node);
    span.bytes = graph::full_buffer(stated.type, stated.size, run_.groups[group].size);
    if (source_.recording.detail(rank, node).collective == sim::kNone) {
      span.model = TimeSource::recorded;
      return;
    }
    if (one.joined && one.last_start > span.start)
      span.wait = std::min(one.last_start, span.end) - span.start;
    const sim::NodeDetail& detail = source_.recording.detail(rank, node);
    const Time left = span.end - span.start - span.wait;
    span.queue = std::min(left, Time(detail.queue));
    span.latency = std::min(left - span.queue, Time(detail.latency));
  }

  // The time of a message is its time alone on the fabric, plus waiting: for links or, under the
  // rendezvous protocol, for its receiver. A receive waits until the message departs.
  void fill_message(Span& span, std::uint32_t rank, NodeId node, Lane& lane) {
    const graph::Graph& graph = source_.workload.graph(rank);
    const std::uint32_t peer = peer_of(graph, rank, node);
    const std::uint32_t ranks = source_.workload.rank_count();
    span.distance = (peer + ranks - rank) % ranks;
    if (span.kind == SpanKind::send) lane.distance = span.distance;
    span.bytes = graph.point_to_point(node).size;
    if (source_.platform.replay_only) {
      span.model = TimeSource::recorded;
      return;
    }
    const NodeId partner = partners_[source_.recording.detail_index(rank, node)];
    if (partner != graph::kNoNode) span.peer_span = source_.span_of(peer, partner);
    Time left = span.end - span.start;
    if (span.kind == SpanKind::receive) {
      if (partner == graph::kNoNode) return;
      const Time sent(source_.recording.at(peer, partner).start);
      if (sent > span.start) span.wait = std::min(sent, span.end) - span.start;
      left -= span.wait;
    }
    const bool out = span.kind == SpanKind::send;
    const std::uint32_t from = out ? rank : peer, to = out ? peer : rank;
    const auto duration = [&](std::int64_t bytes) {
      return Time(source_.recording.uncontended_time(from, to, bytes));
    };
    const Time alone = duration(span.bytes.count()), hops = duration(0);
    // Time beyond the time alone is waiting.
    const Time more = left > alone ? left - alone : Time{};
    const bool congested = !source_.recording.uncontended;
    (congested || !out ? span.queue : span.wait) += more;
    left -= more;
    span.latency = std::min(left, hops);
  }

  // A span starts when the last of its dependencies ends, or later, when its lane is free.
  void find_release(Span& span, std::uint32_t rank, NodeId node, NodeId by,
                    std::span<const Time> ready) const {
    const graph::Graph& graph = source_.workload.graph(rank);
    if (by == graph::kNoNode || source_.span_of(rank, by) == result::kNone) return;
    span.released_by = source_.span_of(rank, by);
    const std::uint32_t edge = graph.edge(by, node);
    const bool needed = edge != graph::kNoNode;
    if (needed && graph.lane(by) != graph::kNoLane && graph.lane(node) != graph::kNoLane)
      span.reason = graph::edge_kind(graph, by, edge);
    span.release = needed || ready[node] == span.start ? result::Release::dependency
                                                       : result::Release::resource;
  }

  const RecordingSource& source_;
  const RecordedCollectives& recorded_;
  const std::vector<NodeId>& partners_;
  result::Run& run_;
  const EqualTimes& times_;
  /// Cache of recent names, by the address of their text: a graph stores each text once.
  struct CachedName {
    std::string_view text;
    std::uint32_t number = 0;
  };
  std::array<CachedName, 1024> name_cache_{};
  std::map<std::uint32_t, std::vector<NodeId>> named_peers_;  // by graph
  GroupNumbers mine_, its_;                                   // of two ranks that are compared
};

std::uint64_t hash_of(const result::Timeline& line) {
  std::uint64_t hash = line.spans.size();
  for (const Span& span : line.spans) {
    hash = mix(hash, span.node);
    hash = mix(hash, static_cast<std::uint64_t>(span.start.count()));
    hash = mix(hash, static_cast<std::uint64_t>(span.end.count()));
    hash = mix(hash, std::uint64_t{span.name} << 32 | span.distance);
    hash = mix(hash, std::uint64_t{span.sequence} << 32 | span.group);
  }
  return hash;
}

}  // namespace

void make_timelines(const RecordingSource& source, const EqualTimes& times,
                    const RecordedCollectives& recorded, const std::vector<NodeId>& partners,
                    result::Run& run) {
  const std::uint32_t ranks = source.workload.rank_count();
  TimelineBuilder builder(source, times, recorded, partners, run);
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> known;  // by hash
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>>
      drafted;  // by EqualTimes::same_as() or class: ranks
  const std::vector<std::uint32_t>& classes = source.recording.class_of;
  const auto reuse_equivalent = [&](std::uint32_t rank) {
    std::vector<std::uint32_t>& before =
        drafted[classes.empty()
                    ? times.same_as(rank)
                    : std::uint64_t{classes[rank]} << 32 | source.workload.graph_of_rank[rank]];
    for (const std::uint32_t other : before) {
      std::vector<std::uint32_t>& groups = run.ranks[rank].groups;
      if (classes.empty() ? !builder.is_equivalent(rank, other, groups)
                          : !builder.is_like_in_class(rank, other, groups))
        continue;
      run.ranks[rank].timeline = run.ranks[other].timeline;
      return true;
    }
    before.push_back(rank);
    return false;
  };
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    if (reuse_equivalent(rank)) continue;
    TimelineDraft draft = builder.draft(rank);
    draft.line.memory = memory_curve(source, rank, run.names);
    std::vector<std::uint32_t>& same = known[hash_of(draft.line)];
    const auto found = std::find_if(same.begin(), same.end(), [&](std::uint32_t timeline) {
      return run.timelines[timeline] == draft.line;
    });
    std::uint32_t number = static_cast<std::uint32_t>(run.timelines.size());
    if (found != same.end()) {
      number = *found;
    } else {
      same.push_back(number);
      run.timelines.push_back(std::move(draft.line));
    }
    run.ranks[rank].timeline = number;
    run.ranks[rank].groups = std::move(draft.groups);
  }
}

namespace {

// kind, group, distance; recorded: device, number
using Key = std::tuple<LaneKind, std::uint32_t, std::uint32_t, std::int32_t, std::int64_t>;

std::map<Key, std::vector<std::uint32_t>> by_lane(const std::vector<Lane>& keys) {
  std::map<Key, std::vector<std::uint32_t>> lanes;
  auto at = lanes.end();  // consecutive spans often share a lane
  for (std::uint32_t number = 0; number < keys.size(); ++number) {
    const Lane& of = keys[number];
    const Key key{of.kind, of.group, of.distance, of.device, of.number};
    if (at == lanes.end() || at->first != key) at = lanes.try_emplace(key).first;
    at->second.push_back(number);
  }
  return lanes;
}

}  // namespace

// Assigns the spans of a lane, by start, to the first layer that is free at that time. Spans of
// zero duration occupy no layer.
void place_in_lanes(result::Timeline& line, const std::vector<Lane>& keys) {
  std::vector<Time> free;  // by layer
  for (auto& [key, spans] : by_lane(keys)) {
    const auto earlier = [&](std::uint32_t a, std::uint32_t b) {
      const Span &x = line.spans[a], &y = line.spans[b];
      return std::tie(x.start, x.end, a) < std::tie(y.start, y.end, b);
    };
    if (!std::is_sorted(spans.begin(), spans.end(), earlier))
      std::sort(spans.begin(), spans.end(), earlier);
    const std::size_t base = line.lanes.size();
    free.assign(1, Time{});
    const Lane lane{std::get<0>(key), std::get<1>(key), std::get<2>(key), 0,
                    std::get<4>(key), std::get<3>(key)};
    line.lanes.push_back(lane);
    for (const std::uint32_t number : spans) {
      Span& span = line.spans[number];
      std::size_t layer = 0;
      if (span.end > span.start) {
        while (layer < free.size() && free[layer] > span.start) ++layer;
        if (layer == free.size()) {
          free.emplace_back();
          line.lanes.push_back(lane);
          line.lanes.back().layer = static_cast<std::uint32_t>(layer);
        }
        free[layer] = span.end;
      }
      span.lane = static_cast<std::uint16_t>(std::min<std::size_t>(base + layer, 65535));
    }
  }
}

}  // namespace orrery::record
