// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/recording/recording_part.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "addons/bench/recording/microbatches.h"
#include "addons/bench/recording/recorded_layers.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"

namespace orrery::bench {
namespace {

using profile::EventId;
using profile::Profile;

constexpr const char* kPartOption = "--subtrace";

tl::unexpected<Error> no_part(std::string_view text) {
  return fail(Errc::usage, kPartOption, in_quotes(text) + " is not a part of a recording",
              "use scope=NAME, layer=3, layers=0-3, fewer=4 (layers), microbatches=2, or times "
              "since the begin of the step: 10ms-20ms");
}

/// "3" or "0-3".
std::optional<std::pair<std::uint32_t, std::uint32_t>> range_of(std::string_view text) {
  const std::size_t dash = text.find('-');
  const auto first = parse_integer(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : parse_integer(text.substr(dash + 1));
  constexpr std::int64_t kMaxLayer = std::numeric_limits<std::uint32_t>::max();
  if (!first || !last || *first < 0 || *first > *last || *last > kMaxLayer) return std::nullopt;
  return std::pair(static_cast<std::uint32_t>(*first), static_cast<std::uint32_t>(*last));
}

Result<std::vector<bool>> by_layers(const RecordingPart& part, const Profile& profile,
                                    const std::vector<EventId>& operators) {
  const auto layers = layers_of(profile, operators);
  if (!layers) return tl::unexpected(layers.error());
  if (layers->count == 0)
    return fail(Errc::input_missing_attr, profile.where, "contains no repeating layers",
                "choose a part by scope=NAME or by time (10ms-20ms)");
  if (part.last >= layers->count)
    return fail(Errc::usage, kPartOption,
                fmt::format("layer {} does not exist: {} has layers 0-{}", part.last, profile.where,
                            layers->count - 1));
  std::vector<bool> retained(operators.size());
  for (std::size_t i = 0; i < operators.size(); ++i)
    retained[i] =
        layers->of[i] != kNoLayer && layers->of[i] >= part.first && layers->of[i] <= part.last;
  return retained;
}

Result<std::vector<bool>> by_microbatches(const RecordingPart& part, const Profile& profile,
                                          const std::vector<EventId>& operators) {
  const auto found = microbatches_of(profile, operators);
  if (!found) return tl::unexpected(found.error());
  if (part.last == 0 || part.last >= found->count)
    return fail(Errc::usage, kPartOption,
                fmt::format("microbatches={}: {} has {}", part.last, profile.where, found->count));
  std::vector<bool> retained(operators.size());
  for (std::size_t i = 0; i < operators.size(); ++i)
    retained[i] = found->of[i] == kNoMicrobatch || found->of[i] < part.last;
  return retained;
}

Result<std::vector<bool>> by_time(const RecordingPart& part, const Profile& profile,
                                  const std::vector<EventId>& operators, Time begin) {
  std::vector<bool> retained(operators.size());
  Time end = begin;
  bool timed = false, any = false;
  for (std::size_t i = 0; i < operators.size(); ++i) {
    const profile::Event& event = profile.events[operators[i]];
    if (!event.timed()) continue;
    timed = true;
    end = std::max(end, event.end());
    retained[i] = event.start >= begin + part.from && event.start < begin + part.to;
    any = any || retained[i];
  }
  if (!timed)
    return fail(
        Errc::input_missing_attr, profile.where, "contains no times to select a part",
        "also give its device trace (orrery bench run ET TRACE), or select by layer or scope");
  if (!any)
    return fail(
        Errc::usage, kPartOption,
        fmt::format("no operator begins between {} and {}: all operators last {}",
                    format_time(part.from), format_time(part.to), format_time(end - begin)));
  return retained;
}

}  // namespace

Result<RecordingPart> parse_part(std::string_view text) {
  RecordingPart part;
  if (text.empty()) return part;
  const auto value = [&](std::string_view key) -> std::optional<std::string_view> {
    if (!text.starts_with(key) || text.size() == key.size()) return std::nullopt;
    return text.substr(key.size());
  };
  if (const auto scope = value("scope=")) {
    part.kind = RecordingPart::Kind::scope;
    part.scope = std::string(*scope);
    return part;
  }
  const auto one = value("layer="), several = value("layers=");
  if (one || several) {
    const auto range = range_of(one ? *one : *several);
    if (!range || (one && range->first != range->second)) return no_part(text);
    part.kind = RecordingPart::Kind::layers;
    std::tie(part.first, part.last) = *range;
    return part;
  }
  const auto fewer = value("fewer="), microbatches = value("microbatches=");
  if (fewer || microbatches) {
    const auto range = range_of(fewer ? *fewer : *microbatches);
    if (!range || range->first != range->second) return no_part(text);
    part.kind = fewer ? RecordingPart::Kind::fewer : RecordingPart::Kind::microbatches;
    part.last = range->second;
    return part;
  }
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return no_part(text);
  const auto from = parse_time(text.substr(0, dash)), to = parse_time(text.substr(dash + 1));
  if (!from || !to || *from >= *to) return no_part(text);
  part.kind = RecordingPart::Kind::time;
  part.from = *from;
  part.to = *to;
  return part;
}

Result<std::vector<bool>> operators_in_part(const RecordingPart& part, const Profile& profile,
                                            const std::vector<EventId>& operators, Time begin) {
  switch (part.kind) {
    case RecordingPart::Kind::layers:
      return by_layers(part, profile, operators);
    case RecordingPart::Kind::microbatches:
      return by_microbatches(part, profile, operators);
    case RecordingPart::Kind::time:
      return by_time(part, profile, operators, begin);
    default:
      return std::vector<bool>(operators.size(), true);
  }
}

}  // namespace orrery::bench
