// SPDX-License-Identifier: Apache-2.0
#include "orrery/result/run.h"

#include <array>
#include <charconv>
#include <system_error>

namespace orrery::result {

std::uint32_t Names::intern(std::string_view text) {
  const auto [found, added] = numbers_.try_emplace(std::string(text), size());
  if (added) texts_.push_back(found->first);
  return found->second;
}

std::string_view name(SpanKind kind) {
  switch (kind) {
    case SpanKind::metadata:
      return "metadata";
    case SpanKind::compute:
      return "compute";
    case SpanKind::cpu:
      return "cpu";
    case SpanKind::collective:
      return "collective";
    case SpanKind::send:
      return "send";
    case SpanKind::receive:
      return "receive";
    case SpanKind::load:
      return "load";
    case SpanKind::store:
      return "store";
  }
  return "unknown";
}

std::string_view name(Release release) {
  switch (release) {
    case Release::beginning:
      return "beginning";
    case Release::dependency:
      return "dependency";
    case Release::resource:
      return "resource";
  }
  return "unknown";
}

std::string recorded_name(const Lane& lane) {
  if (lane.kind == LaneKind::stream && lane.device != 0)
    return "device " + std::to_string(lane.device) + " stream " + std::to_string(lane.number);
  return std::string(name(lane.kind)) + ' ' + std::to_string(lane.number);
}

std::string_view name(LaneKind kind) {
  switch (kind) {
    case LaneKind::compute:
      return "compute";
    case LaneKind::cpu:
      return "cpu";
    case LaneKind::communicator:
      return "communicator";
    case LaneKind::sends:
      return "sends";
    case LaneKind::receives:
      return "receives";
    case LaneKind::memory:
      return "memory";
    case LaneKind::other:
      return "other";
    case LaneKind::stream:
      return "stream";
    case LaneKind::thread:
      return "thread";
  }
  return "unknown";
}

std::string_view name(PathCause cause) {
  switch (cause) {
    case PathCause::work:
      return "work";
    case PathCause::bandwidth:
      return "bandwidth";
    case PathCause::latency:
      return "latency";
    case PathCause::queue:
      return "queue";
    case PathCause::peer:
      return "peer";
    case PathCause::idle:
      return "idle";
  }
  return "unknown";
}

std::string_view name(SpanChoice choice) {
  switch (choice) {
    case SpanChoice::all:
      return "all";
    case SpanChoice::critical:
      return "critical";
    case SpanChoice::none:
      return "none";
  }
  return "unknown";
}

std::string_view Run::fact(std::string_view key) const {
  for (const auto& [name, value] : manifest) {
    if (name == key) return value;
  }
  return {};
}

std::optional<std::uint32_t> Run::representatives() const {
  const std::string_view text = fact("representatives");
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  if (number == 0 || number > ranks.size()) return {};
  return number;
}

}  // namespace orrery::result
