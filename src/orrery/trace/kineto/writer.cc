// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/kineto/writer.h"

#include <fmt/format.h>

#include <array>

#include "orrery/core/enum_names.h"
#include "orrery/core/system/atomic_file.h"
#include "orrery/core/text/text.h"

namespace orrery::trace {
namespace {

using profile::Event;
using profile::EventId;
using profile::Kind;
using profile::kNoId;
using profile::Profile;

std::string_view category(Kind kind) {
  constexpr auto kNames = enumerator_names<Kind::sync>(
      "cpu_op", "user_annotation", "python_function", "cuda_runtime", "overhead", "kernel",
      "gpu_memcpy", "gpu_memset", "kernel", "gpu_user_annotation", "cuda_sync");
  return kNames[static_cast<std::size_t>(kind)];
}

/// Formats microseconds: "1234.567".
std::string micros(std::int64_t nanos) {
  return fmt::format("{}{}.{:03}", nanos < 0 ? "-" : "", (nanos < 0 ? -nanos : nanos) / 1000,
                     (nanos < 0 ? -nanos : nanos) % 1000);
}

std::string quoted_json(std::string_view text) {
  std::string quoted;
  append_json_text(quoted, text);
  return quoted;
}

class KinetoText {
 public:
  explicit KinetoText(const Profile& profile) : profile_(profile) {}

  [[nodiscard]] std::string write() {
    text_ = "{\n\"schemaVersion\": 1,\n";
    if (profile_.rank) {
      text_ += fmt::format("\"distributedInfo\": {{\"rank\": {}, \"world_size\": {}}},\n",
                           *profile_.rank, profile_.world_size.value_or(*profile_.rank + 1));
    }
    devices();
    text_ += "\"traceEvents\": [";
    for (EventId e = 0; e < profile_.events.size(); ++e) {
      if (profile_.events[e].timed()) event(e);
    }
    text_ += "\n]}\n";
    return std::move(text_);
  }

 private:
  void devices() {
    text_ += "\"deviceProperties\": [";
    for (std::size_t d = 0; d < profile_.devices.size(); ++d) {
      text_ += fmt::format("{}{{\"id\": {}, \"name\": {}}}", d > 0 ? ", " : "",
                           profile_.devices[d].id, quoted_json(profile_.devices[d].name));
    }
    text_ += "],\n";
  }

  void event(EventId e) {
    const Event& event = profile_.events[e];
    const profile::Lane& lane = profile_.lanes[event.lane];
    const std::int64_t start = profile_.origin_ns + event.start.count() / kPsPerNs;
    const std::int64_t end = profile_.origin_ns + event.end().count() / kPsPerNs;
    text_ += fmt::format(
        "{}\n{{\"ph\": \"X\", \"cat\": \"{}\", \"name\": {}, \"pid\": {}, \"tid\": {}, \"ts\": {}, "
        "\"dur\": {}, \"args\": {{",
        first_ ? "" : ",", category(event.kind), quoted_json(profile_.name(e)), lane.process,
        lane.id, micros(start), micros(end - start));
    first_ = false;
    first_argument_ = true;
    arguments(e, event, lane);
    text_ += "}}";
  }

  void arguments(EventId e, const Event& event, const profile::Lane& lane) {
    if (lane.device) {
      argument("device", lane.process);
      argument("stream", lane.id);
    }
    if (event.detail == profile::kNone) return;
    switch (event.kind) {
      case Kind::op:
      case Kind::annotation:
      case Kind::python:
        id("External id", profile_.op(e).external_id);
        id("Record function id", profile_.op(e).record_function_id);
        return;
      case Kind::call:
        id("correlation", profile_.call(e).correlation);
        id("External id", profile_.call(e).external_id);
        return;
      case Kind::overhead:
        return;
      case Kind::sync:
        id("correlation", profile_.sync(e).correlation);
        return;
      default:
        id("correlation", profile_.work(e).correlation);
        id("External id", profile_.work(e).external_id);
        if (profile_.work(e).bytes >= 0) argument("bytes", profile_.work(e).bytes);
        return;
    }
  }

  void id(std::string_view name, std::uint64_t value) {
    if (value != kNoId) argument(name, value);
  }
  template <class Number>
  void argument(std::string_view name, Number value) {
    text_ += fmt::format("{}\"{}\": {}", first_argument_ ? "" : ", ", name, value);
    first_argument_ = false;
  }

  const Profile& profile_;
  std::string text_;
  bool first_ = true, first_argument_ = true;
};

}  // namespace

Result<void> write_kineto(const Profile& profile, const std::string& path, bool force) {
  return write_file_atomically(path, KinetoText(profile).write(), {.force = force});
}

}  // namespace orrery::trace
