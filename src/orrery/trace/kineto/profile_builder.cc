// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/kineto/profile_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "orrery/core/limits.h"
#include "orrery/trace/json/decimal.h"
#include "orrery/trace/kineto/raw_numbers.h"

namespace orrery::trace::kineto {

namespace {

using profile::Event;
using profile::EventId;
using profile::Kind;
using profile::kNoEvent;
using profile::kNoId;
using profile::kNone;

constexpr int kPsDigits = 6;  // digits of picoseconds in a microsecond
constexpr int kNsDigits = 3;
constexpr std::int64_t kDay = 86'400 * kPsPerSecond;
constexpr Time kFarthest{50 * kDay};  // from the origin; the sum of two such times fits into Time
/// Times this close to 0 do not count from an epoch. If the first one is so close, it may be a
/// stray.
constexpr std::int64_t kStrayNs = 1'000'000'000;

profile::SyncKind sync_kind_of(std::string_view name) {
  const auto has = [name](std::string_view part) {
    return name.find(part) != std::string_view::npos;
  };
  if (has("Wait")) return profile::SyncKind::stream_wait;
  if (has("Event")) return profile::SyncKind::event;
  if (has("Stream")) return profile::SyncKind::stream;
  if (has("Context") || has("Device")) return profile::SyncKind::context;
  return profile::SyncKind::unknown;
}

/// Kind of a complete record with an unknown category: device work if it names a stream.
Kind kind_by_arguments(const Record& record) {
  const bool on_stream = record.has(Arg::stream) && record.has(Arg::correlation);
  return on_stream || record.has(Arg::device) ? Kind::device_other : Kind::annotation;
}

}  // namespace

Builder::Builder(profile::Profile& profile, const ReadOptions& options, Findings& findings)
    : profile_(profile),
      findings_(findings),
      interner_(*options.strings, options.where, findings),
      lanes_(profile),
      comms_(profile, interner_),
      graphs_(profile) {}

std::string Builder::place(const Record& record) const {
  return fmt::format("{}:byte {}", profile_.where, record.offset);
}

Result<void> Builder::add(const Record& record) {
  if (profile_.events.size() + profile_.memory.size() + 1 >= limits::kEventsPerRank)
    return fail(Errc::limit_exceeded, place(record),
                fmt::format("more than {} events", limits::kEventsPerRank));
  const std::string_view phase = unquoted(record.phase);
  const char letter = phase.size() == 1 ? phase.front() : '\0';
  if (letter == 'M') {
    add_metadata(record);
    return {};
  }
  // Marks have no category; their phase gives their meaning.
  const std::string_view named = unquoted(record.category);
  Category& category = categories_.of(named.empty() && letter != 'X' ? phase : named);
  const bool complete = letter == 'X' || (phase.empty() && !record.duration.empty());
  if (letter == 's' || letter == 't' || letter == 'f') {
    add_flow(record, category);
  } else if (letter == 'i' && add_memory(record)) {
    ++profile_.account.mapped;
  } else if (category.role == Role::skipped ||
             (!complete && letter != 'B' && letter != 'E' && letter != '\0')) {
    ++category.skipped;  // instants, counters, asynchronous ranges …
  } else if (complete || letter == 'B') {
    add_span(record, category, complete);
  } else if (letter == 'E') {
    add_end(record, category);
  } else {
    drop(record, category, "no phase");
  }
  return {};
}

Result<EventId> Builder::begin(const Record& record) {
  const std::size_t before = profile_.events.size();
  Record begins = record;
  begins.phase = "B";
  if (auto added = add(begins); !added) return tl::unexpected(std::move(added.error()));
  return profile_.events.size() == before ? kNoEvent : static_cast<EventId>(before);
}

void Builder::end(EventId event, Time duration) {
  Event& begun = profile_.events[event];
  begun.duration = std::clamp(duration, Time{}, kFarthest);
  begun.flags = static_cast<std::uint8_t>(begun.flags & ~profile::kUnfinished);
  ++profile_.account.mapped;
}

void Builder::drop(const Record& record, std::string_view why) {
  drop(record, categories_.of(unquoted(record.category)), why);
}

void Builder::drop(const Record& record, Category& category, std::string_view why) {
  ++category.dropped;
  if (++dropped_ > Findings::kPlaces) return;
  findings_.add(FindingCode::event_dropped,
                fmt::format("{} ({}): {}", place(record), category.name, why));
}

void Builder::add_metadata(const Record& record) {
  ++profile_.account.mapped;
  const std::string_view what = unquoted(record.name);
  if ((what == "thread_name" || what == "process_name") && record.has(Arg::name))
    lanes_.name(what, record.process, record.thread, record[Arg::name]);
}

/// False if the record is not a memory change.
bool Builder::add_memory(const Record& record) {
  if (unquoted(record.name) != "[memory]" || !record.has(Arg::bytes)) return false;
  const auto bytes = integer(record[Arg::bytes]);
  const auto at = start_of(record);
  if (!bytes || !at) return false;
  profile::MemoryChange change{*at, *bytes, integer_or(record[Arg::device_type], 0) != 0};
  change.device_id = static_cast<std::int32_t>(integer_or(record[Arg::memory_device], -1));
  change.lane = lanes_.host(record.process, record.thread);
  change.address = static_cast<std::uint64_t>(integer_or(record[Arg::address], 0));
  change.allocated = integer_or(record[Arg::allocated], -1);
  change.reserved = integer_or(record[Arg::reserved], -1);
  profile_.memory.push_back(change);
  return true;
}

/// If the origin came from a stray time near 0, moves it to the first time that is far from 0.
bool Builder::move_origin(std::string_view raw) {
  if (origin_ns_ < -kStrayNs || origin_ns_ > kStrayNs) return false;
  const auto ns = json::fixed_point(raw, kNsDigits);
  if (!ns || (*ns >= -kStrayNs && *ns <= kStrayNs)) return false;
  for (std::size_t e = 0; e < profile_.events.size(); ++e) {
    profile_.events[e].start = Time{};
    findings_.add(FindingCode::event_time_clamped,
                  fmt::format("{}: \"{}\"", profile_.where,
                              profile_.name(static_cast<EventId>(e)).substr(0, 80)));
  }
  for (profile::MemoryChange& change : profile_.memory) change.at = Time{};
  origin_ns_ = *ns;
  return true;
}

std::optional<Time> Builder::start_of(const Record& record) {
  if (record.start.empty()) return std::nullopt;
  if (!has_origin_) {
    const auto first = json::fixed_point(record.start, kNsDigits);
    if (!first) return std::nullopt;
    has_origin_ = true;
    origin_ns_ = *first;
  }
  auto since = json::fixed_point_since(record.start, kPsDigits, origin_ns_, kNsDigits);
  const auto far = [&] {
    return !since || Time(*since) > kFarthest || Time(*since) < -1 * kFarthest;
  };
  if (far() && move_origin(record.start))
    since = json::fixed_point_since(record.start, kPsDigits, origin_ns_, kNsDigits);
  if (far()) return std::nullopt;
  return Time(*since);
}

Time Builder::duration_of(const Record& record) {
  const auto duration = json::fixed_point(record.duration, kPsDigits);
  if (duration && *duration >= 0 && Time(*duration) <= kFarthest) return Time(*duration);
  if (record.duration.empty() || record.duration == "null") return Time{};  // an instant
  findings_.add(FindingCode::event_time_clamped,
                fmt::format("{}: \"dur\": {}", place(record), record.duration.substr(0, 40)));
  const std::string_view text = unquoted(record.duration);
  const bool digits = !text.empty() && text.front() >= '0' && text.front() <= '9';
  const bool is_too_long = duration ? *duration > 0 : digits;
  return is_too_long ? kFarthest : Time{};
}

void Builder::add_span(const Record& record, Category& category, bool has_end) {
  if (record.name.empty()) return drop(record, category, "no name");
  const auto start = start_of(record);
  if (!start) return drop(record, category, "no valid time");
  if (has_end) return add_event(record, category, *start, duration_of(record), profile::kTimed);
  add_event(record, category, *start, Time{}, profile::kTimed | profile::kUnfinished);
  open_events_[profile_.events.back().lane].push_back(
      static_cast<EventId>(profile_.events.size() - 1));
}

void Builder::add_end(const Record& record, Category& category) {
  const auto end = start_of(record);
  const bool known = category.role == Role::event && !profile::is_host(category.kind);
  const std::uint32_t lane = known ? stream_of(record) : lanes_.host(record.process, record.thread);
  const auto open = open_events_.find(lane);
  if (!end || open == open_events_.end() || open->second.empty())
    return drop(record, category, "an end event without a begin event");
  Event& event = profile_.events[open->second.back()];
  open->second.pop_back();
  event.duration = *end > event.start ? *end - event.start : Time{};
  event.flags = static_cast<std::uint8_t>(event.flags & ~profile::kUnfinished);
  ++profile_.account.mapped;
}

/// Nodes of graphs may be displayed on rows that are not streams; then an argument contains their
/// stream.
std::uint32_t Builder::stream_of(const Record& record) {
  const std::string_view original = record[Arg::original_stream];
  const bool is_on_other_row = integer_or(original, -1) >= 0;
  return lanes_.device(record[Arg::device], is_on_other_row ? original : record[Arg::stream],
                       record.process, is_on_other_row ? original : record.thread);
}

void Builder::add_event(const Record& record, Category& category, Time start, Time duration,
                        std::uint8_t flags) {
  Event event;
  event.start = start;
  event.duration = duration;
  event.name = interner_.string(record.name);
  event.flags = flags;
  event.kind = category.role == Role::event ? category.kind : kind_by_arguments(record);
  if (profile::is_host(event.kind)) {
    event.lane = lanes_.host(record.process, record.thread);
    if (profile_.process_id == 0) profile_.process_id = profile_.lanes[event.lane].process;
  } else {
    event.lane = stream_of(record);
  }
  switch (event.kind) {
    case Kind::op:
    case Kind::annotation:
    case Kind::python:
      add_op(record, event);
      break;
    case Kind::call:
      event.detail = static_cast<std::uint32_t>(profile_.calls.size());
      profile_.calls.push_back({id_of(record[Arg::correlation]), id_of(record[Arg::external_id])});
      break;
    case Kind::overhead:
      break;
    case Kind::sync:
      add_sync(record, event);
      break;
    default:
      add_work(record, event);
      break;
  }
  profile_.events.push_back(event);
  ++profile_.account.events;
}

void Builder::add_op(const Record& record, Event& event) {
  profile::Op op;
  op.external_id = id_of(record[Arg::external_id]);
  op.record_function_id = id_of(record[Arg::record_function_id]);
  op.sequence = integer_or(record[Arg::sequence], -1);
  const std::int64_t forward = integer_or(record[Arg::forward_thread], 0);
  if (forward > 0 && forward < std::int64_t{kNone})
    op.forward_thread = static_cast<std::uint32_t>(forward);
  if (record.has(Arg::dims)) op.dims = interner_.json(record[Arg::dims]);
  if (record.has(Arg::strides)) op.strides = interner_.json(record[Arg::strides]);
  if (record.has(Arg::types)) op.types = interner_.json(record[Arg::types]);
  if (record.has(Arg::concrete)) op.concrete = interner_.json(record[Arg::concrete]);
  if (record.has(Arg::collective)) {
    op.comm = comms_.add(record);
  } else if (event.kind == Kind::annotation) {
    op.comm = comms_.add_named(profile_.string(event.name), record);
    if (op.comm != kNone) comm_annotations_.push_back(static_cast<EventId>(profile_.events.size()));
  }
  event.detail = static_cast<std::uint32_t>(profile_.ops.size());
  profile_.ops.push_back(op);
}

void Builder::add_work(const Record& record, Event& event) {
  profile::Work work;
  work.correlation = id_of(record[Arg::correlation]);
  work.external_id = id_of(record[Arg::external_id]);
  work.bytes = integer_or(record.has(Arg::bytes) ? record[Arg::bytes] : record[Arg::size], -1);
  if (work.bytes < 0) work.bytes = -1;
  if (record.has(Arg::collective)) {
    work.comm = comms_.add(record);
  } else if (event.kind == Kind::device_range) {
    work.comm = comms_.add_named(profile_.string(event.name), record);
  }
  work.launch = launch_arguments(record);
  event.detail = static_cast<std::uint32_t>(profile_.works.size());
  profile_.works.push_back(work);
  if (profile::is_device_work(event.kind)) {
    last_work_ = static_cast<EventId>(profile_.events.size());
    graphs_.add_work(record, last_work_, lanes_.display_lane(record.process, record.thread));
  }
}

void Builder::add_sync(const Record& record, Event& event) {
  profile::Sync sync;
  sync.correlation = id_of(record[Arg::correlation]);
  sync.record_correlation = id_of(record[Arg::wait_record]);
  sync.stream = integer_or(record[Arg::stream], -1);
  sync.wait_on_stream = integer_or(record[Arg::wait_stream], -1);
  sync.device = integer_or(record[Arg::device], -1);
  sync.kind = sync_kind_of(record.has(Arg::sync_kind) ? unquoted(record[Arg::sync_kind])
                                                      : unquoted(record.name));
  event.detail = static_cast<std::uint32_t>(profile_.syncs.size());
  profile_.syncs.push_back(sync);
  profile_.has_sync_events = true;
}

/// Arguments without a column, as one JSON object.
StringId Builder::launch_arguments(const Record& record) {
  if (record.extra_count == 0) return StringId::empty;
  launch_text_.assign(1, '{');
  for (std::size_t i = 0; i < record.extra_count; ++i) {
    const auto& [key, value] = record.extras[i];
    if (i > 0) launch_text_ += ',';
    launch_text_.append(1, '"').append(key).append("\":");
    const char first = value.empty() ? '\0' : value.front();
    const bool number = (first >= '0' && first <= '9') ||
                        (first == '-' && value.size() > 1 && value[1] >= '0' && value[1] <= '9');
    const bool legal = number || first == '"' || first == '[' || first == '{' || value == "true" ||
                       value == "false";
    launch_text_.append(legal ? value : std::string_view("null"));  // nan, inf
  }
  launch_text_ += '}';
  return interner_.json(launch_text_);
}

/// Handles flows. Those to a backward operator are stored. Those from a call to its work repeat the
/// correlation ids, except on devices whose records have none.
void Builder::add_flow(const Record& record, Category& category) {
  if (category.role == Role::launch_flow) {
    ++profile_.account.mapped;
    if (GraphNodes::is_edge(record)) {
      const auto time = start_of(record);
      if (time) graphs_.add_end(record, *time, lanes_.display_lane(record.process, record.thread));
      return;
    }
    if (last_work_ == kNoEvent || unquoted(record.phase) != "f") return;
    const Event& event = profile_.events[last_work_];
    profile::Work& work = profile_.works[event.detail];
    if (work.correlation != kNoId || start_of(record) != event.start) return;
    if (lanes_.device({}, {}, record.process, record.thread) == event.lane)
      work.correlation = id_of(record.id);
    return;
  }
  if (category.role != Role::forward_flow) {
    ++category.skipped;
    return;
  }
  const auto time = has_origin_ || !record.start.empty() ? start_of(record) : std::nullopt;
  const auto id = integer(record.id);
  if (!time || !id) return drop(record, category, "a flow event without time or id");
  ++profile_.account.mapped;
  flows_.push_back({static_cast<std::uint64_t>(*id), *time,
                    lanes_.host(record.process, record.thread), unquoted(record.phase) == "s"});
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

/// Events without an end last to the end of the recording.
void Builder::finish_unfinished() {
  Time last{std::numeric_limits<std::int64_t>::min()};
  bool any = false;
  for (const auto& [lane, open] : open_events_) any = any || !open.empty();
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

/// Moves time 0 to the earliest event, rounded down to nanoseconds.
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

/// The innermost operator of a lane that starts at `start`.
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
      (flows_[end].is_start ? from : to) = &flows_[end];
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

/// A library's range shares the Comm of the enclosing operator, if both are of the same kind.
void Builder::finish_comms() {
  for (const EventId e : comm_annotations_) {
    const EventId enclosing = profile_.events[e].parent;
    if (enclosing == kNoEvent || profile_.events[enclosing].kind != Kind::op) continue;
    const std::uint32_t enclosing_comm = profile_.op(enclosing).comm;
    profile::Op& op = profile_.ops[profile_.events[e].detail];
    if (enclosing_comm == kNone ||
        profile_.comms[enclosing_comm].kind != profile_.comms[op.comm].kind)
      continue;
    op.comm = enclosing_comm;
  }
}

void Builder::finish_account(std::uint64_t damaged) {
  std::map<std::string, std::uint64_t> left_out, skipped;
  if (damaged > 0) left_out["(damaged)"] += damaged;
  std::uint64_t dropped = 0;
  for (const auto& [raw, category] : categories_.all()) {
    const std::string name = raw.empty() ? "(no category)" : raw;
    if (category.skipped + category.dropped > 0)
      left_out[name] += category.skipped + category.dropped;
    if (category.skipped > 0) skipped[name] = category.skipped;
    dropped += category.dropped;
  }
  for (const auto& [name, count] : skipped)
    findings_.add(FindingCode::event_not_kept,
                  fmt::format("{}: {} records of \"{}\"", profile_.where, count, name), count);
  if (dropped > Findings::kPlaces)
    findings_.add(FindingCode::event_dropped, {}, dropped - Findings::kPlaces);
  profile_.account.left_out.assign(left_out.begin(), left_out.end());
  profile_.account.records = profile_.account.events + profile_.account.mapped;
  for (const auto& [name, count] : left_out) profile_.account.records += count;
}

}  // namespace orrery::trace::kineto
