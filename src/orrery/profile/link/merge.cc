// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "orrery/profile/link/link_internal.h"

namespace orrery::profile {
namespace {

template <class T>
void fill(T& into, const T& from, const T& nothing) {
  if (into == nothing) into = from;
}

/// Number of known values.
int count_known(const Comm& comm) {
  int sum = 0;
  for (const bool is_known :
       {comm.kind != CommKind::unknown, comm.element_bytes > 0, comm.in_elements >= 0,
        comm.out_elements >= 0, comm.sequence >= 0, comm.peer >= 0, comm.group_size >= 0,
        comm.group != kNone, comm.name != StringId::empty, comm.dtype != StringId::empty,
        comm.in_split != StringId::empty, comm.out_split != StringId::empty})
    sum += is_known ? 1 : 0;
  return sum;
}

class Merger {
 public:
  Merger(Profile& device, Profile& host, Links& links, Findings& findings)
      : device_(device), host_(host), links_(links), findings_(findings) {}

  void run() {
    move_nodes();
    map_groups();
    comm_of_.assign(host_.comms.size(), kNone);
    for (std::size_t e = 0; e < host_.events.size(); ++e) move_event(static_cast<EventId>(e));
    for (const EventId e : added_) {
      Event& event = device_.events[links_.event[e]];
      event.parent = parent_of(e);
      if (event.parent != kNoEvent && device_.events[event.parent].lane != event.lane)
        event.parent = kNoEvent;
    }
    for (const auto& [forward, backward] : host_.forward_backward) {
      if (links_.event[forward] != kNoEvent && links_.event[backward] != kNoEvent)
        device_.forward_backward.emplace_back(links_.event[forward], links_.event[backward]);
    }
    merge_facts();
    merge_counts();
  }

 private:
  void move_nodes() {
    if (device_.nodes.empty()) {
      device_.nodes = std::move(host_.nodes);
      device_.texts = std::move(host_.texts);
      return;
    }
    first_node_ = static_cast<std::uint32_t>(device_.nodes.size());
    for (std::size_t n = 0; n < host_.nodes.size(); ++n) {
      Node node = host_.nodes[n];
      node.inputs = device_.texts.add(host_.texts.view(node.inputs));
      node.outputs = device_.texts.add(host_.texts.view(node.outputs));
      device_.nodes.push_back(node);
    }
  }

  void map_groups() {
    for (Group& group : host_.groups) {
      const auto same =
          std::find_if(device_.groups.begin(), device_.groups.end(), [&](const Group& other) {
            return other.name == group.name &&
                   (other.ranks.empty() || group.ranks.empty() || other.ranks == group.ranks);
          });
      group_of_.push_back(static_cast<std::uint32_t>(same - device_.groups.begin()));
      if (same == device_.groups.end()) {
        device_.groups.push_back(std::move(group));
        continue;
      }
      fill(same->description, group.description, {});
      fill(same->backend, group.backend, {});
      fill(same->ranks, group.ranks, {});
      fill(same->size, group.size, -1);
    }
  }

  void move_event(EventId e) {
    const Event& event = host_.events[e];
    if (links_.event[e] != kNoEvent) return merge_linked(e);
    if (is_linkable(host_, e) || (event.kind == Kind::python && event.detail != kNone))
      return add_event(e);
    // Nodes of the process and of its threads are lanes in the profile.
    if (event.kind != Kind::op && event.kind != Kind::annotation)
      ++dropped_[static_cast<std::size_t>(event.kind)];
  }

  void merge_linked(EventId e) {
    const Op& from = host_.ops[host_.events[e].detail];
    Event& event = device_.events[links_.event[e]];
    Op& into = device_.ops[event.detail];
    if (from.node != kNone) {
      into.node = first_node_ + from.node;
      event.flags |= kHasNode;
    }
    fill(into.record_function_id, from.record_function_id, kNoId);
    fill(into.sequence, from.sequence, std::int64_t{-1});
    if (from.comm == kNone) return;
    if (into.comm == kNone) {
      into.comm = comm(from.comm);
      return;
    }
    Comm other = host_.comms[from.comm];
    if (other.group != kNone) other.group = group_of_[other.group];
    Comm& own = device_.comms[into.comm];
    if (count_known(other) > count_known(own)) std::swap(own, other);
    fill_missing(own, other);
  }

  void add_event(EventId e) {
    const Event& from = host_.events[e];
    Op op = host_.ops[from.detail];
    if (op.node != kNone) op.node += first_node_;
    op.comm = comm(op.comm);
    Event event = from;
    event.start = event.duration = Time{};
    event.flags = static_cast<std::uint8_t>(op.node != kNone ? kHasNode : 0);
    event.lane = lane_of(from.lane);
    event.detail = static_cast<std::uint32_t>(device_.ops.size());
    event.parent = kNoEvent;
    device_.ops.push_back(op);
    device_.events.push_back(event);
    links_.event[e] = static_cast<EventId>(device_.events.size() - 1);
    added_.push_back(e);
  }

  [[nodiscard]] std::uint32_t comm(std::uint32_t host_comm) {
    if (host_comm == kNone) return kNone;
    std::uint32_t& place = comm_of_[host_comm];
    if (place == kNone) {
      place = static_cast<std::uint32_t>(device_.comms.size());
      Comm taken = host_.comms[host_comm];
      if (taken.group != kNone) taken.group = group_of_[taken.group];
      device_.comms.push_back(taken);
    }
    return place;
  }

  /// The device's lane of a host thread; a new lane if no thread of the device matches.
  [[nodiscard]] std::uint32_t lane_of(std::uint32_t host_lane) {
    std::uint32_t& lane = links_.lane[host_lane];
    if (lane != kNone) return lane;
    const Lane& from = host_.lanes[host_lane];
    // The host's thread number comes from the framework, and may equal a system thread id.
    constexpr std::int64_t kBeyond = 1'000'000'000;
    std::int64_t id = from.id;
    const auto is_taken = [&] {
      return std::any_of(device_.lanes.begin(), device_.lanes.end(), [&](const Lane& other) {
        return other.device == from.device && other.process == from.process && other.id == id;
      });
    };
    while (is_taken()) id += kBeyond;
    lane = device_.lane(from.device, from.process, id);
    device_.lanes[lane].name = from.name;
    return lane;
  }

  [[nodiscard]] EventId parent_of(EventId e) const {
    const EventId at =
        enclosing_event(host_, e, [&](EventId around) { return links_.event[around] != kNoEvent; });
    return at == kNoEvent ? kNoEvent : links_.event[at];
  }

  void merge_facts() {
    device_.format = "linked";
    if (!device_.rank) device_.rank = host_.rank;
    if (!device_.world_size) device_.world_size = host_.world_size;
    fill(device_.backend, host_.backend, {});
    fill(device_.process_id, host_.process_id, std::int64_t{0});
    host_.facts.emplace_back("execution_trace_schema", host_.schema);
    for (auto& fact : host_.facts) {
      const bool is_there = std::any_of(device_.facts.begin(), device_.facts.end(),
                                        [&](const auto& own) { return own.first == fact.first; });
      if (!is_there) device_.facts.push_back(std::move(fact));
    }
  }

  /// Counts the host's records: new events, or parts of other events.
  void merge_counts() {
    RecordCounts& into = device_.account;
    const RecordCounts& from = host_.account;
    std::uint64_t dropped = 0;
    const auto leave_out = [&](const std::string& name, std::uint64_t count) {
      const auto place = std::lower_bound(
          into.left_out.begin(), into.left_out.end(), name,
          [](const auto& entry, const std::string& wanted) { return entry.first < wanted; });
      if (place != into.left_out.end() && place->first == name) {
        place->second += count;
      } else {
        into.left_out.insert(place, {name, count});
      }
    };
    for (const auto& [name, count] : from.left_out) leave_out(name, count);
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      if (dropped_[kind] == 0) continue;
      leave_out(std::string(name(static_cast<Kind>(kind))), dropped_[kind]);
      dropped += dropped_[kind];
      findings_.add(FindingCode::event_not_kept, host_.where, dropped_[kind]);
    }
    into.records += from.records;
    into.events += added_.size();
    into.mapped += from.mapped + from.events - std::min(from.events, added_.size() + dropped);
  }

  Profile& device_;
  Profile& host_;
  Links& links_;
  Findings& findings_;
  std::uint32_t first_node_ = 0;
  std::vector<std::uint32_t> group_of_, comm_of_;  // index in the host → index in the device
  std::vector<EventId> added_;                     // of the host
  std::array<std::uint64_t, kKinds> dropped_{};
};

}  // namespace

void fill_missing(Comm& into, const Comm& from) {
  if (into.kind != from.kind && into.kind != CommKind::unknown && from.kind != CommKind::unknown)
    return;
  fill(into.kind, from.kind, CommKind::unknown);
  into.asynchronous = into.asynchronous || from.asynchronous;
  fill(into.element_bytes, from.element_bytes, 0);
  fill(into.in_elements, from.in_elements, std::int64_t{-1});
  fill(into.out_elements, from.out_elements, std::int64_t{-1});
  fill(into.sequence, from.sequence, std::int64_t{-1});
  fill(into.peer, from.peer, -1);
  fill(into.group_size, from.group_size, -1);
  fill(into.group, from.group, kNone);
  fill(into.name, from.name, StringId::empty);
  fill(into.dtype, from.dtype, StringId::empty);
  fill(into.in_split, from.in_split, StringId::empty);
  fill(into.out_split, from.out_split, StringId::empty);
}

void merge(Profile& device, Profile&& host, Links& links, Findings& findings) {
  Merger(device, host, links, findings).run();
}

}  // namespace orrery::profile
