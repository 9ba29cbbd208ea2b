// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/link/graph_captures.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

namespace orrery::profile {
namespace {

bool holds(std::string_view name, std::string_view part) {
  return name.find(part) != std::string_view::npos;
}

/// What a captured call will be a node of; device_other: none.
Kind node_of_call(std::string_view name) {
  if (holds(name, "LaunchKernel") || holds(name, "LaunchCooperativeKernel")) return Kind::kernel;
  if (holds(name, "Memcpy") && holds(name, "Async")) return Kind::memcpy;
  if (holds(name, "Memset") && holds(name, "Async")) return Kind::memset;
  return Kind::device_other;
}

/// One capture: its nodes in order.
struct Capture {
  const Profile* profile = nullptr;
  std::vector<Kind> kinds;
  std::vector<EventId> calls;
};

bool communicates(const Profile& profile, EventId e) {
  const Kind kind = profile.events[e].kind;
  return (kind == Kind::op || kind == Kind::annotation) && profile.op(e).comm != kNone;
}

class Taker {
 public:
  Taker(Profile& profile, std::span<const Profile> captures, Findings& findings)
      : profile_(profile), findings_(findings) {
    for (const Profile& capture : captures) read(capture);
  }

  void take() {
    std::uint64_t predicted = 0;
    for (auto& [call, works] : launches()) {
      const std::vector<Told>* what = in_order(works) ? &said_of(works) : nullptr;
      const std::uint64_t count = what == nullptr || what->empty() ? 0 : tell(works, *what);
      predicted += count;
      if (count == 0)
        findings_.add(FindingCode::capture_unmatched,
                      profile_.where + ": \"" + std::string(profile_.name(call)) + '"');
    }
    if (predicted > 0) findings_.add(FindingCode::graph_captured, profile_.where, predicted);
  }

 private:
  /// What is said of one node.
  struct Told {
    std::uint32_t captured = kNone;
    std::uint32_t comm = kNone;
    EventId by = kNoEvent;  ///< who says so of the communication, in the first capture
  };

  void read(const Profile& profile) {
    for (std::uint32_t lane = 0; lane < profile.lanes.size(); ++lane) {
      Capture* open = nullptr;
      for (const EventId e : profile.in_order(lane)) {
        if (profile.events[e].kind != Kind::call) continue;
        const std::string_view name = profile.name(e);
        if (holds(name, "StreamBeginCapture")) {
          captures_.push_back({.profile = &profile});
          open = &captures_.back();
        } else if (holds(name, "StreamEndCapture")) {
          open = nullptr;
        } else if (const Kind kind = node_of_call(name);
                   open != nullptr && kind != Kind::device_other) {
          open->kinds.push_back(kind);
          open->calls.push_back(e);
        }
      }
    }
  }

  /// The works of each launch of a graph, ascending by call.
  [[nodiscard]] std::map<EventId, std::vector<EventId>> launches() const {
    std::map<EventId, std::vector<EventId>> works;
    for (EventId e = 0; e < profile_.events.size(); ++e) {
      const Event& event = profile_.events[e];
      if (!is_device_work(event.kind) || event.detail == kNone) continue;
      const EventId call = profile_.work(e).call;
      if (call != kNoEvent && holds(profile_.name(call), "GraphLaunch")) works[call].push_back(e);
    }
    return works;
  }

  /// Puts works in the order of their graph's nodes, if it can be told.
  [[nodiscard]] bool in_order(std::vector<EventId>& works) const {
    const auto node = [&](EventId e) { return profile_.graph_node(e); };
    if (std::all_of(works.begin(), works.end(), [&](EventId e) { return node(e) != nullptr; })) {
      std::sort(works.begin(), works.end(), [&](EventId a, EventId b) {
        return std::tie(node(a)->node, a) < std::tie(node(b)->node, b);
      });
      return true;
    }
    const auto lane = [&](EventId e) { return profile_.events[e].lane; };
    std::sort(works.begin(), works.end(), [&](EventId a, EventId b) {
      return std::tie(profile_.events[a].start, a) < std::tie(profile_.events[b].start, b);
    });
    return std::all_of(works.begin(), works.end(),
                       [&](EventId e) { return lane(e) == lane(works.front()); });
  }

  /// What the captures that fit say of a launch's nodes, which depends on their kinds alone; empty:
  /// none fits.
  const std::vector<Told>& said_of(const std::vector<EventId>& works) {
    std::vector<Kind> kinds;
    for (const EventId e : works) kinds.push_back(profile_.events[e].kind);
    const auto [known, added] = said_.try_emplace(std::move(kinds));
    if (!added) return known->second;
    std::vector<const Capture*> fitting;
    for (const Capture& capture : captures_)
      if (capture.kinds == known->first) fitting.push_back(&capture);
    if (fitting.empty()) return known->second;
    for (std::size_t i = 0; i < works.size(); ++i) known->second.push_back(agreed(fitting, i));
    return known->second;
  }

  /// What one capture says of a node.
  [[nodiscard]] static CapturedOperator said(const Capture& capture, std::size_t place) {
    const Profile& profile = *capture.profile;
    for (EventId at = profile.events[capture.calls[place]].parent; at != kNoEvent;
         at = profile.events[at].parent) {
      if (profile.events[at].kind != Kind::op) continue;
      const Op& op = profile.op(at);
      return {profile.events[at].name, op.dims, op.types, op.concrete};
    }
    return {};
  }

  /// What all captures say of a node.
  Told agreed(const std::vector<const Capture*>& captures, std::size_t place) {
    CapturedOperator common = said(*captures.front(), place);
    for (const Capture* other : captures) {
      const CapturedOperator also = said(*other, place);
      if (also.name != common.name) common = {};
      if (also.dims != common.dims) common.dims = StringId::empty;
      if (also.types != common.types) common.types = StringId::empty;
      if (also.concrete != common.concrete) common.concrete = StringId::empty;
    }
    Told predicted;
    take_comm(captures, place, predicted);
    if (common.name == StringId::empty) return predicted;
    const auto [known, added] =
        numbers_.try_emplace(common, static_cast<std::uint32_t>(profile_.captured.size()));
    if (added) profile_.captured.push_back(common);
    predicted.captured = known->second;
    return predicted;
  }

  /// How many were told something. Of an operator's kernels the first one of the library is its
  /// communication; what it copies beside that is none.
  std::uint64_t tell(const std::vector<EventId>& works, const std::vector<Told>& what) {
    std::uint64_t predicted = 0;
    std::set<EventId> done;
    for (std::size_t i = 0; i < works.size(); ++i) {
      Work& work = profile_.works[profile_.events[works[i]].detail];
      work.captured = what[i].captured;
      predicted += work.captured == kNone ? 0 : 1;
      if (what[i].comm == kNone || work.comm != kNone || !is_comm_kernel(profile_.name(works[i])) ||
          !done.insert(what[i].by).second)
        continue;
      work.comm = what[i].comm;
    }
    return predicted;
  }

  /// The communication that all captures say this is, if they agree.
  void take_comm(const std::vector<const Capture*>& captures, std::size_t place, Told& predicted) {
    std::uint32_t common = kNone;
    for (const Capture* capture : captures) {
      const Profile& from = *capture->profile;
      EventId at = from.events[capture->calls[place]].parent;
      while (at != kNoEvent && !communicates(from, at)) at = from.events[at].parent;
      if (at == kNoEvent) return;
      const std::uint32_t number = comm_of(from, from.op(at).comm);
      if (common == kNone) {
        common = number;
        predicted.by = at;
      } else if (!equivalent(profile_.comms[common], profile_.comms[number])) {
        return;
      }
    }
    predicted.comm = common;
  }

  static bool equivalent(const Comm& a, const Comm& b) {
    const auto said = [](const Comm& c) {
      return std::tie(c.kind, c.group, c.peer, c.in_elements, c.out_elements, c.element_bytes,
                      c.in_split, c.out_split);
    };
    return said(a) == said(b);
  }

  /// A capture's communication, as one of the profile's.
  std::uint32_t comm_of(const Profile& from, std::uint32_t comm) {
    const auto [known, added] =
        comms_.try_emplace({&from, comm}, static_cast<std::uint32_t>(profile_.comms.size()));
    if (!added) return known->second;
    Comm copy = from.comms[comm];
    copy.sequence = -1;  // of the capture, not of the launch
    if (copy.group < from.groups.size()) {
      const Group& group = from.groups[copy.group];
      auto& groups = profile_.groups;
      auto same = std::find_if(groups.begin(), groups.end(), [&](const Group& g) {
        return g.name == group.name && g.ranks == group.ranks;
      });
      if (same == groups.end()) same = groups.insert(groups.end(), group);
      copy.group = static_cast<std::uint32_t>(same - groups.begin());
    }
    profile_.comms.push_back(copy);
    return known->second;
  }

  Profile& profile_;
  Findings& findings_;
  std::vector<Capture> captures_;
  std::map<std::vector<Kind>, std::vector<Told>> said_;
  std::map<CapturedOperator, std::uint32_t> numbers_;
  std::map<std::pair<const Profile*, std::uint32_t>, std::uint32_t> comms_;
};

}  // namespace

void attach_graph_captures(Profile& profile, std::span<const Profile> captures,
                           Findings& findings) {
  if (!captures.empty()) Taker(profile, captures, findings).take();
}

}  // namespace orrery::profile
