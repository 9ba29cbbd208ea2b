// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "orrery/trace/json/decimal.h"
#include "orrery/trace/kineto/builder.h"
#include "orrery/trace/kineto/numbers.h"

namespace orrery::trace::kineto {

using profile::Event;
using profile::EventId;
using profile::Kind;
using profile::kNoEvent;
using profile::kNoId;
using profile::kNone;

/// Arrows of the timeline. Those to a backward operator are kept; those from a call to its work say
/// what correlation ids say too, except on devices whose records have none.
void Builder::add_flow(const Record& record, Category& category) {
  if (category.role == Role::launch_flow) {
    ++profile_.account.mapped;
    if (Graphs::is_edge(record)) {
      const auto time = start_of(record);
      if (time) graphs_.add_end(record, *time, lanes_.shown(record.process, record.thread));
      return;
    }
    if (last_work_ == kNoEvent || content(record.phase) != "f") return;
    const Event& event = profile_.events[last_work_];
    profile::Work& work = profile_.works[event.detail];
    if (work.correlation != kNoId || start_of(record) != event.start) return;
    if (lanes_.device({}, {}, record.process, record.thread) == event.lane)
      work.correlation = id_of(record.id);
    return;
  }
  if (category.role != Role::forward_flow) {
    ++category.left_out;
    return;
  }
  const auto time = has_origin_ || !record.start.empty() ? start_of(record) : std::nullopt;
  const auto id = integer(record.id);
  if (!time || !id) return drop(record, category, "an arrow without time or id");
  ++profile_.account.mapped;
  flows_.push_back({static_cast<std::uint64_t>(*id), *time,
                    lanes_.host(record.process, record.thread), content(record.phase) == "s"});
}

void Builder::finish(std::uint64_t damaged, std::int64_t base_ns) {
  finish_unfinished();
  finish_origin(base_ns);
  lanes_.finish();
  comms_.finish();
  profile_.index(findings_);
  finish_flows();
  graphs_.finish(findings_);
  finish_comms();
  finish_account(damaged);
}

/// What has begun and not ended lasts to the end of what is known.
void Builder::finish_unfinished() {
  Time last{std::numeric_limits<std::int64_t>::min()};
  bool any = false;
  for (const auto& [lane, open] : begun_) any = any || !open.empty();
  if (!any) return;
  for (std::size_t e = 0; e < profile_.events.size(); ++e)
    last = std::max(last, profile_.events[e].end());
  for (std::size_t e = 0; e < profile_.events.size(); ++e) {
    Event& event = profile_.events[e];
    if ((event.flags & profile::kUnfinished) == 0) continue;
    event.duration = last - event.start;
    findings_.add(FindingCode::event_unfinished,
                  fmt::format("{}: \"{}\"", profile_.where,
                              profile_.name(static_cast<EventId>(e)).substr(0, 80)));
  }
}

/// Time 0 becomes the earliest event's whole nanosecond.
void Builder::finish_origin(std::int64_t base_ns) {
  Time first = kTimeMax;
  for (std::size_t e = 0; e < profile_.events.size(); ++e)
    first = std::min(first, profile_.events[e].start);
  if (first == kTimeMax) return;
  std::int64_t shift_ns = first.count() / kPsPerNs;
  if (first.count() < 0 && first.count() % kPsPerNs != 0) --shift_ns;
  const Time shift{shift_ns * kPsPerNs};
  if (shift != Time{}) {
    for (std::size_t e = 0; e < profile_.events.size(); ++e) profile_.events[e].start -= shift;
    for (Flow& flow : flows_) flow.time -= shift;
    for (profile::MemoryChange& change : profile_.memory) change.at -= shift;
    graphs_.shift(shift);
  }
  std::int64_t origin = 0;
  if (__builtin_add_overflow(origin_ns_, shift_ns, &origin)) origin = origin_ns_;
  if (__builtin_add_overflow(origin, base_ns, &profile_.origin_ns)) profile_.origin_ns = origin;
}

/// The innermost operator of a lane that starts then.
EventId Builder::op_at(std::uint32_t lane, Time start) const {
  const auto order = profile_.in_order(lane);
  auto at = std::lower_bound(order.begin(), order.end(), start, [&](EventId e, Time wanted) {
    return profile_.events[e].start < wanted;
  });
  EventId found = kNoEvent;
  for (; at != order.end() && profile_.events[*at].start == start; ++at)
    if (profile_.events[*at].kind == Kind::op) found = *at;
  return found;
}

void Builder::finish_flows() {
  std::stable_sort(flows_.begin(), flows_.end(),
                   [](const Flow& a, const Flow& b) { return a.id < b.id; });
  for (std::size_t i = 0; i < flows_.size();) {
    std::size_t end = i;
    const Flow* from = nullptr;
    const Flow* to = nullptr;
    for (; end < flows_.size() && flows_[end].id == flows_[i].id; ++end)
      (flows_[end].begins ? from : to) = &flows_[end];
    i = end;
    if (from == nullptr || to == nullptr) continue;
    const EventId forward = op_at(from->lane, from->time);
    const EventId backward = op_at(to->lane, to->time);
    if (forward != kNoEvent && backward != kNoEvent)
      profile_.forward_backward.emplace_back(forward, backward);
  }
  std::sort(profile_.forward_backward.begin(), profile_.forward_backward.end());
  flows_ = {};
}

/// A library's range inside an operator that says all about the same communication shares that.
void Builder::finish_comms() {
  for (const EventId e : named_comms_) {
    const EventId around = profile_.events[e].parent;
    if (around == kNoEvent || profile_.events[around].kind != Kind::op) continue;
    const std::uint32_t told = profile_.op(around).comm;
    profile::Op& op = profile_.ops[profile_.events[e].detail];
    if (told == kNone || profile_.comms[told].kind != profile_.comms[op.comm].kind) continue;
    op.comm = told;
  }
}

void Builder::finish_account(std::uint64_t damaged) {
  std::map<std::string, std::uint64_t> left_out;
  if (damaged > 0) left_out["(damaged)"] += damaged;
  std::uint64_t dropped = 0;
  for (const auto& [raw, category] : categories_.all()) {
    const std::string name = raw.empty() ? "(no category)" : raw;
    if (category.left_out + category.dropped > 0)
      left_out[name] += category.left_out + category.dropped;
    dropped += category.dropped;
  }
  std::map<std::string, std::uint64_t> not_kept;
  for (const auto& [raw, category] : categories_.all())
    if (category.left_out > 0) not_kept[raw.empty() ? "(no category)" : raw] = category.left_out;
  for (const auto& [name, count] : not_kept)
    findings_.add(FindingCode::event_not_kept,
                  fmt::format("{}: {} records of \"{}\"", profile_.where, count, name), count);
  if (dropped > Findings::kPlaces)
    findings_.add(FindingCode::event_dropped, {}, dropped - Findings::kPlaces);
  profile_.account.left_out.assign(left_out.begin(), left_out.end());
  profile_.account.records = profile_.account.events + profile_.account.mapped;
  for (const auto& [name, count] : left_out) profile_.account.records += count;
}

}  // namespace orrery::trace::kineto
