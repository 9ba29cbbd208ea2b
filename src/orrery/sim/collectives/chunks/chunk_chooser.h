// SPDX-License-Identifier: Apache-2.0
//
// Chooses the number of chunks of collectives, and the order of dimensions of each chunk, where the
// platform leaves this to a model.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "orrery/network/dimensions/multi_dim_fabric.h"
#include "orrery/platform/platform.h"
#include "orrery/sim/chunk_choice.h"
#include "orrery/sim/collectives/chunks/chunk_costs.h"
#include "orrery/sim/collectives/chunks/themis.h"

namespace orrery::sim {

/// Implements `collectives: {order: best, chunks: auto}`. The choice depends only on type, size and
/// dimensions, so that all ranks make the same choice at any time. The model optimizes each kind of
/// collective alone, without other traffic. On a fabric, and where links are shared, a phase lasts
/// as long as if all rings of a dimension ran it concurrently (probe_phase). Lower bounds exist for
/// dimensions only, not for fabrics.
class ChunkChooser {
 public:
  explicit ChunkChooser(const platform::Platform& platform);

  struct Selection {
    std::int64_t chunks = 1;
    std::vector<std::vector<std::uint8_t>> orders;  ///< by chunk, logical dims; empty: unchanged
    ChunkChoice summary;
  };

  /// Whether the platform requests a choice (Orrery rules only).
  [[nodiscard]] bool is_requested() const { return by_orders_ || by_count_; }
  /// The choice for a collective of `size`, as stated by nodes, in topology `number`. Null if phase
  /// times are unknown or the collective has no bytes; then the default order and number of chunks
  /// apply. The pointer stays valid.
  [[nodiscard]] const Selection* choose(graph::CollectiveType type, std::int64_t size,
                                        std::uint32_t number,
                                        const model::LogicalTopology& topology);
  /// Speeds of phases in each logical dimension, for Themis; `published`: with latencies. Without
  /// bandwidths if they are unknown; then those of the dimensions' links apply.
  [[nodiscard]] const PhaseSpeeds& speeds(graph::CollectiveType type, std::uint32_t number,
                                          const model::LogicalTopology& topology, bool published);
  /// Collectives with a choice: type, size and topology number.
  using Key = std::tuple<graph::CollectiveType, std::int64_t, std::uint32_t>;
  [[nodiscard]] std::vector<Key> chosen() const {
    std::vector<Key> keys;
    for (const auto& [key, selection] : chosen_) keys.push_back(key);
    return keys;
  }
  /// All choices so far, by key().
  [[nodiscard]] std::vector<ChunkChoice> summary() const;

 private:
  struct Case;
  void probe(ChunkCosts& chunk_costs);
  [[nodiscard]] std::unique_ptr<Selection> find(Case& what) const;
  [[nodiscard]] bool consider_orders(Case& what, std::int64_t chunks) const;
  [[nodiscard]] std::optional<std::int64_t> natural_time(Case& what) const;
  [[nodiscard]] model::ChunkRules rules() const;
  void consider_themis(Case& what, bool published) const;
  [[nodiscard]] bool is_two_phase(graph::CollectiveType type) const;
  [[nodiscard]] ChunkChoice summary_of(Case& what) const;

  platform::Platform healthy_;
  model::MultiDimFabric fabric_;
  bool by_orders_ = false, by_count_ = false;
  std::map<Key, std::unique_ptr<Selection>> chosen_;  // null: not possible
  std::map<std::tuple<graph::CollectiveType, std::uint32_t, bool>, PhaseSpeeds> speeds_;
  std::map<std::tuple<std::uint32_t, platform::Algorithm, std::int64_t>,
           std::optional<ChunkCosts::Probed>>
      probed_;  // by dimension, algorithm and its window
};

/// Sorts by key() and removes duplicates.
void sort_choices(std::vector<ChunkChoice>& all);

}  // namespace orrery::sim
