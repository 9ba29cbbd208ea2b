// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/pftrace/tracks.h"

#include <fmt/format.h>

#include <optional>
#include <protozero/pbf_reader.hpp>

#include "orrery/core/limits.h"
#include "orrery/trace/pftrace/proto_fields.h"

namespace orrery::trace::pftrace {
namespace {

using protozero::pbf_wire_type;

/// The message of a process or a thread: two numbers and a name.
struct ProcessOrThread {
  std::optional<std::int32_t> first, second;
  std::string_view name;

  ProcessOrThread(protozero::pbf_reader reader, std::uint32_t name_field) {
    while (reader.next()) {
      const bool number = reader.wire_type() == pbf_wire_type::varint;
      if (number && reader.tag() == kThreadProcess) {
        first = reader.get_int32();
      } else if (number && reader.tag() == kThreadId) {
        second = reader.get_int32();
      } else if (reader.tag() == name_field &&
                 reader.wire_type() == pbf_wire_type::length_delimited) {
        name = next_text(reader);
      } else {
        reader.skip();
      }
    }
  }
};

/// A number for a track without one; no system uses such thread ids.
std::string number_of_uuid(std::uint64_t uuid) {
  return fmt::format("{}", (std::uint64_t{1} << 40) + (uuid & 0xFFFFFFFF));
}

}  // namespace

const Track& Tracks::add(std::string_view descriptor) {
  protozero::pbf_reader reader(descriptor.data(), descriptor.size());
  std::uint64_t uuid = 0, parent = 0;
  Track track;
  std::string_view name;
  while (reader.next()) {
    const bool message = reader.wire_type() == pbf_wire_type::length_delimited;
    const bool number = reader.wire_type() == pbf_wire_type::varint;
    if (number && reader.tag() == kUuid) {
      uuid = reader.get_uint64();
    } else if (number && reader.tag() == kParentUuid) {
      parent = reader.get_uint64();
    } else if (message && reader.tag() == kTrackName) {
      name = next_text(reader);
    } else if (message && reader.tag() == kProcess) {
      const ProcessOrThread process(reader.get_message(), kProcessName);
      track.is_process = true;
      if (process.first) track.process = fmt::format("{}", *process.first);
      if (!process.name.empty()) name = process.name;
    } else if (message && reader.tag() == kThread) {
      const ProcessOrThread thread(reader.get_message(), kThreadName);
      track.is_process = false;
      if (thread.first) track.process = fmt::format("{}", *thread.first);
      if (thread.second) track.thread = fmt::format("{}", *thread.second);
      if (!thread.name.empty()) name = thread.name;
    } else {
      reader.skip();
    }
  }
  track.name = name.substr(0, limits::kEventNameBytes);
  if (const auto above = by_uuid_.find(parent); above != by_uuid_.end()) {
    track.is_device = above->second.is_device;
    track.is_overhead = above->second.is_overhead;
    if (track.process.empty()) track.process = above->second.process;
    if (track.thread.empty() && !track.is_process) track.thread = number_of_uuid(uuid);
  }
  track.is_device = track.is_device || track.name.starts_with("GPU ");
  track.is_overhead =
      track.is_overhead || track.process.starts_with('-') || track.name == "Overhead";
  if (track.process.empty()) track.process = "0";
  if (track.thread.empty()) track.thread = track.is_process ? track.process : number_of_uuid(uuid);
  Track& place = by_uuid_[uuid];
  place = std::move(track);
  return place;
}

const Track& Tracks::find(std::uint64_t uuid) {
  const auto [found, added] = by_uuid_.try_emplace(uuid);
  if (added) {
    found->second.process = "0";
    found->second.thread = number_of_uuid(uuid);
  }
  return found->second;
}

}  // namespace orrery::trace::pftrace
