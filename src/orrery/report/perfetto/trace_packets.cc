// SPDX-License-Identifier: Apache-2.0
#include "orrery/report/perfetto/trace_packets.h"

#include <protozero/pbf_writer.hpp>

#include "orrery/core/fnv.h"
#include "orrery/report/perfetto/drawn_spans.h"
#include "orrery/report/terminal_text.h"

namespace orrery::report {

using protozero::pbf_writer;
using result::Run;

std::uint64_t track_uuid(std::string_view path) {
  std::uint64_t hash = fnv1a(path);
  hash ^= hash >> 32;  // the low bits of the hash mix badly
  hash *= 0xd6e8feb86659fd93ull;
  hash ^= hash >> 32;
  return (hash >> 8) | std::uint64_t{1} << 55;
}

namespace {

/// One entry of an interning table.
void intern(pbf_writer& data, std::uint32_t table, std::uint64_t iid, std::string_view text) {
  std::string entry;
  pbf_writer writer(entry);
  writer.add_uint64(wire::interned::iid, iid);
  writer.add_string(wire::interned::text, text.data(), text.size());
  data.add_message(table, entry);
}

std::string describe_counter(const Track& track) {
  std::string bytes;
  pbf_writer writer(bytes);
  if (track.unit.empty()) {
    writer.add_enum(wire::counter_descriptor::unit, wire::counter_descriptor::size_bytes);
  } else {
    writer.add_string(wire::counter_descriptor::unit_name, track.unit.data(), track.unit.size());
  }
  if (!track.shares_axis.empty()) {
    writer.add_string(wire::counter_descriptor::y_axis_share_key, track.shares_axis.data(),
                      track.shares_axis.size());
  }
  return bytes;
}

}  // namespace

TracePackets::TracePackets(const Run& run, const ByteSink& sink)
    : run_(run), out_(sink), name_known_(run.names.size()), group_known_(run.groups.size()) {
  // The name "" is never interned: fallback names replace it.
  if (!name_known_.empty()) name_known_[0] = true;
}

void TracePackets::write_packet(std::uint32_t field, std::string_view content,
                                std::uint32_t flags) {
  std::string packet;
  pbf_writer writer(packet);
  writer.add_uint64(wire::trace_packet::timestamp, 0);
  writer.add_uint32(wire::trace_packet::trusted_packet_sequence_id, SlicePacket::kSequence);
  writer.add_uint32(wire::trace_packet::sequence_flags, flags);
  writer.add_message(field, content.data(), content.size());
  std::string framed;
  pbf_writer(framed).add_message(wire::trace::packet, packet);
  out_.append(framed);
}

void TracePackets::begin() {
  using namespace wire;
  std::string bytes;
  pbf_writer data(bytes);
  for (std::size_t i = 0; i < result::kSpanKinds; ++i)
    intern(data, interned_data::event_categories, i + 1,
           result::name(static_cast<result::SpanKind>(i)));
  intern(data, interned_data::event_categories, 1 + std::size_t(Category::path), "critical path");
  intern(data, interned_data::event_categories, 1 + std::size_t(Category::step), "step");
  for (std::size_t i = 0; i < kSpanArgNames.size(); ++i)
    intern(data, interned_data::debug_annotation_names, i + 1, kSpanArgNames[i]);
  for (std::size_t i = 0; i < SlicePacket::kModels; ++i) {
    const auto model = static_cast<TimeSource>(i);
    intern(data, interned_data::debug_annotation_string_values, SlicePacket::model_iid(model),
           name(model));
  }
  for (std::size_t i = 0; i < SlicePacket::kReleases; ++i) {
    const auto release = static_cast<result::Release>(i);
    intern(data, interned_data::debug_annotation_string_values, SlicePacket::release_iid(release),
           result::name(release));
  }
  for (std::size_t i = 0; i < result::kPathCauses; ++i) {
    const auto cause = static_cast<result::PathCause>(i);
    intern(data, interned_data::debug_annotation_string_values, SlicePacket::cause_iid(cause),
           result::name(cause));
    intern(data, interned_data::event_names, name_iid(cause), result::name(cause));
  }
  for (std::size_t i = 0; i < result::kSpanKinds; ++i)
    intern(data, interned_data::event_names, fallback_iid(i),
           result::name(static_cast<result::SpanKind>(i)));
  intern(data, interned_data::event_names, step_iid(), "step");
  write_packet(trace_packet::interned_data, bytes,
               trace_packet::incremental_state_cleared | trace_packet::needs_incremental_state);

  std::string root;
  pbf_writer writer(root);
  writer.add_uint64(track_descriptor::uuid, 0);
  writer.add_enum(track_descriptor::process_ordering, track_descriptor::explicit_processes);
  write_packet(trace_packet::track_descriptor, root, trace_packet::needs_incremental_state);
}

void TracePackets::describe(const Track& track) {
  using namespace wire;
  std::string bytes;
  pbf_writer writer(bytes);
  writer.add_uint64(track_descriptor::uuid, track.uuid);
  writer.add_string(track_descriptor::name, track.name);
  if (track.pid != 0) {
    std::string process;
    pbf_writer inner(process);
    inner.add_int32(process_descriptor::pid, static_cast<std::int32_t>(track.pid));
    inner.add_string(process_descriptor::process_name, track.name);
    writer.add_message(track_descriptor::process, process);
  }
  if (track.parent != 0) writer.add_uint64(track_descriptor::parent_uuid, track.parent);
  if (track.counter) writer.add_message(track_descriptor::counter, describe_counter(track));
  if (!track.counter)
    writer.add_enum(track_descriptor::child_ordering, track_descriptor::explicit_order);
  writer.add_int32(track_descriptor::sibling_order_rank, static_cast<std::int32_t>(track.position));
  if (!track.description.empty())
    writer.add_string(track_descriptor::description, track.description);
  if (track.pid == 0)
    writer.add_enum(track_descriptor::sibling_merge_behavior, track_descriptor::never_merge);
  write_packet(trace_packet::track_descriptor, bytes, trace_packet::needs_incremental_state);
}

void TracePackets::write_name(std::uint32_t name) {
  name_known_[name] = true;
  std::string bytes;
  pbf_writer data(bytes);
  intern(data, wire::interned_data::event_names, name, clean_text(run_.names[name], "?"));
  write_packet(wire::trace_packet::interned_data, bytes,
               wire::trace_packet::needs_incremental_state);
}

void TracePackets::write_group(std::uint32_t group) {
  group_known_[group] = true;
  std::string bytes;
  pbf_writer data(bytes);
  intern(data, wire::interned_data::debug_annotation_string_values, SlicePacket::group_iid(group),
         group_name(run_.groups[group]));
  write_packet(wire::trace_packet::interned_data, bytes,
               wire::trace_packet::needs_incremental_state);
}

void TracePackets::count(const TrackKey& track, std::uint64_t ns, std::int64_t value) {
  SlicePacket packet(*this, track, ns, wire::track_event::counter);
  packet.value(value);
  packet.finish();
}

void SlicePacket::text(std::string_view name, std::string_view value) {
  std::string bytes;
  pbf_writer writer(bytes);
  writer.add_string(wire::debug_annotation::name, clean_text(name, "?"));
  writer.add_string(wire::debug_annotation::string_value, fit(clean_text(value, ""), 400));
  if (static_cast<std::size_t>(cursor_.at() - packet_) + bytes.size() + 16 > wire::Output::kRoom)
    return;
  cursor_.tag<wire::track_event::debug_annotations, wire::Kind::bytes>();
  cursor_.varint(bytes.size());
  cursor_.raw(bytes);
}

}  // namespace orrery::report
