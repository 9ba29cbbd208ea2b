// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/convert/comm_plan.h"

#include <fmt/format.h>

#include <algorithm>
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
  EventId inner = kNoEvent;  ///< the innermost event that names its communication
  EventId owner = kNoEvent;  ///< the event that represents the communication
};

/// An operator that names a communication and contains no operator that names it, too.
struct CommOperator {
  std::uint32_t node = 0;
  EventId event = kNoEvent;
  CommKind kind = CommKind::unknown;
  bool has_kernel = false;  ///< an enclosing event has a kernel
  bool is_assigned = false;
};

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
    assign_kernels();
    for (const CommOperator& candidate : candidates_) {
      if (candidate.has_kernel || candidate.is_assigned) continue;
      NodeComm comm = describe(kNoEvent, candidate.event, candidate.kind);
      comm.node = candidate.node;
      if (is_complete(comm, candidate.event)) plan_.nodes.push_back(comm);
    }
    std::sort(plan_.nodes.begin(), plan_.nodes.end(),
              [](const NodeComm& a, const NodeComm& b) { return a.node < b.node; });
    std::sort(plan_.queued.begin(), plan_.queued.end(), [](const NodeComm& a, const NodeComm& b) {
      return std::tie(a.shared_kernel, a.node) < std::tie(b.shared_kernel, b.node);
    });
    return std::move(plan_);
  }

 private:
  enum Mark : std::uint8_t { kHasKernel = 1, kHasInner = 2 };

  [[nodiscard]] const Event& event(EventId e) const { return profile_.events[e]; }
  /// True if the event names a communication.
  [[nodiscard]] bool names_communication(EventId e) {
    if (e == kNoEvent) return false;
    const Event& it = event(e);
    if (it.kind != Kind::op && it.kind != Kind::annotation) return false;
    return profile_.op(e).comm != kNone || names_.of(it.name).names_communication();
  }
  /// The next enclosing event that names the same communication.
  [[nodiscard]] EventId enclosing_comm_event(EventId e) {
    const EventId parent = event(e).parent;
    return names_communication(parent) ? parent : kNoEvent;
  }

  static CommKind recorded_comm_kind(const Comm& comm, std::string_view name) {
    return comm.kind == CommKind::coalesced ? profile::coalesced_kind(name) : comm.kind;
  }
  /// The kind that the event itself gives.
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
  void assign_kernels();
  void assign_kernel_group(const std::vector<CommKernel>& group);
  [[nodiscard]] CommKind recorded_kind(const CommKernel& kernel);
  bool assign_queued(const CommKernel& kernel, CommKind kind);
  [[nodiscard]] bool covers(EventId outer, EventId inner);
  [[nodiscard]] NodeComm describe(EventId kernel, EventId inner, CommKind kind);
  void describe_peer(NodeComm& comm, EventId inner);
  [[nodiscard]] std::int64_t bytes_of(EventId kernel, EventId inner, CommKind kind);
  bool is_complete(const NodeComm& comm, EventId e);
  void count_finding(FindingCode code, EventId e);

  const profile::Profile& profile_;
  const profile::Dependencies& dependencies_;
  CommNames names_;
  std::uint32_t rank_;
  Findings& findings_;
  std::vector<std::uint8_t> marks_;
  std::vector<CommKernel> kernels_;
  std::vector<CommOperator> candidates_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> candidates_of_lane_;
  CommPlan plan_;
};

void Planner::count_finding(FindingCode code, EventId e) {
  findings_.add(code, findings_.count(code) < Findings::kPlaces
                          ? fmt::format("{}: \"{}\"", profile_.where, profile_.name(e))
                          : std::string());
}

void Planner::find_kernels() {
  constexpr int kNear = 3;  // levels between a launch and the event that names it
  for (std::uint32_t n = 0; n < dependencies_.nodes.size(); ++n) {
    const EventId e = dependencies_.nodes[n];
    if (event(e).kind != Kind::kernel) continue;
    const profile::Work& work = profile_.work(e);
    if (work.comm == kNone && !names_.of(event(e).name).is_kernel) continue;
    ++plan_.kernels;
    CommKernel kernel{n, e, kNoEvent, kNoEvent};
    EventId inner = work.op;
    for (int i = 0; i < kNear && inner != kNoEvent && !names_communication(inner); ++i)
      inner = event(inner).parent;
    if (names_communication(inner)) {
      kernel.inner = kernel.owner = inner;
      bool library = false;
      for (EventId at = inner; at != kNoEvent; at = enclosing_comm_event(at)) {
        marks_[at] |= kHasKernel;
        library = library || names_.of(event(at).name).is_library_range;
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
    if (!is_operation(kind)) continue;
    found.emplace_back(n, kind);
    for (EventId at = enclosing_comm_event(e); at != kNoEvent; at = enclosing_comm_event(at))
      marks_[at] |= kHasInner;
  }
  for (const auto& [n, kind] : found) {
    const EventId e = dependencies_.nodes[n];
    if ((marks_[e] & kHasInner) != 0) continue;
    CommOperator candidate{n, e, kind};
    for (EventId at = e; at != kNoEvent; at = enclosing_comm_event(at))
      candidate.has_kernel = candidate.has_kernel || (marks_[at] & kHasKernel) != 0;
    candidates_of_lane_[event(e).lane].push_back(static_cast<std::uint32_t>(candidates_.size()));
    candidates_.push_back(candidate);
  }
}

/// Drops operators that pass their work to a thread of the library: the library's range on that
/// thread represents the communication.
void Planner::drop_dispatchers() {
  std::map<CommKind, std::vector<EventId>> ranges;  // not inside another event of the communication
  for (const CommOperator& candidate : candidates_) {
    if (names_.of(event(candidate.event).name).is_library_range &&
        enclosing_comm_event(candidate.event) == kNoEvent)
      ranges[candidate.kind].push_back(candidate.event);
  }
  std::map<CommKind, std::size_t> used;
  for (CommOperator& candidate : candidates_) {
    if (!names_.of(event(candidate.event).name).is_dispatcher) continue;
    const std::vector<EventId>& free = ranges[candidate.kind];
    std::size_t& next = used[candidate.kind];
    while (next < free.size() && event(free[next]).start < event(candidate.event).start) ++next;
    if (next == free.size()) continue;
    ++next;
    candidate.is_assigned = true;
  }
}

/// Groups kernels by communication, in order of the first kernel.
void Planner::assign_kernels() {
  std::map<EventId, std::size_t> place;
  std::vector<std::vector<CommKernel>> groups;
  for (const CommKernel& kernel : kernels_) {
    std::size_t at = groups.size();
    if (kernel.owner != kNoEvent) at = place.emplace(kernel.owner, at).first->second;
    if (at == groups.size()) groups.emplace_back();
    groups[at].push_back(kernel);
  }
  for (const auto& group : groups) assign_kernel_group(group);
}

CommKind Planner::recorded_kind(const CommKernel& kernel) {
  CommKind found = CommKind::unknown;
  const auto take = [&](CommKind kind) {
    if (is_operation(kind) || (kind == CommKind::coalesced && found == CommKind::unknown))
      found = kind;
    return is_operation(kind);
  };
  if (const Comm* comm = profile_.comm(kernel.event)) {
    if (take(recorded_comm_kind(*comm, profile_.string(comm->name)))) return found;
  }
  for (EventId at = kernel.inner; at != kNoEvent; at = enclosing_comm_event(at)) {
    const Comm* comm = profile_.comm(at);
    if (comm != nullptr && take(recorded_comm_kind(*comm, profile_.string(comm->name))))
      return found;
  }
  for (EventId at = kernel.inner; at != kNoEvent; at = enclosing_comm_event(at)) {
    if (take(names_.of(event(at).name).kind)) return found;
  }
  return found;
}

void Planner::assign_kernel_group(const std::vector<CommKernel>& group) {
  const auto longest =
      std::max_element(group.begin(), group.end(), [&](const CommKernel& a, const CommKernel& b) {
        return event(a.event).duration < event(b.event).duration;
      });
  plan_.extra_kernels += group.size() - 1;
  CommKind kind = recorded_kind(*longest);
  if (!is_operation(kind)) {
    const CommKind by_name = profile::comm_kind_of_name(profile_.name(longest->event));
    if (assign_queued(*longest, by_name)) return;
    if (!is_operation(by_name))
      return count_finding(FindingCode::comm_kind_unknown, longest->event);
    count_finding(FindingCode::comm_kind_from_name, longest->event);
    kind = by_name;
  }
  NodeComm comm = describe(longest->event, longest->inner, kind);
  comm.node = longest->node;
  if (is_complete(comm, longest->event)) plan_.nodes.push_back(comm);
}

bool Planner::covers(EventId outer, EventId inner) {
  for (EventId at = inner; at != kNoEvent; at = enclosing_comm_event(at)) {
    if (at == outer) return true;
  }
  return false;
}

/// Assigns to a kernel the operators that queued a part of it before its launch.
bool Planner::assign_queued(const CommKernel& kernel, CommKind kind) {
  const profile::Work& work = profile_.work(kernel.event);
  const EventId launch = work.call != kNoEvent ? work.call : work.op;
  if (launch == kNoEvent || dependencies_.node_of[launch] == kNone) return false;
  const auto lane = candidates_of_lane_.find(event(launch).lane);
  if (lane == candidates_of_lane_.end()) return false;
  std::size_t count = 0;
  for (const std::uint32_t index : lane->second) {
    CommOperator& candidate = candidates_[index];
    if (candidate.node >= dependencies_.node_of[launch]) break;
    if (candidate.is_assigned || (candidate.has_kernel && !covers(kernel.owner, candidate.event)))
      continue;
    if (is_operation(kind) ? candidate.kind != kind : !is_message(candidate.kind)) continue;
    NodeComm comm = describe(kNoEvent, candidate.event, candidate.kind);
    comm.node = candidate.node;
    comm.shared_kernel = kernel.node;
    candidate.is_assigned = true;
    if (!is_complete(comm, candidate.event)) continue;
    plan_.queued.push_back(comm);
    ++count;
  }
  return count > 0;
}

std::int64_t Planner::bytes_of(EventId kernel, EventId inner, CommKind kind) {
  const auto recorded_bytes = [&](EventId e) {
    const Comm* comm = e == kNoEvent ? nullptr : profile_.comm(e);
    if (comm == nullptr) return std::int64_t{-1};
    Comm sized = *comm;
    sized.kind = kind;
    return sized.bytes();
  };
  std::int64_t bytes = kind == CommKind::barrier ? 0 : recorded_bytes(kernel);
  for (EventId at = inner; at != kNoEvent && bytes < 0; at = enclosing_comm_event(at))
    bytes = recorded_bytes(at);
  for (EventId at = inner; at != kNoEvent && bytes < 0; at = enclosing_comm_event(at)) {
    const CommName& name = names_.of(event(at).name);
    const std::size_t argument = name.is_dispatcher ? name.input_argument : kAllArguments;
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

NodeComm Planner::describe(EventId kernel, EventId inner, CommKind kind) {
  NodeComm out;
  out.kind = kind;
  const auto add = [&](const Comm* comm) {
    if (comm == nullptr) return;
    if (out.group == ~0u && comm->group < profile_.groups.size()) out.group = comm->group;
    if (out.peer < 0) out.peer = comm->peer;
    if (out.element_bytes == 0) out.element_bytes = comm->element_bytes;
    if (out.format == graph::Format::unsaid)
      out.format = trace::operators::format_of_type(profile_.string(comm->dtype));
    if (out.in_split == StringId::empty && out.out_split == StringId::empty) {
      out.in_split = comm->in_split;
      out.out_split = comm->out_split;
    }
  };
  if (kernel != kNoEvent) add(profile_.comm(kernel));
  for (EventId at = inner; at != kNoEvent; at = enclosing_comm_event(at)) add(profile_.comm(at));
  out.bytes = bytes_of(kernel, inner, kind);
  if (is_message(kind) && out.peer < 0) describe_peer(out, inner);
  return out;
}

/// Finds the peer: from "nccl:send 0->1" (numbers in the group), or the other member of a group of
/// two.
void Planner::describe_peer(NodeComm& comm, EventId inner) {
  const std::vector<std::uint32_t> none;
  const auto& ranks =
      comm.group < profile_.groups.size() ? profile_.groups[comm.group].ranks : none;
  for (EventId at = inner; at != kNoEvent && comm.peer < 0; at = enclosing_comm_event(at)) {
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

/// Counts missing values; false if the node must become compute because of them.
bool Planner::is_complete(const NodeComm& comm, EventId e) {
  if (comm.bytes < 0) count_finding(FindingCode::comm_size_unknown, e);
  if (!is_message(comm.kind)) return true;
  if (comm.peer < 0) count_finding(FindingCode::comm_peer_unknown, e);
  return comm.peer >= 0 && comm.bytes >= 0;
}

}  // namespace

CommPlan plan_comms(const profile::Profile& profile, const profile::Dependencies& dependencies,
                    std::uint32_t rank, Findings& findings) {
  return Planner(profile, dependencies, rank, findings).plan();
}

}  // namespace orrery::intake
