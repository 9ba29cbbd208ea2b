// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

namespace orrery::profile {
namespace {

/// The order of events in a lane.
struct EventOrder {
  const Profile& profile;

  [[nodiscard]] std::uint64_t node_id(EventId e) const {
    const Node* node = profile.node(e);
    return node == nullptr ? kNoId : node->id;
  }
  bool operator()(EventId a, EventId b) const {
    const Event& left = profile.events[a];
    const Event& right = profile.events[b];
    if (left.start != right.start) return left.start < right.start;
    if (left.duration != right.duration) return left.duration > right.duration;
    return a < b;
  }
};

}  // namespace

std::string_view name(Kind kind) {
  constexpr std::array<std::string_view, kKinds> kNames = {
      "op",     "annotation", "python",       "call",         "overhead", "kernel",
      "memcpy", "memset",     "device_other", "device_range", "sync"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::uint32_t Profile::lane(bool device, std::int64_t process, std::int64_t id) {
  const auto key = std::make_tuple(device, process, id);
  const auto place = std::lower_bound(
      lanes_by_key_.begin(), lanes_by_key_.end(), key, [&](std::uint32_t at, const auto& wanted) {
        const Lane& lane = lanes[at];
        return std::make_tuple(lane.device, lane.process, lane.id) < wanted;
      });
  if (place != lanes_by_key_.end()) {
    const Lane& found = lanes[*place];
    if (std::make_tuple(found.device, found.process, found.id) == key) return *place;
  }
  const auto added = static_cast<std::uint32_t>(lanes.size());
  lanes_by_key_.insert(place, added);
  lanes.push_back(Lane{device, process, id, {}});
  return added;
}

void Profile::index(Findings& findings) {
  first_of_lane_.assign(lanes.size() + 1, 0);
  for (std::size_t e = 0; e < events.size(); ++e) ++first_of_lane_[events[e].lane + 1];
  for (std::size_t l = 0; l < lanes.size(); ++l) first_of_lane_[l + 1] += first_of_lane_[l];
  order_.resize(events.size());
  std::vector<std::uint32_t> next(first_of_lane_.begin(), first_of_lane_.end() - 1);
  for (std::size_t e = 0; e < events.size(); ++e)
    order_[next[events[e].lane]++] = static_cast<EventId>(e);
  for (std::uint32_t l = 0; l < lanes.size(); ++l) order_lane(l, findings);
}

void Profile::order_lane(std::uint32_t lane, Findings& findings) {
  const std::span<EventId> order{order_.data() + first_of_lane_[lane],
                                 first_of_lane_[lane + 1] - first_of_lane_[lane]};
  const auto untimed = std::stable_partition(order.begin(), order.end(),
                                             [&](EventId e) { return events[e].timed(); });
  const std::span<EventId> timed = order.first(static_cast<std::size_t>(untimed - order.begin()));
  if (!std::is_sorted(timed.begin(), timed.end(), EventOrder{*this}))
    std::sort(timed.begin(), timed.end(), EventOrder{*this});
  if (!lanes[lane].device) nest(timed, findings);
  if (untimed != order.end()) place_untimed(lane, timed.size());
}

void Profile::nest(std::span<const EventId> timed, Findings& findings) {
  std::vector<EventId> open;  // the enclosing events of the current one
  for (const EventId e : timed) {
    Event& event = events[e];
    while (!open.empty() && events[open.back()].end() <= event.start) {
      // An event of length 0 at the end of its parent is still inside it.
      if (event.duration == Time{} && events[open.back()].end() == event.start &&
          events[open.back()].duration > Time{})
        break;
      open.pop_back();
    }
    event.parent = open.empty() ? kNoEvent : open.back();
    if (!open.empty() && event.end() > events[open.back()].end()) {
      findings.add(FindingCode::event_overlaps,
                   fmt::format("{}: \"{}\" in \"{}\"", where, name(e), name(open.back())));
    }
    open.push_back(e);
  }
}

void Profile::place_untimed(std::uint32_t lane, std::size_t timed) {
  const std::span<EventId> order{order_.data() + first_of_lane_[lane],
                                 first_of_lane_[lane + 1] - first_of_lane_[lane]};
  const EventOrder by{*this};
  const auto ids_ascend = [&](EventId a, EventId b) {
    return std::make_pair(by.node_id(a), a) < std::make_pair(by.node_id(b), b);
  };
  std::vector<EventId> without(order.begin() + static_cast<std::ptrdiff_t>(timed), order.end());
  std::sort(without.begin(), without.end(), ids_ascend);
  if (timed == 0) {
    std::copy(without.begin(), without.end(), order.begin());
    return;
  }
  // Places each untimed event after the timed event with the greatest smaller node id. Node ids are
  // in pre-order.
  std::vector<EventId> merged;
  merged.reserve(order.size());
  // (node id, position among the timed).
  std::vector<std::pair<std::uint64_t, std::size_t>> anchors;
  for (std::size_t i = 0; i < timed; ++i) {
    const std::uint64_t id = by.node_id(order[i]);
    if (id != kNoId) anchors.emplace_back(id, i);
  }
  std::sort(anchors.begin(), anchors.end());
  std::vector<std::pair<std::size_t, EventId>> after;  // (position, event); position 0: before all
  for (const EventId e : without) {
    const auto next = std::upper_bound(anchors.begin(), anchors.end(),
                                       std::make_pair(by.node_id(e), ~std::size_t{0}));
    after.emplace_back(next == anchors.begin() ? 0 : std::prev(next)->second + 1, e);
  }
  std::stable_sort(after.begin(), after.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::size_t next = 0;
  for (std::size_t i = 0; i <= timed; ++i) {
    for (; next < after.size() && after[next].first == i; ++next)
      merged.push_back(after[next].second);
    if (i < timed) merged.push_back(order[i]);
  }
  std::copy(merged.begin(), merged.end(), order.begin());
}

const Comm* Profile::comm(EventId e) const {
  const Event& event = events[e];
  if (event.detail == kNone) return nullptr;
  std::uint32_t comm = kNone;
  if (event.kind == Kind::op || event.kind == Kind::annotation) comm = ops[event.detail].comm;
  if (is_device_work(event.kind) || event.kind == Kind::device_range)
    comm = works[event.detail].comm;
  return comm == kNone ? nullptr : &comms[comm];
}

const GraphNode* Profile::graph_node(EventId work) const {
  const std::uint32_t detail = events[work].detail;
  const auto found = std::lower_bound(
      graph_nodes.begin(), graph_nodes.end(), detail,
      [](const GraphNode& node, std::uint32_t wanted) { return node.work < wanted; });
  const bool found_node =
      is_device_work(events[work].kind) && found != graph_nodes.end() && found->work == detail;
  return found_node ? &*found : nullptr;
}

std::size_t Profile::resident_bytes() const {
  return events.resident_bytes() + ops.resident_bytes() + calls.resident_bytes() +
         works.resident_bytes() + syncs.resident_bytes() + nodes.resident_bytes() +
         texts.resident_bytes() + comms.size() * sizeof(Comm) +
         captured.size() * sizeof(CapturedOperator) + graph_nodes.size() * sizeof(GraphNode) +
         graph_edges.size() * sizeof(graph_edges[0]) + memory.size() * sizeof(MemoryChange) +
         order_.size() * sizeof(EventId);
}

}  // namespace orrery::profile
