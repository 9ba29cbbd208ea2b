// SPDX-License-Identifier: Apache-2.0
//
// The share of an embedding table's lookups that a cache answers.
//
// The cache holds a number of rows and is empty when the batch begins; each row's first lookup
// misses. All formulas are for indices in random order.
#pragma once

#include <cstdint>
#include <span>

#include "orrery/model/embedding/reuse.h"

namespace orrery::model {

/// Lin et al.'s: the first `cached` lookups miss, the others hit with probability cached / rows;
/// where all rows that are read fit, every lookup but the first of each row hits. Source: their
/// code (ml_perf_model), section 4.2. It counts no hit while the cache fills, so it is too low
/// where that is much of the batch: by up to 13 points (docs/embeddings.md).
[[nodiscard]] double lin_hits(std::int64_t rows, std::int64_t lookups, std::int64_t cached);

/// The same with the hits while the cache fills: exact in the mean for evenly distributed indices,
/// whatever row is replaced.
[[nodiscard]] double uniform_hits(std::int64_t rows, std::int64_t lookups, std::int64_t cached);

/// For rows that are known by how often they are read, the least recently used one being replaced.
/// A row hits when its last lookup is at most a window w ago; in a window of that share of the
/// batch there are as many different rows as the cache holds: Σ rows (1 - (1 - w)^times) = cached,
/// and of the times - 1 gaps of a row a share of 1 - (1 - w)^times is shorter. Source: Che, Tung,
/// Wang, "Hierarchical Web Caching Systems" (JSAC 2002), for a batch that ends: gaps between points
/// drawn evenly.
[[nodiscard]] double reuse_hits(std::span<const RowGroup> groups, std::int64_t cached);

/// Parts rows into those that are read often and the others, so that hits in caches of 256,
/// 512 … rows are nearest to those of all groups.
[[nodiscard]] ReuseSummary summary_of(std::span<const RowGroup> groups);

/// The share of hits in a cache of the `cached` rows used last, lookup by lookup. O(n log n).
[[nodiscard]] double simulated_hits(std::span<const std::int64_t> indices, std::int64_t cached);

}  // namespace orrery::model
