// SPDX-License-Identifier: Apache-2.0
//
// Profiles by hand, in few words, for tests.
//
//   Maker make;
//   const auto main = make.thread(7);
//   const auto step = make.op(main, "aten::mm", 0, 10);
//   const auto launch = make.call(main, "cudaLaunchKernel", 2, 1, /*correlation=*/5);
//   const auto kernel = make.kernel(make.stream(7), "gemm", 4, 20, /*correlation=*/5);
//   const Profile profile = make.take();
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/core/findings.h"
#include "orrery/profile/profile.h"

namespace orrery::profile {

/// Builds a Profile event by event. Times are microseconds since the origin.
class Maker {
 public:
  explicit Maker(std::shared_ptr<StringPool> strings = std::make_shared<StringPool>()) {
    profile.strings = std::move(strings);
    profile.format = "kineto";
    profile.where = "test.json";
  }

  /// The lane of a thread of process 1, or of a stream of a device.
  std::uint32_t thread(std::int64_t id) { return profile.lane(false, 1, id); }
  std::uint32_t stream(std::int64_t id, std::int64_t device = 0) {
    return profile.lane(true, device, id);
  }

  EventId op(std::uint32_t lane, std::string_view name, std::int64_t start, std::int64_t duration,
             Kind kind = Kind::op) {
    profile.ops.push_back({});
    return add(kind, lane, name, start, duration, profile.ops.size() - 1);
  }
  EventId annotation(std::uint32_t lane, std::string_view name, std::int64_t start,
                     std::int64_t duration) {
    return op(lane, name, start, duration, Kind::annotation);
  }
  EventId python(std::uint32_t lane, std::string_view name, std::int64_t start,
                 std::int64_t duration) {
    return op(lane, name, start, duration, Kind::python);
  }
  EventId call(std::uint32_t lane, std::string_view name, std::int64_t start, std::int64_t duration,
               std::uint64_t correlation = kNoId, std::uint64_t external_id = kNoId) {
    profile.calls.push_back({correlation, external_id});
    return add(Kind::call, lane, name, start, duration, profile.calls.size() - 1);
  }
  /// Work on a stream.
  EventId kernel(std::uint32_t lane, std::string_view name, std::int64_t start,
                 std::int64_t duration, std::uint64_t correlation = kNoId,
                 std::uint64_t external_id = kNoId, Kind kind = Kind::kernel) {
    Work work;
    work.correlation = correlation;
    work.external_id = external_id;
    profile.works.push_back(work);
    return add(kind, lane, name, start, duration, profile.works.size() - 1);
  }
  /// A record of a synchronization, with the values of `sync`.
  EventId sync(std::uint32_t lane, std::int64_t start, std::int64_t duration, const Sync& sync) {
    profile.has_sync_events = true;
    profile.syncs.push_back(sync);
    return add(Kind::sync, lane, "sync", start, duration, profile.syncs.size() - 1);
  }
  /// A node of an execution trace: an untimed operator (or annotation) with a Node of that id.
  EventId node(std::uint32_t lane, std::string_view name, std::uint64_t id,
               EventId parent = kNoEvent, Kind kind = Kind::op) {
    const EventId event = op(lane, name, 0, 0, kind);
    Node node;
    node.id = id;
    node.thread = static_cast<std::int32_t>(profile.lanes[lane].id);
    if (parent != kNoEvent && profile.node(parent) != nullptr)
      node.parent = profile.node(parent)->id;
    profile.nodes.push_back(node);
    profile.ops.back().node = static_cast<std::uint32_t>(profile.nodes.size() - 1);
    profile.events.back().flags = kHasNode;
    profile.events.back().parent = parent;
    return event;
  }

  Op& op_of(EventId event) { return profile.ops[profile.events[event].detail]; }
  Call& call_of(EventId event) { return profile.calls[profile.events[event].detail]; }
  Work& work_of(EventId event) { return profile.works[profile.events[event].detail]; }
  Node& node_of(EventId event) { return profile.nodes[op_of(event).node]; }
  StringId text(std::string_view text) { return profile.strings->intern(text); }

  std::uint32_t group(std::string_view name, std::vector<std::uint32_t> ranks = {}) {
    Group group;
    group.name = name;
    group.size = static_cast<std::int32_t>(ranks.size());
    group.ranks = std::move(ranks);
    profile.groups.push_back(std::move(group));
    return static_cast<std::uint32_t>(profile.groups.size() - 1);
  }
  /// Gives an operator or a kernel a communication of `elements` floats in a group.
  Comm& comm(EventId event, CommKind kind, std::int64_t elements, std::uint32_t group = kNone) {
    Comm comm;
    comm.kind = kind;
    comm.element_bytes = 4;
    comm.dtype = text("Float");
    comm.in_elements = comm.out_elements = elements;
    comm.group = group;
    profile.comms.push_back(comm);
    const auto index = static_cast<std::uint32_t>(profile.comms.size() - 1);
    const Event& of = profile.events[event];
    (is_host(of.kind) ? profile.ops[of.detail].comm : profile.works[of.detail].comm) = index;
    return profile.comms.back();
  }

  /// The profile, indexed.
  Profile take() {
    profile.account.records = profile.account.events = profile.events.size();
    profile.index(findings);
    return std::move(profile);
  }

  Profile profile;
  Findings findings;

 private:
  EventId add(Kind kind, std::uint32_t lane, std::string_view name, std::int64_t start,
              std::int64_t duration, std::size_t detail) {
    Event event;
    event.start = us(start);
    event.duration = us(duration);
    event.name = text(name);
    event.lane = lane;
    event.detail = static_cast<std::uint32_t>(detail);
    event.kind = kind;
    event.flags = kTimed;
    profile.events.push_back(event);
    return static_cast<EventId>(profile.events.size() - 1);
  }
};

}  // namespace orrery::profile
