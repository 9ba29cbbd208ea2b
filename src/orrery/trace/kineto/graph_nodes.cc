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

/// Arrows between nodes are counted from here, beyond all correlation ids.
constexpr std::int64_t kFirstEdge = std::int64_t{1} << 40;
/// Times are written as doubles of microseconds: an end that is written as a time and one that is
/// a start and a duration may differ by a little.
constexpr Time kRounding = ns(2);

}  // namespace

bool GraphNodes::is_edge(const Record& flow) { return integer_or(flow.id, 0) >= kFirstEdge; }

void GraphNodes::add_work(const Record& record, EventId event, DisplayLane display_lane) {
  if (!record.has(Arg::graph_id) && !record.has(Arg::graph_node)) return;
  // Newer profilers write the lower half of a node's id, older ones all of it, with the graph's in
  // the upper half; numbers that are 0 may be left out.
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
  ends_.push_back({id_of(flow.id), display_lane, time, content(flow.phase) == "s"});
}

void GraphNodes::shift(Time by) {
  for (End& end : ends_) end.time -= by;
}

/// The nodes shown in one place that start there at the time of an arrow's end, or up to then.
std::pair<const GraphNodes::Node*, const GraphNodes::Node*> GraphNodes::around(
    const End& end) const {
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

/// The node at an arrow's head.
EventId GraphNodes::started(const End& end) const {
  const auto [first, last] = around(end);
  return first == last ? kNoEvent : first->event;
}

/// The node at an arrow's tail: of the same replay, and the one that ends there.
EventId GraphNodes::ended(const End& end, EventId before) const {
  constexpr int kBack = 16;  // nodes shown in one place hardly overlap
  const std::uint64_t replay = profile_.work(before).correlation;
  const Node* node = around(end).second;
  EventId inside = kNoEvent;
  for (int back = 0; back < kBack && node != nodes_.data(); ++back) {
    --node;
    if (node->display_lane != end.display_lane) break;
    if (node->event == before || profile_.work(node->event).correlation != replay) continue;
    const Time late = profile_.events[node->event].end() - end.time;
    if (late <= kRounding && -1 * kRounding <= late) return node->event;
    if (late > Time{} && inside == kNoEvent) inside = node->event;
  }
  return inside;
}

void GraphNodes::finish(Findings& findings) {
  if (ends_.empty()) return;
  std::sort(nodes_.begin(), nodes_.end(), [&](const Node& a, const Node& b) {
    return std::make_tuple(a.display_lane, profile_.events[a.event].start, a.event) <
           std::make_tuple(b.display_lane, profile_.events[b.event].start, b.event);
  });
  std::stable_sort(ends_.begin(), ends_.end(),
                   [](const End& a, const End& b) { return a.id < b.id; });
  auto& edges = profile_.graph_edges;
  for (std::size_t i = 0; i < ends_.size();) {
    const End* tail = nullptr;
    const End* head = nullptr;
    const std::uint64_t id = ends_[i].id;
    for (; i < ends_.size() && ends_[i].id == id; ++i) (ends_[i].begins ? tail : head) = &ends_[i];
    if (tail == nullptr || head == nullptr) continue;
    const EventId to = started(*head);
    const EventId from = to == kNoEvent ? kNoEvent : ended(*tail, to);
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
