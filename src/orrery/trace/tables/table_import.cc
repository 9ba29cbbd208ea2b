// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/tables/table_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <utility>

#include "orrery/core/limits.h"

namespace orrery::trace::tables {
namespace {

using profile::EventId;
using profile::Kind;

// Twice this value fits into Time, so that a start and a duration can be added.
constexpr std::int64_t kMaxNanoseconds = std::numeric_limits<std::int64_t>::max() / 2000;
// Recordings count from the session's start; times beyond eleven days have another origin.
constexpr std::int64_t kLongestSession = 1'000'000'000'000'000;

constexpr std::uint64_t kProcessShift = 40;  // correlation ids have 32 bits

}  // namespace

TableImport::TableImport(sqlite::Database& database, std::shared_ptr<StringPool> strings,
                         std::string format, std::optional<std::int64_t> only, Findings& findings)
    : database_(database), findings_(findings), only_(only) {
  profile_.strings = std::move(strings);
  profile_.format = std::move(format);
  profile_.where = database.where();
}

StringId TableImport::intern(std::string_view text) {
  if (text.size() > limits::kEventNameBytes) {
    findings_.add(FindingCode::string_cut, fmt::format("{}:{}", profile_.where, table_));
    text = text.substr(0, limits::kEventNameBytes);
  }
  return profile_.strings->intern(text);
}

Result<void> TableImport::open_names(std::string_view table, std::string_view key,
                                     std::string_view text) {
  names_.reset();
  name_cache_.clear();
  if (!database_.has(table)) return {};
  const auto is_key = database_.is_key(table, key);
  if (!is_key) return tl::unexpected(is_key.error());
  const std::array columns{key, text};
  auto rows = sqlite::Rows::of(database_, table, columns);
  if (!rows) return tl::unexpected(std::move(rows.error()));
  if (!rows->has(0) || !rows->has(1)) return {};
  if (*is_key) {
    auto lookup = sqlite::TextByKey::of(database_, table, key, text);
    if (!lookup) return tl::unexpected(std::move(lookup.error()));
    names_.emplace(std::move(*lookup));
    return {};
  }
  while (true) {
    const auto there = rows->next();
    if (!there) return tl::unexpected(there.error());
    if (!*there) return {};
    const auto id = rows->integer(0);
    const auto name = rows->text(1);
    if (id && name) name_cache_.try_emplace(*id, intern(*name));
  }
}

Result<StringId> TableImport::name_of(std::optional<std::int64_t> id) {
  if (!id) return StringId::empty;
  if (const auto known = name_cache_.find(*id); known != name_cache_.end()) return known->second;
  StringId name = StringId::empty;
  if (names_) {
    const auto text = names_->find(*id);
    if (!text) return tl::unexpected(text.error());
    if (*text) name = intern(**text);
  }
  name_cache_.emplace(*id, name);
  return name;
}

ThreadId TableImport::thread_id(std::int64_t process, std::int64_t thread) {
  const auto index = static_cast<std::uint32_t>(processes_.size());
  const ThreadId id{process, thread, processes_.try_emplace(process, index).first->second};
  if (processes_.size() == 1) profile_.process_id = only_.value_or(process);
  return id;
}

bool TableImport::is_selected(const ThreadId& thread) {
  if (!only_ || thread.process < 0 || thread.process == *only_) return true;
  leave_out(fmt::format("{} (other processes)", table_), FindingCode::event_not_kept);
  return false;
}

std::uint64_t TableImport::correlation(std::optional<std::int64_t> number, const ThreadId& thread) {
  if (!number || *number <= 0 || *number >> kProcessShift != 0) return profile::kNoId;
  return static_cast<std::uint64_t>(*number) | std::uint64_t{thread.index} << kProcessShift;
}

std::uint32_t TableImport::stream_lane(std::int64_t device, std::int64_t stream,
                                       const ThreadId& thread) {
  const std::uint32_t owner = device_owner_.try_emplace(device, thread.index).first->second;
  // Each process numbers its streams; those of a device's other processes are shifted to distinct
  // numbers.
  const bool other = owner != thread.index && thread.process >= 0;
  const std::int64_t shift = other ? std::int64_t{thread.index} << kProcessShift : 0;
  if ((stream & 0xFFFFFFFF) == 0xFFFFFFFF) return profile_.lane(true, device, -1);
  if (__builtin_add_overflow(stream, shift, &stream)) stream = -1;
  return profile_.lane(true, device, stream);
}

std::uint32_t TableImport::thread_lane(const ThreadId& thread) {
  return profile_.lane(false, std::max<std::int64_t>(thread.process, 0), thread.thread);
}

Time TableImport::since_origin(std::int64_t nanoseconds) {
  if (!base_) base_ = std::abs(nanoseconds / 2) > kLongestSession / 2 ? nanoseconds : 0;
  std::int64_t since = 0;
  const bool overflow = __builtin_sub_overflow(nanoseconds, *base_, &since);
  if (!overflow && std::abs(since / 2) <= kMaxNanoseconds / 2) return ns(since);
  findings_.add(FindingCode::event_time_clamped, fmt::format("{}:{}", profile_.where, table_));
  return ns(nanoseconds < *base_ ? -kMaxNanoseconds : kMaxNanoseconds);
}

std::optional<EventId> TableImport::add(Kind kind, std::uint32_t lane, StringId name,
                                        std::optional<std::int64_t> start,
                                        std::optional<std::int64_t> end) {
  if (!start || profile_.events.size() >= limits::kEventsPerRank) {
    leave_out(table_, FindingCode::event_dropped);
    return std::nullopt;
  }
  profile::Event event;
  event.kind = kind;
  event.lane = lane;
  event.name = name;
  event.start = since_origin(*start);
  event.flags = profile::kTimed;
  if (!end) {
    event.flags |= profile::kUnfinished;
    findings_.add(FindingCode::event_unfinished, fmt::format("{}:{}", profile_.where, table_));
  } else {
    event.duration = since_origin(*end) - event.start;
    if (event.duration < Time{}) {
      event.duration = Time{};
      findings_.add(FindingCode::event_time_clamped, fmt::format("{}:{}", profile_.where, table_));
    }
    last_end_ = std::max(last_end_, event.end());
  }
  ++profile_.account.events;
  profile_.events.push_back(event);
  return static_cast<EventId>(profile_.events.size() - 1);
}

void TableImport::add_op(EventId event, std::uint32_t comm) {
  profile::Op op;
  op.comm = comm;
  profile_.events[event].detail = static_cast<std::uint32_t>(profile_.ops.size());
  profile_.ops.push_back(op);
}

void TableImport::add_call(EventId event, std::uint64_t correlation) {
  profile::Call call;
  call.correlation = correlation;
  profile_.events[event].detail = static_cast<std::uint32_t>(profile_.calls.size());
  profile_.calls.push_back(call);
}

profile::Work& TableImport::add_work(EventId event, std::uint64_t correlation, std::int64_t bytes) {
  profile::Work work;
  work.correlation = correlation;
  work.bytes = bytes < 0 ? -1 : bytes;
  profile_.events[event].detail = static_cast<std::uint32_t>(profile_.works.size());
  profile_.works.push_back(work);
  return profile_.works.back();
}

void TableImport::leave_out(std::string_view what, FindingCode code, std::uint64_t count) {
  left_out_[std::string(what)] += count;
  findings_.add(code, fmt::format("{}:{}", profile_.where, what), count);
}

void TableImport::name_threads(const ThreadNames& names) {
  for (profile::Lane& lane : profile_.lanes) {
    const auto found = names.find({lane.process, lane.id});
    if (!lane.device && found != names.end())
      lane.name = std::string(profile_.strings->view(found->second));
  }
}

/// Events without an end last to the end of the recording.
void TableImport::finish_ranges() {
  for (std::size_t e = 0; e < profile_.events.size(); ++e) {
    profile::Event& event = profile_.events[e];
    if ((event.flags & profile::kUnfinished) != 0)
      event.duration = std::max(Time{}, last_end_ - event.start);
  }
}

profile::Profile TableImport::finish() {
  finish_ranges();
  if (__builtin_add_overflow(profile_.origin_ns, base_.value_or(0), &profile_.origin_ns))
    profile_.origin_ns = 0;
  profile_.account.left_out.assign(left_out_.begin(), left_out_.end());
  profile_.index(findings_);
  return std::move(profile_);
}

}  // namespace orrery::trace::tables
