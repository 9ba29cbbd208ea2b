// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <tuple>

#include "orrery/intake/convert/comm_plan.h"
#include "orrery/intake/job/job_internal.h"
#include "orrery/profile/iterations.h"

namespace orrery::intake {
namespace {

using profile::Dependencies;
using profile::EventId;
using profile::kNone;
using profile::Profile;

/// A use and its position among those of its group.
struct OrderedComm {
  JobComm use;
  std::int64_t begun = 0;
  std::int64_t issued = 0;  ///< when the host issued it
  bool is_issue_known = false;
  std::uint32_t lane = 0;
  std::uint64_t number = profile::kNoId;  ///< of the operator: numbers ascend in the order of issue
};

std::int64_t begin_of(const Profile& profile, EventId e) {
  if (profile.events[e].timed()) return profile.events[e].start.count();
  const profile::Node* node = profile.node(e);  // untimed: in the order of the nodes
  return node == nullptr ? 0 : static_cast<std::int64_t>(node->id);
}

/// Record-function id of an operation. A library's threads begin queued operations in any order;
/// these numbers follow the queue.
std::uint64_t issue_number(const Profile& profile, EventId e) {
  if (!profile::is_host(profile.events[e].kind) || profile.events[e].detail == kNone)
    return profile::kNoId;
  if (profile.events[e].kind != profile::Kind::op &&
      profile.events[e].kind != profile::Kind::annotation)
    return profile::kNoId;
  return profile.op(e).record_function_id;
}

/// Sequence number in the file, from the kernel or from the enclosing operators.
std::int64_t number_of(const Profile& profile, EventId e) {
  if (profile::is_device_work(profile.events[e].kind)) {
    const profile::Comm* comm = profile.comm(e);
    if (comm != nullptr && comm->sequence >= 0) return comm->sequence;
    e = profile.work(e).op;
  }
  constexpr int kNear = 4;
  for (int i = 0; i < kNear && e != profile::kNoEvent; ++i, e = profile.events[e].parent) {
    const profile::Comm* comm = profile.comm(e);
    if (comm != nullptr && comm->sequence >= 0) return comm->sequence;
  }
  return -1;
}

OrderedComm make_comm(const Profile& profile, const Dependencies& dependencies,
                      const NodeComm& comm) {
  OrderedComm out;
  const EventId e = dependencies.nodes[comm.node];
  // The work that executes it: for a queued message, the kernel of several messages.
  const EventId work = comm.shared_kernel == kNone ? e : dependencies.nodes[comm.shared_kernel];
  const profile::Event& event = profile.events[work];
  JobComm& use = out.use;
  use.event = e;
  use.node = std::uint64_t{comm.node} + 1;
  use.queued = comm.shared_kernel != kNone;
  use.kind = comm.kind;
  use.group = comm.group < profile.groups.size() ? comm.group : kNone;
  use.bytes = comm.bytes;
  use.peer = comm.peer;
  use.recorded_sequence = number_of(profile, e);
  use.start = event.start;
  use.end = event.end();
  use.on_device = profile::is_device_work(event.kind);
  use.name = std::string(profile.name(e));
  out.begun = begin_of(profile, work);
  out.issued = begin_of(profile, e);
  out.is_issue_known = true;
  out.lane = event.lane;
  if (!use.on_device) out.number = issue_number(profile, e);
  if (profile::is_device_work(profile.events[e].kind)) {
    const profile::Work& recorded = profile.work(e);
    if (recorded.op != profile::kNoEvent) use.name = std::string(profile.name(recorded.op));
    out.is_issue_known = recorded.call != profile::kNoEvent;
    if (out.is_issue_known) out.issued = begin_of(profile, recorded.call);
  }
  return out;
}

/// Streams keep the order of issue. If a group uses several streams, the order of the calls counts.
void order_group(std::vector<OrderedComm>& all, std::size_t first, std::size_t last) {
  bool by_issue = true;
  bool one_stream = true;
  bool numbered = true;
  for (std::size_t i = first; i < last; ++i) {
    by_issue = by_issue && all[i].is_issue_known;
    numbered = numbered && all[i].number != profile::kNoId;
    one_stream = one_stream && all[i].use.on_device && all[i].lane == all[first].lane;
  }
  by_issue = by_issue && !one_stream;
  const auto key = [&](const OrderedComm& found) {
    return std::tuple(numbered ? found.number : 0, by_issue ? found.issued : found.begun,
                      found.issued);
  };
  std::stable_sort(all.begin() + static_cast<std::ptrdiff_t>(first),
                   all.begin() + static_cast<std::ptrdiff_t>(last),
                   [&](const OrderedComm& a, const OrderedComm& b) { return key(a) < key(b); });
}

}  // namespace

RankComms rank_comms(const Profile& profile, const Dependencies& dependencies) {
  RankComms out;
  out.rank = profile.rank.value_or(0);
  out.where = profile.where;
  out.world_size = profile.world_size;
  out.origin_ns = profile.origin_ns;
  std::optional<Time> earliest;
  for (const EventId e : dependencies.nodes) {
    const profile::Event& event = profile.events[e];
    if (event.timed() && (!earliest || event.start < *earliest)) earliest = event.start;
  }
  out.first = earliest.value_or(Time{});
  out.groups = profile.groups;
  out.sizes.assign(profile.groups.size(), -1);
  for (std::size_t g = 0; g < profile.groups.size(); ++g) out.sizes[g] = profile.groups[g].size;
  for (const profile::Comm& comm : profile.comms) {
    if (comm.group < out.sizes.size() && out.sizes[comm.group] < 0)
      out.sizes[comm.group] = comm.group_size;
  }
  Findings counted_by_convert;
  const CommPlan plan = plan_comms(profile, dependencies, out.rank, counted_by_convert);
  std::vector<OrderedComm> all;
  std::vector<CommNode> places;
  std::uint64_t id = dependencies.nodes.size();  // queued ones come after all others
  for (const NodeComm& comm : plan.queued) {
    all.push_back(make_comm(profile, dependencies, comm));
    all.back().use.node = ++id;
    places.push_back({comm.shared_kernel, true, id});
  }
  for (const NodeComm& comm : plan.nodes) {
    all.push_back(make_comm(profile, dependencies, comm));
    places.push_back({comm.node, false, all.back().use.node});
  }
  out.clocks = clocks_of(dependencies, places);
  std::stable_sort(all.begin(), all.end(), [](const OrderedComm& a, const OrderedComm& b) {
    return a.use.group < b.use.group;
  });
  for (std::size_t first = 0; first < all.size();) {
    std::size_t last = first;
    while (last < all.size() && all[last].use.group == all[first].use.group) ++last;
    order_group(all, first, last);
    first = last;
  }
  for (OrderedComm& found : all) out.uses.push_back(std::move(found.use));
  for (const profile::Iteration& step : profile::iterations(profile))
    out.steps.push_back(step.end - step.start);
  return out;
}

}  // namespace orrery::intake
