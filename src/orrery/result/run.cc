// SPDX-License-Identifier: Apache-2.0
#include "orrery/result/run.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

#include "orrery/core/enum_names.h"

namespace orrery::result {

std::uint32_t Names::intern(std::string_view text) {
  if (text.empty()) return 0;
  const auto [number, added] = numbers_.find_or_add(
      text, [&](std::uint32_t known) -> const std::string& { return texts_[known]; });
  if (added) texts_.emplace_back(text);
  return number;
}

std::string_view name(SpanKind kind) {
  constexpr auto kNames = enumerator_names<SpanKind::store>(
      "metadata", "compute", "cpu", "collective", "send", "receive", "load", "store");
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view name(Release release) {
  constexpr auto kNames =
      enumerator_names<Release::resource>("beginning", "dependency", "resource");
  return kNames[static_cast<std::size_t>(release)];
}

std::string recorded_name(const Lane& lane) {
  if (lane.kind == LaneKind::stream && lane.device != 0)
    return "device " + std::to_string(lane.device) + " stream " + std::to_string(lane.number);
  return std::string(name(lane.kind)) + ' ' + std::to_string(lane.number);
}

std::string_view name(LaneKind kind) {
  constexpr auto kNames = enumerator_names<LaneKind::thread>(
      "compute", "cpu", "communicator", "sends", "receives", "memory", "other", "stream", "thread");
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view name(PathCause cause) {
  constexpr auto kNames =
      enumerator_names<PathCause::idle>("work", "bandwidth", "latency", "queue", "peer", "idle");
  return kNames[static_cast<std::size_t>(cause)];
}

std::string_view name(SpanChoice choice) {
  constexpr auto kNames = enumerator_names<SpanChoice::none>("all", "critical", "none");
  return kNames[static_cast<std::size_t>(choice)];
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

const Collective* Run::stored_collective_of(std::uint32_t rank, const Span& span) const {
  if (span.group >= ranks[rank].groups.size()) return nullptr;
  const Group& group = groups[ranks[rank].groups[span.group]];
  return span.sequence < group.count ? &collectives[group.stored + span.sequence] : nullptr;
}

std::uint32_t Run::group_of_collective(std::uint32_t number) const {
  const auto after =
      std::upper_bound(groups.begin(), groups.end(), number,
                       [](std::uint32_t which, const Group& group) { return which < group.first; });
  return static_cast<std::uint32_t>(after - groups.begin()) - 1;
}

const Collective& Run::collective(std::uint32_t number) const {
  return collective(number, group_of_collective(number));
}

const Collective& Run::collective(std::uint32_t number, std::uint32_t group) const {
  return collectives[groups[group].stored + (number - groups[group].first)];
}

std::uint32_t Run::last_rank(const Collective& one, std::uint32_t group) const {
  if (group == one.group) return one.last_rank;
  const std::vector<std::uint32_t>& first = groups[one.group].ranks;
  const auto found = std::find(first.begin(), first.end(), one.last_rank);
  const auto place = static_cast<std::size_t>(found - first.begin());
  return place < groups[group].ranks.size() ? groups[group].ranks[place] : one.last_rank;
}

}  // namespace orrery::result
