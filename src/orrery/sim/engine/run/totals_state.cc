// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>
#include <string_view>

#include "orrery/sim/engine/run/lookup_cache.h"

namespace orrery {

namespace {

/// The permanent text of a key of sim::Totals.
std::optional<std::string_view> key_named(const std::string& text) {
  if (const auto type = collective_type(text)) return name(*type);
  for (const graph::NodeKind kind : {graph::NodeKind::send, graph::NodeKind::recv})
    if (graph::name(kind) == text) return graph::name(kind);
  return std::nullopt;
}

}  // namespace

void StateOf<sim::Totals>::save(StateWriter& to, const sim::Totals& totals) {
  to(static_cast<std::uint64_t>(totals.size()));
  for (const auto& [key, total] : totals) to(std::string(key.first), key.second, total);
}

void StateOf<sim::Totals>::load(StateReader& from, sim::Totals& totals) {
  totals.clear();
  for (std::size_t left = from.count(); left > 0 && !from.failed(); --left) {
    const auto known = key_named(from.take<std::string>());
    const auto members = from.take<std::uint32_t>();
    from.require(known.has_value());
    if (!from.failed()) from(totals[{*known, members}]);
  }
}

}  // namespace orrery
