// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/pftrace/reader.h"

#include <fmt/format.h>

#include <protozero/exception.hpp>
#include <unordered_map>
#include <utility>

#include "orrery/core/text/text.h"
#include "orrery/trace/kineto/profile_builder.h"
#include "orrery/trace/pftrace/debug_annotations.h"
#include "orrery/trace/pftrace/packet_stream.h"
#include "orrery/trace/pftrace/proto_fields.h"
#include "orrery/trace/pftrace/slices.h"
#include "orrery/trace/pftrace/tracks.h"

namespace orrery::trace::pftrace {
namespace {

using kineto::Arg;
using protozero::pbf_reader;
using protozero::pbf_wire_type;

/// A packet, split into fields.
struct Packet {
  std::optional<std::uint64_t> timestamp;
  std::uint32_t sequence = 0, flags = 0, other = 0;
  std::optional<std::string_view> event, interned, descriptor;

  explicit Packet(std::string_view bytes) {
    pbf_reader reader(bytes.data(), bytes.size());
    while (reader.next()) {
      if (is_field(reader, kTimestamp, pbf_wire_type::varint)) {
        timestamp = reader.get_uint64();
      } else if (is_field(reader, kSequence, pbf_wire_type::varint)) {
        sequence = reader.get_uint32();
      } else if (is_field(reader, kSequenceFlags, pbf_wire_type::varint)) {
        flags = reader.get_uint32();
      } else if (is_field(reader, kTrackEvent, pbf_wire_type::length_delimited)) {
        event = next_text(reader);
      } else if (is_field(reader, kInterned, pbf_wire_type::length_delimited)) {
        interned = next_text(reader);
      } else if (is_field(reader, kTrackDescriptor, pbf_wire_type::length_delimited)) {
        descriptor = next_text(reader);
      } else {
        if (reader.wire_type() == pbf_wire_type::length_delimited) other = reader.tag();
        reader.skip();
      }
    }
  }
};

/// A track event, split into fields.
struct TrackEvent {
  std::int32_t type = 0;
  std::uint64_t track = 0, name_number = 0, category_number = 0, flow = 0;
  std::string_view name, category;

  TrackEvent(std::string_view bytes, const InternedStrings& interned, DebugAnnotations& arguments) {
    pbf_reader reader(bytes.data(), bytes.size());
    while (reader.next()) {
      if (is_field(reader, kEventType, pbf_wire_type::varint)) {
        type = reader.get_int32();
      } else if (is_field(reader, kEventTrack, pbf_wire_type::varint)) {
        track = reader.get_uint64();
      } else if (is_field(reader, kEventNameIid, pbf_wire_type::varint)) {
        name_number = reader.get_uint64();
      } else if (is_field(reader, kEventName, pbf_wire_type::length_delimited)) {
        name = next_text(reader);
      } else if (is_field(reader, kEventCategoryIids, pbf_wire_type::varint)) {
        category_number = reader.get_uint64();
      } else if (is_field(reader, kEventCategories, pbf_wire_type::length_delimited)) {
        category = next_text(reader);
      } else if (is_field(reader, kAnnotations, pbf_wire_type::length_delimited)) {
        arguments.add(next_text(reader), interned);
      } else if (is_field(reader, kFlowIds, pbf_wire_type::fixed64) ||
                 is_field(reader, kEndingFlowIds, pbf_wire_type::fixed64)) {
        flow = reader.get_fixed64();
      } else if (is_field(reader, kFlowIdsOld, pbf_wire_type::varint) ||
                 is_field(reader, kEndingFlowIdsOld, pbf_wire_type::varint)) {
        flow = reader.get_uint64();
      } else {
        reader.skip();
      }
    }
    if (name.empty()) name = interned.find(kEventNames, name_number);
    if (category.empty()) category = interned.find(kCategories, category_number);
  }
};

/// Category of an event that has none. Most follow from the event's arguments.
std::string_view category_by(const kineto::Record& record, const DebugAnnotations& arguments,
                             const Track& track, std::string_view name) {
  if (record.has(Arg::sync_kind)) return "cuda_sync";
  if (record.has(Arg::stream)) {
    if (name.starts_with("Memcpy") || arguments.has("copy kind")) return "gpu_memcpy";
    if (name.starts_with("Memset")) return "gpu_memset";
    return name == "EventRecord" ? "graph_event_node" : "kernel";
  }
  if (track.is_device) return "gpu_user_annotation";
  if (track.is_overhead) return "overhead";
  if (arguments.has("cbid") || record.has(Arg::correlation))
    return name.starts_with("cu") && !name.starts_with("cuda") ? "cuda_driver" : "cuda_runtime";
  const bool op = record.has(Arg::dims) || record.has(Arg::types) || record.has(Arg::concrete) ||
                  record.has(Arg::sequence) || record.has(Arg::record_function_id) ||
                  arguments.has("Ev Idx") || name.find("::") != name.npos;
  return op ? "cpu_op" : "user_annotation";
}

/// One pass through a file.
class Reader {
 public:
  Reader(ByteSource& source, const kineto::ReadOptions& options, Findings& findings)
      : packets_(source, options.where, findings),
        builder_(profile_, options, findings),
        options_(options),
        findings_(findings) {
    profile_.strings = options.strings;
    profile_.format = "pftrace";
    profile_.where = options.where;
  }

  Result<profile::Profile> run() {
    std::uint64_t damaged = 0;
    std::uint64_t read = 0;
    for (;; ++read) {
      const auto bytes = packets_.next();
      if (!bytes) return tl::unexpected(bytes.error());
      if (!*bytes) break;
      try {
        if (auto taken = take(Packet(**bytes)); !taken)
          return tl::unexpected(std::move(taken.error()));
      } catch (const protozero::exception&) {
        ++damaged;
        findings_.add(FindingCode::corrupt_record_dropped,
                      fmt::format("{}:byte {}", profile_.where, packets_.offset()));
      }
    }
    if (read == damaged)
      return fail(Errc::input_corrupt, options_.where, "this is not a Perfetto trace");
    slices_.match(
        [&](profile::EventId event, std::uint64_t from, std::uint64_t to) { end(event, from, to); },
        [&](std::uint64_t offset) {
          record_.clear();
          record_.offset = offset;
          record_.category = "slice end";
          builder_.drop(record_, "a slice end without a slice begin");
        });
    if (profile_.events.empty())
      return fail(Errc::input_empty, options_.where, "the trace has no event");
    builder_.finish(damaged, 0);
    return std::move(profile_);
  }

 private:
  Result<void> take(const Packet& packet) {
    InternedStrings& interned = interned_[packet.sequence];
    if ((packet.flags & kStateCleared) != 0) interned.clear();
    if (packet.interned) interned.add(*packet.interned);
    if (packet.descriptor) return describe(*packet.descriptor);
    if (packet.event) return take_event(packet, interned);
    const std::string_view other = packet.other == kRenderStage  ? "GPU render stage"
                                   : packet.other == kGpuCounter ? "GPU counter"
                                   : packet.other == kCompressed ? "compressed packets"
                                                                 : "";
    if (other.empty()) {
      ++profile_.account.mapped;
      return {};
    }
    return leave_out(other);
  }

  /// Counts an event that is not used in a profile.
  Result<void> leave_out(std::string_view category) {
    record_.clear();
    record_.phase = "i";
    record_.category = category;
    return builder_.add(record_);
  }

  /// Reads a track's name, which is that of a thread or a process.
  Result<void> describe(std::string_view descriptor) {
    const Track& track = tracks_.add(descriptor);
    record_.clear();
    record_.offset = packets_.offset();
    record_.phase = "M";
    record_.name = track.is_process ? "process_name" : "thread_name";
    record_.process = track.process;
    record_.thread = track.thread;
    quoted_.clear();
    append_json_text(quoted_, track.name);
    if (!track.name.empty()) record_.set("name", quoted_);
    return builder_.add(record_);
  }

  Result<void> take_event(const Packet& packet, const InternedStrings& interned) {
    arguments_.clear();
    const TrackEvent event(*packet.event, interned, arguments_);
    if (event.type == kSliceEnd) {
      if (packet.timestamp) {
        slices_.end(event.track, *packet.timestamp, packets_.offset());
        return {};
      }
    } else if (event.type != kSliceBegin) {
      return leave_out(event.category.empty() ? "instant" : event.category);
    }
    record_.clear();
    record_.offset = packets_.offset();
    if (event.type == kSliceEnd) {
      record_.category = "slice end";
      builder_.drop(record_, "no time");
      return {};
    }
    return begin(packet, event);
  }

  Result<void> begin(const Packet& packet, const TrackEvent& event) {
    constexpr std::uint64_t kCorrelations = std::uint64_t{1} << 40;
    const Track& track = tracks_.find(event.track);
    if (event.flow > 0 && event.flow < kCorrelations && !arguments_.has("correlation"))
      arguments_.add("correlation", fmt::format("{}", event.flow));
    arguments_.copy_to(record_);
    record_.process = track.process;
    record_.thread = track.thread;
    record_.category = event.category.empty() ? category_by(record_, arguments_, track, event.name)
                                              : event.category;
    quoted_.clear();
    append_json_text(quoted_, event.name);
    if (!event.name.empty()) record_.name = quoted_;
    const std::uint64_t time = packet.timestamp.value_or(0);
    start_ = fmt::format("{}.{:03}", time / 1000, time % 1000);
    if (packet.timestamp) record_.start = start_;
    const auto begun = builder_.begin(record_);
    if (!begun) return tl::unexpected(begun.error());
    slices_.begin(event.track, time, *begun);
    return {};
  }

  void end(profile::EventId event, std::uint64_t from, std::uint64_t to) {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 52;  // more than the builder supports
    if (to < from) findings_.add(FindingCode::event_time_clamped, profile_.where);
    const std::uint64_t lasted = to < from ? 0 : std::min(to - from, kMost);
    builder_.end(event, ns(static_cast<std::int64_t>(lasted)));
  }

  profile::Profile profile_;
  PacketStream packets_;
  kineto::Builder builder_;
  const kineto::ReadOptions& options_;
  Findings& findings_;
  std::unordered_map<std::uint32_t, InternedStrings> interned_;  // by sequence
  Tracks tracks_;
  SliceMatcher slices_;
  DebugAnnotations arguments_;
  kineto::Record record_;
  std::string quoted_, start_;
};

}  // namespace

Result<profile::Profile> read(std::unique_ptr<ByteSource> source,
                              const kineto::ReadOptions& options, Findings& findings) {
  return Reader(*source, options, findings).run();
}

}  // namespace orrery::trace::pftrace
