// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "orrery/trace/pytorch/builder.h"

namespace orrery::trace::pytorch {

using profile::Event;
using profile::EventId;
using profile::kNoEvent;

void Builder::count(FindingCode code, EventId e) {
  if (findings_.count(code) >= Findings::kPlaces) {
    findings_.add(code);
  } else if (const profile::Node* const node = profile_.node(e)) {
    findings_.add(code, fmt::format("{}: node {} \"{}\", parent {}", profile_.where, node->id,
                                    profile_.name(e).substr(0, 64), node->parent));
  } else {
    findings_.add(code, fmt::format("{}: \"{}\"", profile_.where, profile_.name(e).substr(0, 64)));
  }
}

void Builder::find_parent(EventId e) {
  Event& event = profile_.events[e];
  const profile::Node& node = *profile_.node(e);
  const std::uint32_t found = node.parent == 0 ? IdMap::kAbsent : events_by_id_.find(node.parent);
  if (found == kRoot || found == kThread) return;
  if (found == IdMap::kAbsent) {
    count(FindingCode::node_without_parent, e);
  } else if (found == e) {
    count(FindingCode::self_edge_dropped, e);
  } else if (profile_.events[found].lane == event.lane) {
    event.parent = found;
  }
}

void Builder::cut_cycles() {
  // Every event is walked from once; what a walk meets again is on a circle.
  std::vector<EventId> met_by(profile_.events.size(), kNoEvent);
  for (EventId first = 0; first < profile_.events.size(); ++first) {
    EventId e = first;
    while (met_by[e] == kNoEvent) {
      met_by[e] = first;
      const EventId parent = profile_.events[e].parent;
      if (parent == kNoEvent) break;
      if (met_by[parent] == first) {
        profile_.events[e].parent = kNoEvent;
        count(FindingCode::cycle_broken, e);
        break;
      }
      e = parent;
    }
  }
}

void Builder::start_at_zero() {
  if (!has_origin_) return;
  Time first(std::numeric_limits<std::int64_t>::max());
  for (std::size_t e = 0; e < profile_.events.size(); ++e) {
    if (profile_.events[e].timed()) first = std::min(first, profile_.events[e].start);
  }
  // Whole nanoseconds, so that the origin stays exact.
  std::int64_t shift = first.count() / 1000;
  if (shift * 1000 > first.count()) --shift;
  std::int64_t origin = 0;
  if (shift == 0 || __builtin_add_overflow(profile_.origin_ns, shift, &origin)) return;
  profile_.origin_ns = origin;
  for (std::size_t e = 0; e < profile_.events.size(); ++e) {
    if (profile_.events[e].timed()) profile_.events[e].start -= Time(shift * 1000);
  }
}

void Builder::attach_works() {
  for (const auto& [e, parent] : device_parents_) {
    profile::Work& work = profile_.works[profile_.events[e].detail];
    const std::uint32_t found = parent == 0 ? IdMap::kAbsent : events_by_id_.find(parent);
    if (found >= kThread) {
      count(FindingCode::node_without_parent, e);
      continue;
    }
    if (!profile::is_host(profile_.events[found].kind)) continue;
    work.op = found;
    if (!profile::is_comm_kernel(profile_.name(e))) continue;
    EventId op = found;
    for (int steps = 0; steps < 4 && op != kNoEvent && work.comm == profile::kNone; ++steps) {
      work.comm = profile_.op(op).comm;
      op = profile_.events[op].parent;
    }
  }
}

void Builder::finish() {
  // Files name the process before the nodes; if not, the lanes were made without it.
  for (profile::Lane& lane : profile_.lanes) {
    if (!lane.device) lane.process = profile_.process_id;
  }
  for (EventId e = 0; e < profile_.events.size(); ++e) {
    if (profile::is_host(profile_.events[e].kind)) find_parent(e);
  }
  cut_cycles();
  start_at_zero();
  profile_.index(findings_);
  comms_.finish();
  attach_works();
  comms_.drop_unused();
}

}  // namespace orrery::trace::pytorch
