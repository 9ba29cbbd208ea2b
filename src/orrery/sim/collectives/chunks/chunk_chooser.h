// SPDX-License-Identifier: Apache-2.0
//
// Into how many chunks collectives are cut, and in which order each visits the dimensions, where
// the platform leaves that to a model.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "orrery/network/dimensions/multi_dim_fabric.h"
#include "orrery/platform/platform.h"
#include "orrery/sim/chunk_choice.h"
#include "orrery/sim/collectives/chunks/chunk_costs.h"
#include "orrery/sim/collectives/chunks/themis.h"

namespace orrery::sim {

/// `collectives: {order: best, chunks: auto}`. What is chosen depends on type, size and dimensions
/// alone, so that all ranks choose alike, whenever they are asked. Each kind is looked at by
/// itself: what else is on its way is not known. On a fabric, and where links are shared, phases
/// take what they take when all rings of a dimension run them at once (probe_phase). Bounds are of
/// dimensions; of a fabric there is none here.
class ChunkChooser {
 public:
  explicit ChunkChooser(const platform::Platform& platform);

  struct Chosen {
    std::int64_t chunks = 1;
    std::vector<std::vector<std::uint8_t>> orders;  ///< by chunk, logical dims; empty: as told
    ChunkChoice summary;
  };

  /// Whether there is anything to choose. Orrery rules.
  [[nodiscard]] bool wanted() const { return by_orders_ || by_count_; }
  /// For a collective of `size` as nodes state it, in topology `number`. Null: times of its phases
  /// are not known, or it has no bytes; then it goes as if nothing were to be chosen. The pointer
  /// stays valid.
  [[nodiscard]] const Chosen* choose(graph::CollectiveType type, std::int64_t size,
                                     std::uint32_t number, const model::LogicalTopology& topology);
  /// What phases take in each logical dimension, for Themis; `published`: with latencies. Where
  /// that is not known, as the dimensions' links have it.
  [[nodiscard]] const PhaseSpeeds& speeds(graph::CollectiveType type, std::uint32_t number,
                                          const model::LogicalTopology& topology, bool published);
  /// All that was chosen so far, by key().
  [[nodiscard]] std::vector<ChunkChoice> summary() const;

 private:
  struct Case;
  void probe(ChunkCosts& ways);
  [[nodiscard]] std::unique_ptr<Chosen> find(Case& what) const;
  [[nodiscard]] bool consider_all(Case& what, std::int64_t chunks) const;
  [[nodiscard]] std::optional<std::int64_t> plain_time(Case& what) const;
  [[nodiscard]] model::ChunkRules rules() const;
  void consider_themis(Case& what, bool published) const;
  [[nodiscard]] bool two_phase(graph::CollectiveType type) const;
  [[nodiscard]] ChunkChoice summary_of(Case& what) const;

  platform::Platform healthy_;
  model::MultiDimFabric fabric_;
  bool by_orders_ = false, by_count_ = false;
  std::map<std::tuple<graph::CollectiveType, std::int64_t, std::uint32_t>, std::unique_ptr<Chosen>>
      chosen_;  // null: not possible
  std::map<std::tuple<graph::CollectiveType, std::uint32_t, bool>, PhaseSpeeds> speeds_;
  std::map<std::tuple<std::uint32_t, platform::Algorithm, std::int64_t>,
           std::optional<ChunkCosts::Probed>>
      probed_;  // by dimension, algorithm and its window
};

/// Sorts by key() and drops what is there twice.
void sort_choices(std::vector<ChunkChoice>& all);

}  // namespace orrery::sim
