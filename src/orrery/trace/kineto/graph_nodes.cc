// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/kineto/graph_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "orrery/trace/kineto/raw_numbers.h"

namespace orrery::trace::kineto {
namespace {

using profile::EventId;
using profile::kNoEvent;
using profile::kNoId;

/// Ids of flows between nodes begin here, above all correlation ids.
constexpr std::int64_t kFirstEdge = std::int64_t{1} << 40;
/// Times are doubles in microseconds: an end written as a time may differ slightly from the sum of
/// a start and a duration.
constexpr Time kRounding = ns(2);

}  // namespace

bool GraphNodes::is_edge(const Record& flow) { return integer_or(flow.id, 0) >= kFirstEdge; }

void GraphNodes::add_work(const Record& record, EventId event, DisplayLane display_lane) {
  if (!record.has(Arg::graph_id) && !record.has(Arg::graph_node)) return;
  // Newer profilers write the lower half of a node's id. Older ones write all of it, with the
  // graph's id in the upper half. Numbers that are 0 may be omitted.
  const auto node =
      static_cast<std::uint64_t>(std::max<std::int64_t>(integer_or(record[Arg::graph_node], 0), 0));
  std::uint64_t graph = id_of(record[Arg::graph_id]);
  if (graph == kNoId) graph = node >> 32;
  if (graph == 0) return;
  const auto work = static_cast<std::uint32_t>(profile_.works.size() - 1);
  profile_.graph_nodes.push_back({work, static_cast<std::uint32_t>(node), graph});
  nodes_.push_back({display_lane, event});
}

void GraphNodes::add_end(const Record& flow, Time time, DisplayLane display_lane) {
  ends_.push_back({id_of(flow.id), display_lane, time, unquoted(flow.phase) == "s"});
}

void GraphNodes::shift(Time by) {
  for (FlowEnd& end : ends_) end.time -= by;
}

/// The range of nodes in the displayed row that start exactly at the time of a flow's end.
std::pair<const GraphNodes::Node*, const GraphNodes::Node*> GraphNodes::nodes_starting_at(
    const FlowEnd& end) const {
  const auto key = [&](const Node& node) {
    return std::make_tuple(node.display_lane, profile_.events[node.event].start);
  };
  const auto wanted = std::make_tuple(end.display_lane, end.time);
  const auto first = std::partition_point(nodes_.begin(), nodes_.end(),
                                          [&](const Node& n) { return key(n) < wanted; });
  const auto last =
      std::partition_point(first, nodes_.end(), [&](const Node& n) { return key(n) == wanted; });
  return {nodes_.data() + (first - nodes_.begin()), nodes_.data() + (last - nodes_.begin())};
}

/// The node at the head of a flow.
EventId GraphNodes::node_starting_at(const FlowEnd& end) const {
  const auto [first, last] = nodes_starting_at(end);
  return first == last ? kNoEvent : first->event;
}

/// The node at the tail of a flow: of the same replay, and ending at this time.
EventId GraphNodes::node_ending_at(const FlowEnd& end, EventId before) const {
  constexpr int kBack = 16;  // nodes in one displayed row hardly overlap
  const std::uint64_t replay = profile_.work(before).correlation;
  const Node* node = nodes_starting_at(end).second;
  EventId enclosing = kNoEvent;
  for (int back = 0; back < kBack && node != nodes_.data(); ++back) {
    --node;
    if (node->display_lane != end.display_lane) break;
    if (node->event == before || profile_.work(node->event).correlation != replay) continue;
    const Time excess = profile_.events[node->event].end() - end.time;
    if (excess <= kRounding && -1 * kRounding <= excess) return node->event;
    if (excess > Time{} && enclosing == kNoEvent) enclosing = node->event;
  }
  return enclosing;
}

void GraphNodes::finish(Findings& findings) {
  if (ends_.empty()) return;
  std::sort(nodes_.begin(), nodes_.end(), [&](const Node& a, const Node& b) {
    return std::make_tuple(a.display_lane, profile_.events[a.event].start, a.event) <
           std::make_tuple(b.display_lane, profile_.events[b.event].start, b.event);
  });
  std::stable_sort(ends_.begin(), ends_.end(),
                   [](const FlowEnd& a, const FlowEnd& b) { return a.id < b.id; });
  auto& edges = profile_.graph_edges;
  for (std::size_t i = 0; i < ends_.size();) {
    const FlowEnd* tail = nullptr;
    const FlowEnd* head = nullptr;
    const std::uint64_t id = ends_[i].id;
    for (; i < ends_.size() && ends_[i].id == id; ++i)
      (ends_[i].is_start ? tail : head) = &ends_[i];
    if (tail == nullptr || head == nullptr) continue;
    const EventId to = node_starting_at(*head);
    const EventId from = to == kNoEvent ? kNoEvent : node_ending_at(*tail, to);
    if (from == kNoEvent) continue;
    if (profile_.events[from].end() <= profile_.events[to].start + kRounding) {
      edges.emplace_back(from, to);
    } else {
      findings.add(FindingCode::dependency_contradicts_time,
                   fmt::format("{}: \"{}\" waits for \"{}\"", profile_.where,
                               profile_.name(to).substr(0, 80), profile_.name(from).substr(0, 80)));
    }
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  nodes_ = {};
  ends_ = {};
}

}  // namespace orrery::trace::kineto
