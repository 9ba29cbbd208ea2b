// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/xplane/event_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>
#include <unordered_set>
#include <utility>

#include "orrery/core/limits.h"
#include "orrery/profile/iterations.h"

namespace orrery::trace::xplane {
namespace {

using profile::EventId;
using profile::Kind;
using profile::kNoId;
using profile::kNone;

/// Sums of a start and a duration fit into Time.
constexpr std::int64_t kMostPicoseconds = std::int64_t{1} << 61;
constexpr std::size_t kMostAsyncLanes = 64;
constexpr std::int64_t kStepsLane = 1'000'000;
constexpr std::size_t kNamedLines = 64;  // others are counted together

/// The number after "key:" in details such as "grid:16,1,1 block:512,1,1 group_mem:0"; empty
/// without it. Source: xla/backends/profiler/gpu/cupti_collector.h, rocm_collector.h.
std::optional<std::int64_t> detail(std::string_view details, std::string_view key) {
  for (std::size_t at = details.find(key); at != details.npos; at = details.find(key, at + 1)) {
    if (at > 0 && details[at - 1] != ' ') continue;
    std::int64_t number = 0;
    const char* const end = details.data() + details.size();
    const auto read = std::from_chars(details.data() + at + key.size(), end, number);
    if (read.ec == std::errc{}) return number;
  }
  return std::nullopt;
}

/// "16, 1, 1" of "grid:16,1,1"; empty without three numbers.
std::string three_numbers(std::string_view details, std::string_view key) {
  const std::size_t at = details.find(key);
  if (at == details.npos) return {};
  std::string_view list = details.substr(at + key.size());
  list = list.substr(0, list.find(' '));
  std::string out;
  for (int i = 0; i < 3; ++i) {
    std::int64_t number = 0;
    const auto read = std::from_chars(list.data(), list.data() + list.size(), number);
    if (read.ec != std::errc{}) return {};
    out += fmt::format("{}{}", i > 0 ? ", " : "", number);
    list.remove_prefix(static_cast<std::size_t>(read.ptr - list.data()));
    if (list.starts_with(',')) list.remove_prefix(1);
  }
  return out;
}

/// Kernels with which AMD's runtime copies and fills memory.
bool is_copy_kernel(std::string_view name) { return name.starts_with("__amd_rocclr_copyBuffer"); }
bool is_fill_kernel(std::string_view name) { return name.starts_with("__amd_rocclr_fillBuffer"); }

/// A TPU has one line for its cores and one for its engines of copies and collectives.
bool is_async_line(std::string_view name) { return name.starts_with("Async"); }

std::uint64_t correlation_of(const EventStats& stats) {
  const std::int64_t number = stats.number(Stat::correlation).value_or(0);
  return number == 0 ? kNoId : static_cast<std::uint64_t>(number);
}

bool launches_graph(std::string_view call) { return call.find("GraphLaunch") != call.npos; }

}  // namespace

EventImport::EventImport(const Planes& planes, std::optional<std::int64_t> device,
                         std::uint32_t rank, profile::Profile& profile, Findings& findings)
    : planes_(planes),
      device_(device),
      profile_(profile),
      findings_(findings),
      operations_(planes.programs, rank, profile) {}

Result<void> EventImport::read(ByteSource& source) {
  FieldStream stream(source, profile_.where);
  for (std::size_t number = 0;;) {
    const auto field = stream.next(FieldStream::kToEndOfFile);
    if (!field) return tl::unexpected(field.error());
    if (!*field) return {};
    Result<void> done;
    if ((*field)->is_message(kPlanes) && number < planes_.planes.size()) {
      done = read_plane(stream, **field, planes_.planes[number++]);
    } else {
      done = stream.skip(**field);
    }
    if (!done) return done;
  }
}

Result<void> EventImport::read_plane(FieldStream& stream, const Field& whole, const Plane& plane) {
  const bool is_device = plane.kind == PlaneKind::gpu || plane.kind == PlaneKind::tpu;
  const bool other = is_device && device_ && *device_ != plane.device;
  if (other || (!is_device && plane.kind != PlaneKind::host)) return stream.skip(whole);
  for (;;) {
    const auto field = stream.next(whole.end);
    if (!field) return tl::unexpected(field.error());
    if (!*field) return {};
    auto done =
        (*field)->is_message(kLines) ? read_line(stream, **field, plane) : stream.skip(**field);
    if (!done) return done;
  }
}

Result<void> EventImport::read_line(FieldStream& stream, const Field& whole, const Plane& plane) {
  Line line;
  line.plane = &plane;
  line.kind = line_kind(plane.kind, "");
  for (;;) {
    const auto next = stream.next(whole.end);
    if (!next) return tl::unexpected(next.error());
    if (!*next) break;
    const Field& field = **next;
    if (field.is_varint(kLineId)) line.id = field.value;
    if (field.is_varint(kLineTimestamp)) line.timestamp = static_cast<std::int64_t>(field.value);
    if (!field.is_message(kLineName) && !field.is_message(kEvents)) {
      if (auto done = stream.skip(field); !done) return done;
      continue;
    }
    const auto content = stream.view(field);
    if (!content) return tl::unexpected(content.error());
    if (field.number == kLineName) {
      line.name = std::string(content->substr(0, 256));
      line.kind = line_kind(plane.kind, line.name);
      continue;
    }
    ++profile_.account.records;
    try {
      add_event(*content, line);
    } catch (const protozero::exception&) {
      leave_out("damaged", FindingCode::event_dropped);
    }
  }
  if (line.kind == LineKind::ops) add_operations(line);
  return {};
}

void EventImport::add_event(std::string_view message, Line& line) {
  if (line.kind == LineKind::derived) {
    const bool named = left_out_.size() < kNamedLines || left_out_.contains(line.name);
    return leave_out(named ? line.name : "other lines");
  }
  std::uint64_t id = 0, offset = 0, duration = 0;
  bool is_sum = false;
  EventStats stats;
  protozero::pbf_reader event(message.data(), message.size());
  while (event.next()) {
    const bool number = event.wire_type() == protozero::pbf_wire_type::varint;
    if (event.tag() == kEventStats &&
        event.wire_type() == protozero::pbf_wire_type::length_delimited) {
      stats.add(event.get_message(), *line.plane, *profile_.strings);
    } else if (!number) {
      event.skip();
    } else {
      const std::uint32_t tag = event.tag();
      const std::uint64_t value = event.get_uint64();
      if (tag == kEventMetadataOf) id = value;
      if (tag == kOffset) offset = value;
      if (tag == kDuration) duration = value;
      if (tag == kOccurrences) is_sum = true;
    }
  }
  if (is_sum) return leave_out("sums of events");
  if (duration == 0 && line.kind == LineKind::thread && !stats.has(Stat::correlation))
    return leave_out("events without duration");
  if (profile_.events.size() + pending_.size() + steps_.size() >= limits::kEventsPerRank)
    return leave_out("more than the limit", FindingCode::event_dropped);
  const EventName& about = line.plane->event_names.find(id);
  if (!about.stats.empty()) stats.add_all(about.stats, *line.plane, *profile_.strings);
  const StringId name =
      about.name != StringId::empty ? about.name : profile_.strings->intern("unnamed");
  const Times times = times_of(line.timestamp, offset, duration);
  if (line.kind == LineKind::steps) {
    if (steps_.empty()) steps_device_ = line.plane->device;
    if (steps_device_ == line.plane->device) return steps_.push_back({times, name, {}});
    leave_out("Steps");  // of another device
  } else if (line.kind == LineKind::thread) {
    add_host_event(times, name, about.host, stats, line);
  } else if (line.kind == LineKind::work) {
    add_work(times, name, stats, line);
  } else {
    if (!stats.has(Stat::hlo_op)) stats.set_text(Stat::hlo_op, profile_.string(name), name);
    pending_.push_back({times, name, operation_of(stats)});
  }
}

EventImport::Times EventImport::times_of(std::int64_t timestamp, std::uint64_t offset,
                                         std::uint64_t duration) {
  if (!base_) base_ = timestamp;
  std::int64_t since = 0, start = 0;
  const bool overflow = __builtin_sub_overflow(timestamp, *base_, &since) ||
                        __builtin_mul_overflow(since, 1000, &start) ||
                        offset > static_cast<std::uint64_t>(kMostPicoseconds) ||
                        __builtin_add_overflow(start, static_cast<std::int64_t>(offset), &start);
  const auto longest = static_cast<std::uint64_t>(kMostPicoseconds);
  if (overflow || std::abs(start / 2) > kMostPicoseconds / 2 || duration > longest) {
    findings_.add(FindingCode::event_time_clamped, profile_.where);
    if (overflow) start = timestamp < *base_ ? -kMostPicoseconds : kMostPicoseconds;
    start = std::clamp(start, -kMostPicoseconds, kMostPicoseconds);
    duration = std::min(duration, longest);
  }
  return {Time(start), Time(static_cast<std::int64_t>(duration))};
}

std::uint32_t EventImport::lane_of(Line& line) {
  if (line.lane) return *line.lane;
  constexpr std::uint64_t kPositive = ~std::uint64_t{0} >> 1;
  const bool is_device = line.kind != LineKind::thread;
  const auto id = static_cast<std::int64_t>(line.id & kPositive);
  line.lane = profile_.lane(is_device, is_device ? line.plane->device : 0, id);
  profile_.lanes[*line.lane].name = line.name;
  return *line.lane;
}

profile::EventId EventImport::add(Kind kind, const Times& times, StringId name, std::uint32_t lane,
                                  std::size_t detail) {
  profile::Event event;
  event.start = times.start;
  event.duration = times.duration;
  event.name = name;
  event.lane = lane;
  event.detail = static_cast<std::uint32_t>(detail);
  event.kind = kind;
  event.flags = profile::kTimed;
  ++profile_.account.events;
  profile_.events.push_back(event);
  return static_cast<EventId>(profile_.events.size() - 1);
}

void EventImport::add_host_event(const Times& times, StringId name, HostName is,
                                 const EventStats& stats, Line& line) {
  const std::uint32_t lane = lane_of(line);
  if (stats.has(Stat::correlation) || is == HostName::call) {
    profile::Call call;
    call.correlation = correlation_of(stats);
    profile_.calls.push_back(call);
    add(Kind::call, times, name, lane, profile_.calls.size() - 1);
    return;
  }
  profile_.ops.push_back({});
  if (const std::int64_t step = stats.number(Stat::step_number).value_or(-1); step >= 0) {
    name = profile_.strings->intern(fmt::format("ProfilerStep#{}", step));
    is = HostName::range;
  }
  add(is == HostName::python ? Kind::python : Kind::annotation, times, name, lane,
      profile_.ops.size() - 1);
}

void EventImport::add_work(const Times& times, StringId name, const EventStats& stats, Line& line) {
  const std::string_view text = profile_.string(name);
  const bool copies = stats.has(Stat::memcpy_details) || is_copy_kernel(text);
  const bool fills = stats.has(Stat::memset_details) || is_fill_kernel(text);
  profile::Work work;
  work.correlation = correlation_of(stats);
  if (copies || fills) {
    const std::string_view details =
        stats.text(copies ? Stat::memcpy_details : Stat::memset_details);
    const std::int64_t bytes =
        detail(details, "size:").value_or(detail(details, "num_bytes:").value_or(0));
    work.bytes = bytes > 0 ? bytes : -1;
  }
  const OperationUse use = operation_of(stats);
  work.captured = use.captured;
  work.comm = use.comm;
  work.launch = launch_of(stats);
  const std::uint32_t lane = lane_of(line);
  profile_.works.push_back(work);
  add(copies  ? Kind::memcpy
      : fills ? Kind::memset
              : Kind::kernel,
      times, name, lane, profile_.works.size() - 1);
}

/// Steps are iterations if the host has none. Their names are numbers.
void EventImport::add_steps() {
  if (steps_.empty()) return;
  if (!profile::iterations(profile_).empty()) {
    for (std::size_t i = 0; i < steps_.size(); ++i) leave_out("Steps");
    steps_.clear();
    return;
  }
  const std::uint32_t lane = profile_.lane(true, steps_device_, kStepsLane);
  profile_.lanes[lane].name = "Steps";
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const std::string_view name = profile_.string(steps_[i].name);
    std::uint64_t number = 0;
    const char* const end = name.data() + name.size();
    const auto read = std::from_chars(name.data(), end, number);
    if (read.ec != std::errc{} || read.ptr != end) number = i;
    profile_.works.push_back({});
    add(Kind::device_range, steps_[i].times,
        profile_.strings->intern(fmt::format("ProfilerStep#{}", number)), lane,
        profile_.works.size() - 1);
  }
  steps_.clear();
}

/// Operations of the cores nest: of those that contain others, only the inner ones occupy the
/// device. Asynchronous operations overlap: each is on the first lane that is free.
void EventImport::add_operations(const Line& line) {
  std::stable_sort(pending_.begin(), pending_.end(), [](const Operation& a, const Operation& b) {
    return a.times.start != b.times.start ? a.times.start < b.times.start
                                          : a.times.duration > b.times.duration;
  });
  const bool is_async = is_async_line(line.name);
  // What takes no time occupies no device; a collective may end in another operation.
  const auto is_instant = [](const Operation& operation) {
    return operation.times.duration == Time{} && operation.use.comm == kNone;
  };
  for (const Operation& operation : pending_)
    if (is_instant(operation)) leave_out("operations without duration");
  std::erase_if(pending_, is_instant);
  std::vector<Time> free_from;  // by lane
  const auto end_of = [&](std::size_t i) {
    return pending_[i].times.start + pending_[i].times.duration;
  };
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    const Operation& operation = pending_[i];
    if (!is_async && i + 1 < pending_.size() && end_of(i + 1) <= end_of(i)) {
      leave_out("operations that contain others");
      continue;
    }
    std::size_t place = 0;
    while (is_async && place < free_from.size() && place + 1 < kMostAsyncLanes &&
           free_from[place] > operation.times.start)
      ++place;
    if (place == free_from.size()) free_from.emplace_back();
    free_from[place] = end_of(i);
    profile::Work work;
    work.captured = operation.use.captured;
    work.comm = operation.use.comm;
    profile_.works.push_back(work);
    const bool copies = is_async && profile_.string(operation.name).starts_with("copy");
    const std::uint32_t lane = profile_.lane(true, line.plane->device,
                                             static_cast<std::int64_t>(place + (is_async ? 1 : 0)));
    profile_.lanes[lane].name = line.name;
    add(copies ? Kind::memcpy : Kind::kernel, operation.times, operation.name, lane,
        profile_.works.size() - 1);
  }
  pending_.clear();
}

OperationUse EventImport::operation_of(const EventStats& stats) {
  const StringId name = stats.interned(Stat::hlo_op, *profile_.strings);
  if (name == StringId::empty) return {};
  return operations_.find(static_cast<std::uint64_t>(stats.number(Stat::program_id).value_or(0)),
                          name);
}

/// Works of a kernel follow each other, so the details are often those of the last one.
StringId EventImport::launch_of(const EventStats& stats) {
  const std::string_view details = stats.text(Stat::kernel_details);
  if (details.empty()) return StringId::empty;
  if (details == last_details_) return last_launch_;
  last_details_ = details;
  const auto [known, added] = launches_.try_emplace(last_details_, StringId::empty);
  if (added) known->second = launch_of(details);
  return last_launch_ = known->second;
}

StringId EventImport::launch_of(std::string_view details) {
  const std::string grid = three_numbers(details, "grid:"),
                    block = three_numbers(details, "block:");
  if (grid.empty() || block.empty()) return StringId::empty;
  const auto shared = detail(details, "group_mem:"), statics = detail(details, "static_shared:"),
             dynamic = detail(details, "dynamic_shared:"), registers = detail(details, "regs:");
  std::string launch = fmt::format(R"({{"grid": [{}], "block": [{}])", grid, block);
  if (shared || statics || dynamic) {
    std::int64_t sum = 0;
    for (const auto& part : {shared, statics, dynamic})
      if (__builtin_add_overflow(sum, part.value_or(0), &sum)) sum = 0;
    launch += fmt::format(R"(, "shared memory": {})", sum);
  }
  if (registers) launch += fmt::format(R"(, "registers per thread": {})", *registers);
  return profile_.strings->intern(launch + "}");
}

void EventImport::leave_out(std::string_view what, FindingCode code) {
  const auto known = left_out_.find(what);
  if (known != left_out_.end()) {
    ++known->second;
  } else {
    left_out_.emplace(what, 1);
  }
  findings_.add(code, fmt::format("{}: {}", profile_.where, what));
}

std::int64_t EventImport::finish() {
  add_steps();
  Time first = profile_.events[0].start;
  std::unordered_set<std::uint64_t> graphs;  // correlations of launches of command buffers
  for (std::size_t e = 0; e < profile_.events.size(); ++e) {
    const profile::Event& event = profile_.events[e];
    first = std::min(first, event.start);
    if (event.kind == Kind::call && launches_graph(profile_.string(event.name)) &&
        profile_.calls[event.detail].correlation != kNoId)
      graphs.insert(profile_.calls[event.detail].correlation);
  }
  // Down to a multiple of 1 ns.
  std::int64_t shift = first.count() / 1000;
  if (shift * 1000 > first.count()) --shift;
  std::unordered_set<std::uint64_t> unmatched;
  for (std::size_t e = 0; e < profile_.events.size(); ++e) {
    profile::Event& event = profile_.events[e];
    event.start = event.start - Time(shift * 1000);
    if (event.kind != Kind::kernel) continue;
    const profile::Work& work = profile_.works[event.detail];
    if (work.captured == kNone && graphs.contains(work.correlation))
      unmatched.insert(work.correlation);
  }
  if (!unmatched.empty())
    findings_.add(FindingCode::capture_unmatched, profile_.where, unmatched.size());
  profile_.account.left_out.assign(left_out_.begin(), left_out_.end());
  std::int64_t at = 0;
  return __builtin_add_overflow(base_.value_or(0), shift, &at) ? 0 : at;
}

}  // namespace orrery::trace::xplane
