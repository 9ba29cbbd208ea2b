// SPDX-License-Identifier: Apache-2.0
//
// Caches for frequent lookups of the engine.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "orrery/core/state/state_reader.h"
#include "orrery/core/state/state_writer.h"
#include "orrery/graph/graph.h"
#include "orrery/sim/engine/state/communicators.h"
#include "orrery/sim/sim_result.h"

namespace orrery::sim {

/// Key: type, group size.
using Totals = std::map<std::pair<std::string_view, std::uint32_t>, CollectiveTotal>;

/// Caches recent lookups of totals. `totals` can grow, but entries must not be removed.
class TotalsCache {
 public:
  [[nodiscard]] CollectiveTotal& of(Totals& totals, graph::CollectiveType type,
                                    std::uint32_t members) {
    Last& last = last_[static_cast<std::size_t>(type) % last_.size()];
    if (last.total != nullptr && last.members == members && last.type == type) return *last.total;
    CollectiveTotal& total = totals[{graph::name(type), members}];
    last = {members, type, &total};
    return total;
  }
  /// The total of sends, or of receives.
  [[nodiscard]] CollectiveTotal& of(Totals& totals, graph::NodeKind kind) {
    CollectiveTotal*& total = messages_[kind == graph::NodeKind::send ? 0 : 1];
    if (total == nullptr) total = &totals[{graph::name(kind), 2}];
    return *total;
  }

 private:
  struct Last {
    std::uint32_t members = 0;
    graph::CollectiveType type = graph::CollectiveType::unknown;
    CollectiveTotal* total = nullptr;
  };
  std::array<Last, 16> last_;
  std::array<CollectiveTotal*, 2> messages_{};
};

/// Caches which communicators the names of groups denote.
class MeaningCache {
 public:
  [[nodiscard]] Communicators::Meaning of(const Communicators& communicators,
                                          const graph::Graph& graph, StringId group) {
    // The slot depends on an address; the result does not.
    const auto place = static_cast<std::uint32_t>(group) ^
                       static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(&graph) >> 4);
    Last& last = last_[place % last_.size()];
    if (last.graph != &graph || last.group != group)
      last = {&graph, group, communicators.meaning(graph.string(group))};
    return last.meaning;
  }

 private:
  struct Last {
    const graph::Graph* graph = nullptr;
    StringId group = StringId::empty;
    Communicators::Meaning meaning;
  };
  std::array<Last, 256> last_;
};

}  // namespace orrery::sim

namespace orrery {

/// Names are written as text; those of a type or of messages stay valid.
template <>
struct StateOf<sim::Totals> {
  static void save(StateWriter& to, const sim::Totals& totals);
  static void load(StateReader& from, sim::Totals& totals);
};

}  // namespace orrery
