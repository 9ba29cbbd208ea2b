// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <utility>

#include "orrery/trace/pytorch/comms.h"

namespace orrery::trace::pytorch {
namespace {

using profile::Comm;
using profile::CommKind;
using profile::EventId;
using profile::kNoEvent;
using profile::kNone;

/// Where of two layers' words on one communication `more` is silent, `less` speaks.
Comm overlaid(Comm more, const Comm& less) {
  const auto fill = [](auto& into, const auto& from, auto silent) {
    if (into == silent) into = from;
  };
  fill(more.kind, less.kind, CommKind::unknown);
  if (more.in_elements < 0 && more.out_elements < 0) more.element_bytes = less.element_bytes;
  if (more.element_bytes == less.element_bytes || more.element_bytes == 0) {
    more.element_bytes = less.element_bytes;
    fill(more.in_elements, less.in_elements, -1);
    fill(more.out_elements, less.out_elements, -1);
  }
  fill(more.sequence, less.sequence, -1);
  fill(more.peer, less.peer, -1);
  fill(more.group_size, less.group_size, -1);
  fill(more.group, less.group, ~0u);
  fill(more.name, less.name, StringId::empty);
  fill(more.dtype, less.dtype, StringId::empty);
  fill(more.in_split, less.in_split, StringId::empty);
  fill(more.out_split, less.out_split, StringId::empty);
  more.asynchronous |= less.asynchronous;
  return more;
}

bool may_be_one(const Comm& a, const Comm& b) {
  return a.kind == b.kind || a.kind == CommKind::unknown || b.kind == CommKind::unknown;
}

/// The number of what a host event communicates, or kNone.
std::uint32_t& comm_of(profile::Profile& profile, EventId event) {
  return profile.ops[profile.events[event].detail].comm;
}

bool has_op(const profile::Event& event) {
  return event.kind == profile::Kind::op || event.kind == profile::Kind::annotation;
}

}  // namespace

EventId Comms::enclosing(EventId event, CommLayer layer) const {
  EventId around = profile_.events[event].parent;
  for (int steps = 0; steps < 8 && around != kNoEvent; ++steps) {
    if (has_op(profile_.events[around]) && comm_of(profile_, around) != kNone &&
        comm_layer_of(profile_.name(around)) < layer)
      return around;
    around = profile_.events[around].parent;
  }
  return kNoEvent;
}

void Comms::share(std::uint32_t lane, std::vector<CommLayer>& deepest) {
  EventId before = kNoEvent;  // the last one that communicates
  for (const EventId e : profile_.in_order(lane)) {
    if (!has_op(profile_.events[e]) || comm_of(profile_, e) == kNone) continue;
    const CommLayer layer = comm_layer_of(profile_.name(e));
    Comm& own = profile_.comms[comm_of(profile_, e)];
    deepest[comm_of(profile_, e)] = layer;
    EventId outer = enclosing(e, layer);
    // Some libraries annotate only once the framework's operator has returned.
    const bool inside = outer != kNoEvent;
    if (!inside && before != kNoEvent &&
        profile_.comms[comm_of(profile_, before)].in_elements == own.in_elements)
      outer = before;
    before = e;
    if (outer == kNoEvent) continue;
    const std::uint32_t theirs = comm_of(profile_, outer);
    Comm& other = profile_.comms[theirs];
    if (deepest[theirs] < layer && may_be_one(other, own)) {
      other = layer == CommLayer::record ? overlaid(own, other) : overlaid(other, own);
      deepest[theirs] = layer;
      comm_of(profile_, e) = theirs;
    } else if (inside && own.group == ~0u) {  // one of several inside a group's record
      own.group = other.group;
      own.group_size = other.group_size;
    }
  }
}

void Comms::resolve_peers() {
  for (const Peer& peer : peers_) {
    Comm& comm = profile_.comms[peer.comm];
    const std::vector<std::uint32_t>* ranks =
        comm.group == ~0u ? nullptr : &profile_.groups[comm.group].ranks;
    std::int64_t global = peer.in_group;
    if (ranks != nullptr && !ranks->empty()) {
      global = static_cast<std::size_t>(global) < ranks->size()
                   ? (*ranks)[static_cast<std::size_t>(global)]
                   : -1;
    } else if (peer.stride > 0) {
      global = peer.start + peer.in_group * peer.stride;
    }
    comm.peer = rank_or_none(global);
  }
}

void Comms::resolve_ranks() {
  const auto world = groups_.world();
  if (world && profile_.groups[*world].size > 0) {
    profile_.world_size = static_cast<std::uint32_t>(profile_.groups[*world].size);
    profile_.backend = library_of(profile_.groups[*world].backend);
  }
  std::vector<std::uint32_t> found;
  for (const OwnRank& own : own_ranks_) {
    const std::vector<std::uint32_t>& ranks = profile_.groups[own.group].ranks;
    if (!ranks.empty()) {
      if (static_cast<std::size_t>(own.in_group) < ranks.size())
        found.push_back(ranks[static_cast<std::size_t>(own.in_group)]);
    } else if (own.stride > 0) {
      const std::int32_t rank = rank_or_none(own.start + own.in_group * own.stride);
      if (rank >= 0) found.push_back(static_cast<std::uint32_t>(rank));
    } else if (world == own.group) {
      found.push_back(static_cast<std::uint32_t>(own.in_group));
    }
  }
  // Only where all communications agree.
  if (found.empty() ||
      std::adjacent_find(found.begin(), found.end(), std::not_equal_to<>()) != found.end())
    return;
  if (!profile_.world_size || found.front() < *profile_.world_size) profile_.rank = found.front();
}

void Comms::finish() {
  resolve_peers();
  resolve_ranks();
  std::vector<CommLayer> deepest(profile_.comms.size(), CommLayer::none);
  for (std::uint32_t lane = 0; lane < profile_.lanes.size(); ++lane) {
    if (!profile_.lanes[lane].device) share(lane, deepest);
  }
}

void Comms::drop_unused() {
  std::vector<std::uint32_t> now(profile_.comms.size(), kNone);
  std::vector<Comm> kept;
  const auto keep = [&](std::uint32_t& comm) {
    if (comm == kNone) return;
    if (now[comm] == kNone) {
      now[comm] = static_cast<std::uint32_t>(kept.size());
      kept.push_back(profile_.comms[comm]);
    }
    comm = now[comm];
  };
  for (std::size_t i = 0; i < profile_.ops.size(); ++i) keep(profile_.ops[i].comm);
  for (std::size_t i = 0; i < profile_.works.size(); ++i) keep(profile_.works[i].comm);
  profile_.comms = std::move(kept);
}

}  // namespace orrery::trace::pytorch
