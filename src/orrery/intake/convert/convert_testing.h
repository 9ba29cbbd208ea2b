// SPDX-License-Identifier: Apache-2.0
//
// For tests: handmade dependencies, and the complete output of a conversion.
#pragma once

#include <string>
#include <vector>

#include "orrery/intake/convert/convert.h"
#include "orrery/profile/profile_testing.h"

namespace orrery::intake::testing {

/// Dependencies in which every event is a node, in file order. Each waits for the previous event on
/// its lane, and device work also for its call. The cost is the duration.
inline profile::Dependencies chain(const profile::Profile& profile) {
  profile::Dependencies out;
  out.first.push_back(0);
  std::vector<profile::EventId> last(profile.lanes.size(), profile::kNoEvent);
  for (profile::EventId e = 0; e < profile.events.size(); ++e) {
    const profile::Event& event = profile.events[e];
    out.nodes.push_back(e);
    out.node_of.push_back(e);
    out.cost.push_back(event.duration);
    out.start.push_back(Time{});
    const bool device = !profile::is_host(event.kind);
    const auto kind = device ? DependencyKind::stream : DependencyKind::thread;
    if (last[event.lane] != profile::kNoEvent) out.edges.push_back({last[event.lane], kind, false});
    if (profile::is_device_work(event.kind) && profile.work(e).call != profile::kNoEvent)
      out.edges.push_back({profile.work(e).call, DependencyKind::launch, false});
    last[event.lane] = e;
    out.first.push_back(static_cast<std::uint32_t>(out.edges.size()));
  }
  return out;
}

/// The output of a conversion.
struct Converted {
  Result<ConvertReport> report = fail(Errc::input_empty, "", "");
  trace::chakra::MetadataRecord metadata;
  std::vector<trace::chakra::NodeRecord> nodes;
  Findings findings;

  [[nodiscard]] const trace::chakra::NodeRecord& node(std::uint64_t id) const {
    for (const auto& node : nodes) {
      if (node.id == id) return node;
    }
    return nodes.front();
  }
};

inline Converted converted(const profile::Profile& profile,
                           const profile::Dependencies& dependencies,
                           const ConvertOptions& options = {}) {
  Converted out;
  out.report = convert(
      profile, dependencies, options, out.findings,
      [&](const trace::chakra::MetadataRecord& metadata) -> Result<void> {
        out.metadata = metadata;
        return {};
      },
      [&](const trace::chakra::NodeRecord& node) -> Result<void> {
        out.nodes.push_back(node);
        return {};
      });
  return out;
}

inline const trace::chakra::AttributeRecord* attribute(const trace::chakra::NodeRecord& node,
                                                       std::string_view name) {
  for (const auto& attribute : node.attributes) {
    if (attribute.name == name) return &attribute;
  }
  return nullptr;
}
/// The value of a numeric attribute, or -99.
inline std::int64_t number(const trace::chakra::NodeRecord& node, std::string_view name) {
  const auto* found = attribute(node, name);
  return found == nullptr ? -99 : static_cast<std::int64_t>(found->bits);
}
inline std::string text(const trace::chakra::NodeRecord& node, std::string_view name) {
  const auto* found = attribute(node, name);
  return found == nullptr ? "(none)" : found->text;
}

}  // namespace orrery::intake::testing
