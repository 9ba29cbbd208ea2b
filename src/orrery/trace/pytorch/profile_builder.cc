// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/pytorch/profile_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "orrery/core/limits.h"
#include "orrery/core/text/text.h"
#include "orrery/trace/json/decimal.h"
#include "orrery/trace/json/json_list.h"

namespace orrery::trace::pytorch {

namespace {

using profile::Event;
using profile::EventId;
using profile::Kind;
using profile::kNoEvent;

constexpr std::int64_t kUserScope = 7;
constexpr std::size_t kLongestValue = std::size_t{1} << 22;  // bytes of a text in TextStore

/// "[pytorch|profiler|execution_trace|process]"; before 2023 "execution_graph".
bool is_marker(std::string_view name, std::string_view what) {
  return name.starts_with("[pytorch|profiler|execution_") && name.ends_with(what);
}

/// The kind of device work for a category of the linker, in any spelling; empty for host
/// categories.
std::optional<Kind> device_kind(std::string_view category) {
  const auto is = [&](std::string_view a, std::string_view b) {
    return category == a || category == b;
  };
  if (is("", "cpu_op") || is("user_annotation", "Operator")) return std::nullopt;
  if (is("kernel", "Kernel")) return Kind::kernel;
  if (is("gpu_memcpy", "Memcpy")) return Kind::memcpy;
  if (is("gpu_memset", "Memset")) return Kind::memset;
  if (category == "gpu_user_annotation") return Kind::device_range;
  return Kind::device_other;
}

template <class Small>
Small clamped(std::int64_t value) {
  return static_cast<Small>(
      std::clamp<std::int64_t>(value, std::numeric_limits<Small>::min(),
                               static_cast<std::int64_t>(std::numeric_limits<Small>::max())));
}

}  // namespace

std::string Builder::place(const RawNode& node) const {
  return fmt::format("{}:byte {}: node {}", profile_.where, offset_, node.id);
}

void Builder::count(FindingCode code, const RawNode& node) {
  findings_.add(code, findings_.count(code) < Findings::kPlaces ? place(node) : std::string{});
}

void Builder::count_field_findings(const RawNode& node) {
  if (node.mistyped_fields != 0) count(FindingCode::attr_ignored, node);
  if (node.unknown_fields != 0) count(FindingCode::unknown_field_kept, node);
}

bool Builder::register_id(const RawNode& node, std::uint32_t number) {
  if (node.id == 0 || events_by_id_.insert(node.id, number)) return true;
  if (number < kThread) {
    count(FindingCode::duplicate_id_dropped, node);
    ++duplicates_;
  }
  return false;
}

StringId Builder::intern(std::string_view text, const RawNode& node) {
  if (text.size() > limits::kEventNameBytes) {
    count(FindingCode::string_cut, node);
    text = beginning(text, limits::kEventNameBytes);
  }
  return profile_.strings->intern(text);
}

StringId Builder::intern_list(std::string_view list, const RawNode& node) {
  if (list == "[]") return StringId::empty;
  if (list.size() <= limits::kEventNameBytes) return profile_.strings->intern(list);
  count(FindingCode::string_cut, node);
  return profile_.strings->intern(json::cut_list(list, limits::kEventNameBytes));
}

profile::StoredText Builder::store_list(std::string_view list, const RawNode& node) {
  if (list == "[]") return {};
  if (list.size() <= kLongestValue) return profile_.texts.add(list);
  count(FindingCode::string_cut, node);
  return profile_.texts.add(json::cut_list(list, kLongestValue));
}

std::uint32_t Builder::add_node(const RawNode& raw) {
  profile::Node node;
  node.id = raw.id;
  node.parent = raw.parent;
  node.forward_parent = raw.forward_parent;
  node.scope = clamped<std::int32_t>(raw.scope);
  node.thread = clamped<std::int32_t>(raw.thread);
  node.forward_thread = clamped<std::int32_t>(raw.forward_thread);
  node.schema = intern(raw.schema, raw);
  node.kernel_backend = intern(raw.kernel_backend, raw);
  node.kernel_file = intern(raw.kernel_file, raw);
  node.input_shapes = intern_list(raw.in.shapes, raw);
  node.input_types = intern_list(raw.in.types, raw);
  node.input_strides = intern_list(raw.in.strides, raw);
  node.output_shapes = intern_list(raw.out.shapes, raw);
  node.output_types = intern_list(raw.out.types, raw);
  node.output_strides = intern_list(raw.out.strides, raw);
  node.inputs = store_list(raw.in.values, raw);
  node.outputs = store_list(raw.out.values, raw);
  if (raw.extra.size() <= limits::kEventNameBytes) {
    node.extra = profile_.strings->intern(raw.extra);
  } else {
    count(FindingCode::string_cut, raw);
  }
  profile_.nodes.push_back(node);
  return static_cast<std::uint32_t>(profile_.nodes.size() - 1);
}

void Builder::set_times(const RawNode& node, Event& event) {
  // The linker writes a zero or nothing for operators without a time.
  const auto start = json::fixed_point(node.start, 3);
  if (node.start.empty() || node.start == "null" || (start && *start == 0)) return;
  if (start && !has_origin_) {
    profile_.origin_ns = *start;
    has_origin_ = true;
  }
  const auto since = json::fixed_point_since(node.start, 6, profile_.origin_ns, 3);
  const auto length =
      node.duration.empty() ? std::optional<std::int64_t>(0) : json::fixed_point(node.duration, 6);
  constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max() / 4;
  if (!start || !since || *since > kFar || *since < -kFar || !length || *length > kFar ||
      *length < 0)
    count(FindingCode::event_time_clamped, node);
  if (!start || !since || *since > kFar || *since < -kFar) return;
  event.start = Time(*since);
  event.duration = Time(std::clamp<std::int64_t>(length.value_or(0), 0, kFar));
  event.flags |= profile::kTimed;
}

void Builder::add_host(const RawNode& raw) {
  profile::Op op;
  op.record_function_id = raw.record_function == 0 ? profile::kNoId : raw.record_function;
  op.sequence = raw.sequence;
  op.forward_thread = clamped<std::uint32_t>(std::max<std::int64_t>(raw.forward_thread, 0));
  op.comm = comms_.add(raw);
  op.node = add_node(raw);
  if (raw.name.find("process_group:init") != std::string_view::npos) {
    std::uint64_t ignored = 0;
    if (!comms_.describe_groups(raw, ignored) || ignored != 0)
      count(FindingCode::metadata_group_ignored, raw);
  }
  Event event;
  event.name = intern(raw.name, raw);
  event.lane = profile_.lane(false, profile_.process_id, raw.thread);
  event.kind = raw.scope == kUserScope ? Kind::annotation : Kind::op;
  event.flags = profile::kHasNode;
  event.detail = static_cast<std::uint32_t>(profile_.ops.size());
  set_times(raw, event);
  profile_.ops.push_back(op);
  profile_.events.push_back(event);
}

void Builder::add_device(const RawNode& raw, Kind kind) {
  Event event;
  event.name = intern(raw.name, raw);
  event.lane = profile_.lane(true, 0, raw.stream);
  event.kind = kind;
  event.detail = static_cast<std::uint32_t>(profile_.works.size());
  set_times(raw, event);
  device_parents_.emplace_back(static_cast<EventId>(profile_.events.size()), raw.parent);
  profile_.works.push_back({});
  profile_.events.push_back(event);
}

void Builder::add(const RawNode& node, std::uint64_t offset) {
  offset_ = offset;
  count_field_findings(node);
  if (is_marker(node.name, "|process]")) {
    register_id(node, kRoot);
    ++profile_.account.mapped;
    return;
  }
  if (is_marker(node.name, "|thread]")) {
    register_id(node, kThread);
    (void)profile_.lane(false, profile_.process_id, node.thread);
    ++profile_.account.mapped;
    return;
  }
  if (!register_id(node, static_cast<std::uint32_t>(profile_.events.size()))) return;
  const auto kind = device_kind(node.category);
  kind ? add_device(node, *kind) : add_host(node);
  ++profile_.account.events;
}

void Builder::count(FindingCode code, EventId e) {
  if (findings_.count(code) >= Findings::kPlaces) {
    findings_.add(code);
  } else if (const profile::Node* const node = profile_.node(e)) {
    findings_.add(code, fmt::format("{}: node {} \"{}\", parent {}", profile_.where, node->id,
                                    profile_.name(e).substr(0, 64), node->parent));
  } else {
    findings_.add(code, fmt::format("{}: \"{}\"", profile_.where, profile_.name(e).substr(0, 64)));
  }
}

void Builder::find_parent(EventId e) {
  Event& event = profile_.events[e];
  const profile::Node& node = *profile_.node(e);
  const std::uint32_t found = node.parent == 0 ? IdMap::kAbsent : events_by_id_.find(node.parent);
  if (found == kRoot || found == kThread) return;
  if (found == IdMap::kAbsent) {
    count(FindingCode::node_without_parent, e);
  } else if (found == e) {
    count(FindingCode::self_edge_dropped, e);
  } else if (profile_.events[found].lane == event.lane) {
    event.parent = found;
  }
}

void Builder::cut_cycles() {
  // Walks from every event towards its root, once; a walk that meets itself is in a cycle.
  std::vector<EventId> visited_from(profile_.events.size(), kNoEvent);
  for (EventId first = 0; first < profile_.events.size(); ++first) {
    EventId e = first;
    while (visited_from[e] == kNoEvent) {
      visited_from[e] = first;
      const EventId parent = profile_.events[e].parent;
      if (parent == kNoEvent) break;
      if (visited_from[parent] == first) {
        profile_.events[e].parent = kNoEvent;
        count(FindingCode::cycle_broken, e);
        break;
      }
      e = parent;
    }
  }
}

void Builder::start_at_zero() {
  if (!has_origin_) return;
  Time first(std::numeric_limits<std::int64_t>::max());
  for (std::size_t e = 0; e < profile_.events.size(); ++e) {
    if (profile_.events[e].timed()) first = std::min(first, profile_.events[e].start);
  }
  // Whole nanoseconds keep the origin exact.
  std::int64_t shift = first.count() / 1000;
  if (shift * 1000 > first.count()) --shift;
  std::int64_t origin = 0;
  if (shift == 0 || __builtin_add_overflow(profile_.origin_ns, shift, &origin)) return;
  profile_.origin_ns = origin;
  for (std::size_t e = 0; e < profile_.events.size(); ++e) {
    if (profile_.events[e].timed()) profile_.events[e].start -= Time(shift * 1000);
  }
}

void Builder::attach_works() {
  for (const auto& [e, parent] : device_parents_) {
    profile::Work& work = profile_.works[profile_.events[e].detail];
    const std::uint32_t found = parent == 0 ? IdMap::kAbsent : events_by_id_.find(parent);
    if (found >= kThread) {
      count(FindingCode::node_without_parent, e);
      continue;
    }
    if (!profile::is_host(profile_.events[found].kind)) continue;
    work.op = found;
    if (!profile::is_comm_kernel(profile_.name(e))) continue;
    EventId op = found;
    for (int steps = 0; steps < 4 && op != kNoEvent && work.comm == profile::kNone; ++steps) {
      work.comm = profile_.op(op).comm;
      op = profile_.events[op].parent;
    }
  }
}

void Builder::finish() {
  // Files state the process before the nodes; otherwise the lanes were created without it.
  for (profile::Lane& lane : profile_.lanes) {
    if (!lane.device) lane.process = profile_.process_id;
  }
  for (EventId e = 0; e < profile_.events.size(); ++e) {
    if (profile::is_host(profile_.events[e].kind)) find_parent(e);
  }
  cut_cycles();
  start_at_zero();
  profile_.index(findings_);
  comms_.finish();
  attach_works();
  comms_.drop_unused();
}

}  // namespace orrery::trace::pytorch
