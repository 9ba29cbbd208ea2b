// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/convert/comm_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "orrery/intake/convert/comm_names.h"
#include "orrery/intake/convert/python_lists.h"
#include "orrery/trace/operators/arguments.h"

namespace orrery::intake {
namespace {

using profile::Comm;
using profile::CommKind;
using profile::Event;
using profile::EventId;
using profile::Kind;
using profile::kNoEvent;
using profile::kNone;

/// A kernel of a communication library.
struct CommKernel {
  std::uint32_t node = 0;
  EventId event = kNoEvent;
  EventId inner = kNoEvent;  ///< the innermost event that belongs to its communication
  EventId owner = kNoEvent;  ///< the one that stands for the communication
};

/// An operator that names a communication and has no such operator inside.
struct Launched {
  std::uint32_t node = 0;
  EventId event = kNoEvent;
  CommKind kind = CommKind::unknown;
  bool covered = false;  ///< something around it has a kernel
  bool claimed = false;
};

bool is_known(CommKind kind) {
  return kind != CommKind::unknown && kind != CommKind::wait && kind != CommKind::coalesced;
}

class Planner {
 public:
  Planner(const profile::Profile& profile, const profile::Dependencies& dependencies,
          std::uint32_t rank, Findings& findings)
      : profile_(profile),
        dependencies_(dependencies),
        names_(*profile.strings),
        rank_(rank),
        findings_(findings),
        marks_(profile.events.size(), 0) {}

  CommPlan plan() && {
    find_kernels();
    find_candidates();
    drop_dispatchers();
    place_kernels();
    for (const Launched& candidate : candidates_) {
      if (candidate.covered || candidate.claimed) continue;
      NodeComm comm = described(kNoEvent, candidate.event, candidate.kind);
      comm.node = candidate.node;
      if (counted(comm, candidate.event)) plan_.nodes.push_back(comm);
    }
    std::sort(plan_.nodes.begin(), plan_.nodes.end(),
              [](const NodeComm& a, const NodeComm& b) { return a.node < b.node; });
    std::sort(plan_.queued.begin(), plan_.queued.end(), [](const NodeComm& a, const NodeComm& b) {
      return std::tie(a.joined, a.node) < std::tie(b.joined, b.node);
    });
    return std::move(plan_);
  }

 private:
  enum Mark : std::uint8_t { kHasKernel = 1, kHasInner = 2 };

  [[nodiscard]] const Event& event(EventId e) const { return profile_.events[e]; }
  /// Whether the event speaks of a communication.
  [[nodiscard]] bool names_communication(EventId e) {
    if (e == kNoEvent) return false;
    const Event& it = event(e);
    if (it.kind != Kind::op && it.kind != Kind::annotation) return false;
    return profile_.op(e).comm != kNone || names_.of(it.name).names_communication();
  }
  /// The next event outwards that still speaks of the same communication.
  [[nodiscard]] EventId outwards(EventId e) {
    const EventId parent = event(e).parent;
    return names_communication(parent) ? parent : kNoEvent;
  }

  static CommKind recorded_comm_kind(const Comm& comm, std::string_view name) {
    return comm.kind == CommKind::coalesced ? coalesced_kind(name) : comm.kind;
  }
  /// What an event says itself.
  [[nodiscard]] CommKind own_kind(EventId e) {
    if (const Comm* comm = profile_.comm(e)) {
      const CommKind kind = recorded_comm_kind(*comm, profile_.string(comm->name));
      if (kind != CommKind::unknown) return kind;
    }
    return names_.of(event(e).name).kind;
  }

  void find_kernels();
  void find_candidates();
  void drop_dispatchers();
  void place_kernels();
  void place_group(const std::vector<CommKernel>& group);
  [[nodiscard]] CommKind recorded_kind(const CommKernel& kernel);
  bool claim(const CommKernel& kernel, CommKind kind);
  [[nodiscard]] bool covers(EventId outer, EventId inner);
  [[nodiscard]] NodeComm described(EventId kernel, EventId inner, CommKind kind);
  void describe_peer(NodeComm& comm, EventId inner);
  [[nodiscard]] std::int64_t bytes_of(EventId kernel, EventId inner, CommKind kind);
  bool counted(const NodeComm& comm, EventId e);
  void note(FindingCode code, EventId e);

  const profile::Profile& profile_;
  const profile::Dependencies& dependencies_;
  CommNames names_;
  std::uint32_t rank_;
  Findings& findings_;
  std::vector<std::uint8_t> marks_;
  std::vector<CommKernel> kernels_;
  std::vector<Launched> candidates_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> candidates_of_lane_;
  CommPlan plan_;
};

void Planner::note(FindingCode code, EventId e) {
  findings_.add(code, findings_.count(code) < Findings::kPlaces
                          ? fmt::format("{}: \"{}\"", profile_.where, profile_.name(e))
                          : std::string());
}

void Planner::find_kernels() {
  constexpr int kNear = 3;  // levels between a launch and what speaks of it
  for (std::uint32_t n = 0; n < dependencies_.nodes.size(); ++n) {
    const EventId e = dependencies_.nodes[n];
    if (event(e).kind != Kind::kernel) continue;
    const profile::Work& work = profile_.work(e);
    if (work.comm == kNone && !names_.of(event(e).name).kernel) continue;
    ++plan_.kernels;
    CommKernel kernel{n, e, kNoEvent, kNoEvent};
    EventId inner = work.op;
    for (int i = 0; i < kNear && inner != kNoEvent && !names_communication(inner); ++i)
      inner = event(inner).parent;
    if (names_communication(inner)) {
      kernel.inner = kernel.owner = inner;
      bool library = false;
      for (EventId at = inner; at != kNoEvent; at = outwards(at)) {
        marks_[at] |= kHasKernel;
        library = library || names_.of(event(at).name).library;
        if (profile_.op(kernel.owner).comm == kNone && profile_.op(at).comm != kNone)
          kernel.owner = at;
      }
      if (library) ++plan_.kernels_under_library;
    }
    kernels_.push_back(kernel);
  }
}

void Planner::find_candidates() {
  std::vector<std::pair<std::uint32_t, CommKind>> found;
  for (std::uint32_t n = 0; n < dependencies_.nodes.size(); ++n) {
    const EventId e = dependencies_.nodes[n];
    if (!names_communication(e)) continue;
    const CommKind kind = own_kind(e);
    if (!is_known(kind)) continue;
    found.emplace_back(n, kind);
    for (EventId at = outwards(e); at != kNoEvent; at = outwards(at)) marks_[at] |= kHasInner;
  }
  for (const auto& [n, kind] : found) {
    const EventId e = dependencies_.nodes[n];
    if ((marks_[e] & kHasInner) != 0) continue;
    Launched candidate{n, e, kind};
    for (EventId at = e; at != kNoEvent; at = outwards(at))
      candidate.covered = candidate.covered || (marks_[at] & kHasKernel) != 0;
    candidates_of_lane_[event(e).lane].push_back(static_cast<std::uint32_t>(candidates_.size()));
    candidates_.push_back(candidate);
  }
}

/// An operator may hand its work to a thread of the library, whose range then stands for it.
void Planner::drop_dispatchers() {
  std::map<CommKind, std::vector<EventId>> ranges;  // alone on their threads
  for (const Launched& candidate : candidates_) {
    if (names_.of(event(candidate.event).name).library && outwards(candidate.event) == kNoEvent)
      ranges[candidate.kind].push_back(candidate.event);
  }
  std::map<CommKind, std::size_t> used;
  for (Launched& candidate : candidates_) {
    if (!names_.of(event(candidate.event).name).dispatcher) continue;
    const std::vector<EventId>& free = ranges[candidate.kind];
    std::size_t& next = used[candidate.kind];
    while (next < free.size() && event(free[next]).start < event(candidate.event).start) ++next;
    if (next == free.size()) continue;
    ++next;
    candidate.claimed = true;
  }
}

/// Kernels of one communication together, communications in order of their first kernel.
void Planner::place_kernels() {
  std::map<EventId, std::size_t> place;
  std::vector<std::vector<CommKernel>> groups;
  for (const CommKernel& kernel : kernels_) {
    std::size_t at = groups.size();
    if (kernel.owner != kNoEvent) at = place.emplace(kernel.owner, at).first->second;
    if (at == groups.size()) groups.emplace_back();
    groups[at].push_back(kernel);
  }
  for (const auto& group : groups) place_group(group);
}

CommKind Planner::recorded_kind(const CommKernel& kernel) {
  CommKind found = CommKind::unknown;
  const auto take = [&](CommKind kind) {
    if (is_known(kind) || (kind == CommKind::coalesced && found == CommKind::unknown)) found = kind;
    return is_known(kind);
  };
  if (const Comm* comm = profile_.comm(kernel.event)) {
    if (take(recorded_comm_kind(*comm, profile_.string(comm->name)))) return found;
  }
  for (EventId at = kernel.inner; at != kNoEvent; at = outwards(at)) {
    const Comm* comm = profile_.comm(at);
    if (comm != nullptr && take(recorded_comm_kind(*comm, profile_.string(comm->name))))
      return found;
  }
  for (EventId at = kernel.inner; at != kNoEvent; at = outwards(at)) {
    if (take(names_.of(event(at).name).kind)) return found;
  }
  return found;
}

void Planner::place_group(const std::vector<CommKernel>& group) {
  const auto carrier =
      std::max_element(group.begin(), group.end(), [&](const CommKernel& a, const CommKernel& b) {
        return event(a.event).duration < event(b.event).duration;
      });
  plan_.extra_kernels += group.size() - 1;
  CommKind kind = recorded_kind(*carrier);
  if (!is_known(kind)) {
    const CommKind by_name = profile::comm_kind_named(profile_.name(carrier->event));
    if (claim(*carrier, by_name)) return;
    if (!is_known(by_name)) return note(FindingCode::comm_kind_unknown, carrier->event);
    note(FindingCode::comm_kind_from_name, carrier->event);
    kind = by_name;
  }
  NodeComm comm = described(carrier->event, carrier->inner, kind);
  comm.node = carrier->node;
  if (counted(comm, carrier->event)) plan_.nodes.push_back(comm);
}

bool Planner::covers(EventId outer, EventId inner) {
  for (EventId at = inner; at != kNoEvent; at = outwards(at)) {
    if (at == outer) return true;
  }
  return false;
}

/// Gives a kernel the operators that queued their part of it before it was launched.
bool Planner::claim(const CommKernel& kernel, CommKind kind) {
  const profile::Work& work = profile_.work(kernel.event);
  const EventId launch = work.call != kNoEvent ? work.call : work.op;
  if (launch == kNoEvent || dependencies_.node_of[launch] == kNone) return false;
  const auto lane = candidates_of_lane_.find(event(launch).lane);
  if (lane == candidates_of_lane_.end()) return false;
  std::size_t count = 0;
  for (const std::uint32_t index : lane->second) {
    Launched& candidate = candidates_[index];
    if (candidate.node >= dependencies_.node_of[launch]) break;
    if (candidate.claimed || (candidate.covered && !covers(kernel.owner, candidate.event)))
      continue;
    if (is_known(kind) ? candidate.kind != kind : !is_message(candidate.kind)) continue;
    NodeComm comm = described(kNoEvent, candidate.event, candidate.kind);
    comm.node = candidate.node;
    comm.joined = kernel.node;
    candidate.claimed = true;
    if (!counted(comm, candidate.event)) continue;
    plan_.queued.push_back(comm);
    ++count;
  }
  return count > 0;
}

std::int64_t Planner::bytes_of(EventId kernel, EventId inner, CommKind kind) {
  const auto said = [&](EventId e) {
    const Comm* comm = e == kNoEvent ? nullptr : profile_.comm(e);
    if (comm == nullptr) return std::int64_t{-1};
    Comm meant = *comm;
    meant.kind = kind;
    return meant.bytes();
  };
  std::int64_t bytes = kind == CommKind::barrier ? 0 : said(kernel);
  for (EventId at = inner; at != kNoEvent && bytes < 0; at = outwards(at)) bytes = said(at);
  for (EventId at = inner; at != kNoEvent && bytes < 0; at = outwards(at)) {
    const CommName& name = names_.of(event(at).name);
    const std::size_t argument = name.dispatcher ? name.input : kAllArguments;
    if (const profile::Node* node = profile_.node(at)) {
      bytes = bytes_of_values(profile_.texts.view(node->inputs), profile_.string(node->input_types),
                              argument);
    }
    const profile::Op& op = profile_.op(at);
    if (bytes < 0 && op.dims != StringId::empty)
      bytes = bytes_of_dims(profile_.string(op.dims), profile_.string(op.types), argument);
  }
  return bytes;
}

NodeComm Planner::described(EventId kernel, EventId inner, CommKind kind) {
  NodeComm out;
  out.kind = kind;
  const auto add = [&](const Comm* comm) {
    if (comm == nullptr) return;
    if (out.group == ~0u && comm->group < profile_.groups.size()) out.group = comm->group;
    if (out.peer < 0) out.peer = comm->peer;
    if (out.width == 0) out.width = comm->element_bytes;
    if (out.numbers == graph::Format::unsaid)
      out.numbers = trace::operators::format_of_type(profile_.string(comm->dtype));
    if (out.in_split == StringId::empty && out.out_split == StringId::empty) {
      out.in_split = comm->in_split;
      out.out_split = comm->out_split;
    }
  };
  if (kernel != kNoEvent) add(profile_.comm(kernel));
  for (EventId at = inner; at != kNoEvent; at = outwards(at)) add(profile_.comm(at));
  out.bytes = bytes_of(kernel, inner, kind);
  if (is_message(kind) && out.peer < 0) describe_peer(out, inner);
  return out;
}

/// "nccl:send 0->1", numbers in the group; in a group of two the other one.
void Planner::describe_peer(NodeComm& comm, EventId inner) {
  const std::vector<std::uint32_t> none;
  const auto& ranks =
      comm.group < profile_.groups.size() ? profile_.groups[comm.group].ranks : none;
  for (EventId at = inner; at != kNoEvent && comm.peer < 0; at = outwards(at)) {
    const std::int32_t place = peer_in_name(profile_.name(at));
    if (place < 0) continue;
    const auto index = static_cast<std::size_t>(place);
    if (ranks.empty()) {
      comm.peer = place;
    } else if (index < ranks.size()) {
      comm.peer = static_cast<std::int32_t>(ranks[index]);
    }
  }
  if (comm.peer < 0 && ranks.size() == 2 && (ranks[0] == rank_ || ranks[1] == rank_))
    comm.peer = static_cast<std::int32_t>(ranks[ranks[0] == rank_ ? 1 : 0]);
}

/// Counts what is missing; false when the node must become compute for lack of it.
bool Planner::counted(const NodeComm& comm, EventId e) {
  if (comm.bytes < 0) note(FindingCode::comm_size_unknown, e);
  if (!is_message(comm.kind)) return true;
  if (comm.peer < 0) note(FindingCode::comm_peer_unknown, e);
  return comm.peer >= 0 && comm.bytes >= 0;
}

}  // namespace

CommPlan plan_comms(const profile::Profile& profile, const profile::Dependencies& dependencies,
                    std::uint32_t rank, Findings& findings) {
  return Planner(profile, dependencies, rank, findings).plan();
}

}  // namespace orrery::intake
