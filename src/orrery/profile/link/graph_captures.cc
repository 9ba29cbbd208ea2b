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

bool contains(std::string_view name, std::string_view part) {
  return name.find(part) != std::string_view::npos;
}

/// Kind of the node that a captured call creates; device_other: none.
Kind node_of_call(std::string_view name) {
  if (contains(name, "LaunchKernel") || contains(name, "LaunchCooperativeKernel"))
    return Kind::kernel;
  if (contains(name, "Memcpy") && contains(name, "Async")) return Kind::memcpy;
  if (contains(name, "Memset") && contains(name, "Async")) return Kind::memset;
  return Kind::device_other;
}

/// One capture, with its nodes in order.
struct Capture {
  const Profile* profile = nullptr;
  std::vector<Kind> kinds;
  std::vector<EventId> calls;
};

bool communicates(const Profile& profile, EventId e) {
  const Kind kind = profile.events[e].kind;
  return (kind == Kind::op || kind == Kind::annotation) && profile.op(e).comm != kNone;
}

class CaptureMatcher {
 public:
  CaptureMatcher(Profile& profile, std::span<const Profile> captures, Findings& findings)
      : profile_(profile), findings_(findings) {
    for (const Profile& capture : captures) read(capture);
  }

  void match() {
    std::uint64_t matched = 0;
    for (auto& [call, works] : launches()) {
      const std::vector<NodeOperator>* operators = in_order(works) ? &operators_of(works) : nullptr;
      const std::uint64_t count =
          operators == nullptr || operators->empty() ? 0 : set_operators(works, *operators);
      matched += count;
      if (count == 0)
        findings_.add(FindingCode::capture_unmatched,
                      profile_.where + ": \"" + std::string(profile_.name(call)) + '"');
    }
    if (matched > 0) findings_.add(FindingCode::graph_captured, profile_.where, matched);
  }

 private:
  /// Operator and communication that the captures give for one node.
  struct NodeOperator {
    std::uint32_t captured = kNone;
    std::uint32_t comm = kNone;
    EventId by = kNoEvent;  ///< event with the communication, in the first capture
  };

  void read(const Profile& profile) {
    for (std::uint32_t lane = 0; lane < profile.lanes.size(); ++lane) {
      Capture* open = nullptr;
      for (const EventId e : profile.in_order(lane)) {
        if (profile.events[e].kind != Kind::call) continue;
        const std::string_view name = profile.name(e);
        if (contains(name, "StreamBeginCapture")) {
          captures_.push_back({.profile = &profile});
          open = &captures_.back();
        } else if (contains(name, "StreamEndCapture")) {
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
      if (call != kNoEvent && contains(profile_.name(call), "GraphLaunch"))
        works[call].push_back(e);
    }
    return works;
  }

  /// Sorts works in the order of their graph nodes. False if the order is unknown.
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

  /// The operators of a launch's nodes in all matching captures. The result depends only on the
  /// kinds of nodes; empty: no capture matches.
  const std::vector<NodeOperator>& operators_of(const std::vector<EventId>& works) {
    std::vector<Kind> kinds;
    for (const EventId e : works) kinds.push_back(profile_.events[e].kind);
    const auto [known, added] = operators_by_kinds_.try_emplace(std::move(kinds));
    if (!added) return known->second;
    std::vector<const Capture*> matches;
    for (const Capture& capture : captures_)
      if (capture.kinds == known->first) matches.push_back(&capture);
    if (matches.empty()) return known->second;
    for (std::size_t i = 0; i < works.size(); ++i)
      known->second.push_back(common_operator(matches, i));
    return known->second;
  }

  /// The operator of a node in one capture.
  [[nodiscard]] static CapturedOperator operator_of(const Capture& capture, std::size_t place) {
    const Profile& profile = *capture.profile;
    for (EventId at = profile.events[capture.calls[place]].parent; at != kNoEvent;
         at = profile.events[at].parent) {
      if (profile.events[at].kind != Kind::op) continue;
      const Op& op = profile.op(at);
      return {profile.events[at].name, op.dims, op.types, op.concrete};
    }
    return {};
  }

  /// The values on which all captures agree for a node.
  NodeOperator common_operator(const std::vector<const Capture*>& captures, std::size_t place) {
    CapturedOperator common = operator_of(*captures.front(), place);
    for (const Capture* other : captures) {
      const CapturedOperator also = operator_of(*other, place);
      if (also.name != common.name) common = {};
      if (also.dims != common.dims) common.dims = StringId::empty;
      if (also.types != common.types) common.types = StringId::empty;
      if (also.concrete != common.concrete) common.concrete = StringId::empty;
    }
    NodeOperator node;
    set_comm(captures, place, node);
    if (common.name == StringId::empty) return node;
    const auto [known, added] =
        numbers_.try_emplace(common, static_cast<std::uint32_t>(profile_.captured.size()));
    if (added) profile_.captured.push_back(common);
    node.captured = known->second;
    return node;
  }

  /// Sets operators and communications of works; returns the number of works that got an operator.
  /// The first communication kernel of an operator gets its communication; copies do not.
  std::uint64_t set_operators(const std::vector<EventId>& works,
                              const std::vector<NodeOperator>& operators) {
    std::uint64_t matched = 0;
    std::set<EventId> done;
    for (std::size_t i = 0; i < works.size(); ++i) {
      Work& work = profile_.works[profile_.events[works[i]].detail];
      work.captured = operators[i].captured;
      matched += work.captured == kNone ? 0 : 1;
      if (operators[i].comm == kNone || work.comm != kNone ||
          !is_comm_kernel(profile_.name(works[i])) || !done.insert(operators[i].by).second)
        continue;
      work.comm = operators[i].comm;
    }
    return matched;
  }

  /// Sets the communication of a node, if all captures agree on it.
  void set_comm(const std::vector<const Capture*>& captures, std::size_t place,
                NodeOperator& node) {
    std::uint32_t common = kNone;
    for (const Capture* capture : captures) {
      const Profile& from = *capture->profile;
      EventId at = from.events[capture->calls[place]].parent;
      while (at != kNoEvent && !communicates(from, at)) at = from.events[at].parent;
      if (at == kNoEvent) return;
      const std::uint32_t number = comm_of(from, from.op(at).comm);
      if (common == kNone) {
        common = number;
        node.by = at;
      } else if (!equivalent(profile_.comms[common], profile_.comms[number])) {
        return;
      }
    }
    node.comm = common;
  }

  static bool equivalent(const Comm& a, const Comm& b) {
    const auto values = [](const Comm& c) {
      return std::tie(c.kind, c.group, c.peer, c.in_elements, c.out_elements, c.element_bytes,
                      c.in_split, c.out_split);
    };
    return values(a) == values(b);
  }

  /// Adds a capture's communication to the profile; returns its index.
  std::uint32_t comm_of(const Profile& from, std::uint32_t comm) {
    const auto [known, added] =
        comms_.try_emplace({&from, comm}, static_cast<std::uint32_t>(profile_.comms.size()));
    if (!added) return known->second;
    Comm copy = from.comms[comm];
    copy.sequence = -1;  // it numbers the capture, not the launch
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
  std::map<std::vector<Kind>, std::vector<NodeOperator>> operators_by_kinds_;
  std::map<CapturedOperator, std::uint32_t> numbers_;
  std::map<std::pair<const Profile*, std::uint32_t>, std::uint32_t> comms_;
};

}  // namespace

void attach_graph_captures(Profile& profile, std::span<const Profile> captures,
                           Findings& findings) {
  if (!captures.empty()) CaptureMatcher(profile, captures, findings).match();
}

}  // namespace orrery::profile
