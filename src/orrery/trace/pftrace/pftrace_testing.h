// SPDX-License-Identifier: Apache-2.0
//
// For tests: traces in the form of PyTorch's encoder, packet by packet.
#pragma once

#include <cstdint>
#include <memory>
#include <protozero/pbf_writer.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/trace/pftrace/proto_fields.h"
#include "orrery/trace/pftrace/reader.h"

namespace orrery::trace::pftrace::testing {

/// One debug annotation, as a message.
inline std::string integer(std::string_view name, std::int64_t value) {
  std::string out;
  protozero::pbf_writer writer(out);
  writer.add_string(kName, name.data(), name.size());
  writer.add_int64(kInt, value);
  return out;
}
inline std::string text(std::string_view name, std::string_view value) {
  std::string out;
  protozero::pbf_writer writer(out);
  writer.add_string(kName, name.data(), name.size());
  writer.add_string(kString, value.data(), value.size());
  return out;
}
inline std::string list(std::string_view name, const std::vector<std::int64_t>& values) {
  std::string out;
  protozero::pbf_writer writer(out);
  writer.add_string(kName, name.data(), name.size());
  for (const std::int64_t value : values) {
    std::string item;
    protozero::pbf_writer(item).add_int64(kInt, value);
    writer.add_message(kArrayValues, item);
  }
  return out;
}

using Annotations = std::vector<std::string>;

/// Builds a file.
class File {
 public:
  File& packet(const std::string& message) {
    protozero::pbf_writer(bytes).add_message(kPacket, message);
    return *this;
  }
  File& process(std::uint64_t uuid, std::int32_t pid, std::string_view name) {
    std::string inner, descriptor;
    protozero::pbf_writer about(inner);
    about.add_int32(kProcessId, pid);
    about.add_string(kProcessName, name.data(), name.size());
    protozero::pbf_writer track(descriptor);
    track.add_uint64(kUuid, uuid);
    track.add_message(kProcess, inner);
    return packet(of(kTrackDescriptor, descriptor));
  }
  File& thread(std::uint64_t uuid, std::uint64_t parent, std::int32_t pid, std::int32_t tid,
               std::string_view name) {
    std::string inner, descriptor;
    protozero::pbf_writer about(inner);
    about.add_int32(kThreadProcess, pid);
    about.add_int32(kThreadId, tid);
    about.add_string(kThreadName, name.data(), name.size());
    protozero::pbf_writer track(descriptor);
    track.add_uint64(kUuid, uuid);
    track.add_uint64(kParentUuid, parent);
    track.add_message(kThread, inner);
    return packet(of(kTrackDescriptor, descriptor));
  }
  /// Interned names, numbered from 1.
  File& names(const std::vector<std::string>& names, std::uint32_t table = kEventNames) {
    std::string interned;
    protozero::pbf_writer writer(interned);
    for (std::size_t i = 0; i < names.size(); ++i) {
      std::string entry;
      protozero::pbf_writer about(entry);
      about.add_uint64(kIid, i + 1);
      about.add_string(kText, names[i]);
      writer.add_message(table, entry);
    }
    std::string message = of(kInterned, interned);
    protozero::pbf_writer(message).add_uint32(kSequence, 1);
    return packet(message);
  }
  File& begin(std::uint64_t time, std::uint64_t track, std::uint64_t name,
              const Annotations& annotations = {}, std::uint64_t flow = 0,
              std::uint64_t category = 0) {
    std::string event;
    protozero::pbf_writer writer(event);
    writer.add_int32(kEventType, kSliceBegin);
    writer.add_uint64(kEventTrack, track);
    writer.add_uint64(kEventNameIid, name);
    if (category != 0) writer.add_uint64(kEventCategoryIids, category);
    if (flow != 0) writer.add_fixed64(kFlowIds, flow);
    for (const std::string& annotation : annotations) writer.add_message(kAnnotations, annotation);
    return timed(time, event);
  }
  File& end(std::uint64_t time, std::uint64_t track) {
    std::string event;
    protozero::pbf_writer writer(event);
    writer.add_int32(kEventType, kSliceEnd);
    writer.add_uint64(kEventTrack, track);
    return timed(time, event);
  }
  File& timed(std::uint64_t time, const std::string& event) {
    std::string message = of(kTrackEvent, event);
    protozero::pbf_writer writer(message);
    writer.add_uint64(kTimestamp, time);
    writer.add_uint32(kSequence, 1);
    return packet(message);
  }
  static std::string of(std::uint32_t field, const std::string& message) {
    std::string out;
    protozero::pbf_writer(out).add_message(field, message);
    return out;
  }

  std::string bytes;
};

/// The result of reading.
struct Outcome {
  Result<profile::Profile> profile = fail(Errc::input_empty, "", "");
  Findings findings;

  /// The first event of that name; kNoEvent if there is none.
  [[nodiscard]] profile::EventId event(std::string_view name) const {
    for (profile::EventId e = 0; e < profile->events.size(); ++e)
      if (profile->name(e) == name) return e;
    return profile::kNoEvent;
  }
  [[nodiscard]] const profile::Event& operator[](std::string_view name) const {
    return profile->events[event(name)];
  }
};

inline Outcome read(std::string_view bytes) {
  Outcome out;
  auto source =
      std::make_unique<MemorySource>(std::as_bytes(std::span(bytes.data(), bytes.size())));
  out.profile =
      pftrace::read(std::move(source), {"t.pftrace", std::make_shared<StringPool>()}, out.findings);
  return out;
}

/// Two kernels and a copy on one stream, and the calls that launched them. As in the encoder's
/// files, events are ordered by kind, begins before ends.
inline File two_kernels() {
  const auto on_stream = [](std::int64_t correlation) {
    return Annotations{integer("device", 0), integer("stream", 7),
                       integer("correlation", correlation)};
  };
  const auto kernel = [&](std::int64_t correlation) {
    Annotations args = on_stream(correlation);
    args.push_back(list("grid", {4, 2, 1}));
    args.push_back(list("block", {128, 1, 1}));
    return args;
  };
  Annotations copy = on_stream(13);
  copy.push_back(integer("bytes", 4096));
  copy.push_back(text("copy kind", "HtoD"));
  File file;
  file.process(1, 77, "python").thread(2, 1, 77, 78, "thread 78");
  file.process(3, 1000, "GPU 0").thread(4, 3, 1000, 7, "stream 7");
  file.names({"gemm", "relu", "Memcpy", "cudaLaunchKernel", "cudaMemcpyAsync"});
  file.begin(2000, 4, 1, kernel(11), 11).begin(3000, 4, 2, kernel(12), 12);
  file.end(3000, 4).end(3500, 4);
  file.begin(4000, 4, 3, copy, 13).end(4250, 4);
  const auto call = [](std::int64_t correlation) {
    return Annotations{integer("cbid", 211), integer("correlation", correlation)};
  };
  file.begin(1000, 2, 4, call(11), 11).begin(1200, 2, 4, call(12), 12);
  file.begin(1400, 2, 5, call(13), 13);
  file.end(1100, 2).end(1300, 2).end(1500, 2);
  return file;
}

}  // namespace orrery::trace::pftrace::testing
