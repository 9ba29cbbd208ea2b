// SPDX-License-Identifier: Apache-2.0
//
// The share of an embedding table's lookups that hit a cache.
//
// The cache holds a number of rows and is empty at the begin of the batch, so the first lookup of
// each row misses. All formulas assume indices in random order.
#pragma once

#include <cstdint>
#include <span>

#include "orrery/model/embedding/reuse.h"

namespace orrery::model {

/// The formula of Lin et al.: the first `cached` lookups miss, all others hit with probability
/// cached / rows. If all read rows fit, every lookup except the first of each row hits. Source:
/// their code (ml_perf_model), section 4.2. The formula counts no hits while the cache fills. So it
/// is too low, by up to 13 percentage points, if this is a large part of the batch
/// (docs/embeddings.md).
[[nodiscard]] double lin_hits(std::int64_t rows, std::int64_t lookups, std::int64_t cached);

/// Like lin_hits(), but with hits while the cache fills: the exact mean for uniformly distributed
/// indices, whatever the replacement policy.
[[nodiscard]] double uniform_hits(std::int64_t rows, std::int64_t lookups, std::int64_t cached);

/// For an LRU cache and rows with known numbers of lookups. A lookup hits if the previous lookup of
/// its row is at most a window w ago (w: share of the batch). w is the window in which as many
/// different rows occur as the cache holds: Σ rows (1 - (1 - w)^times) = cached. Of the times - 1
/// gaps of a row, a share of 1 - (1 - w)^times is shorter than w. Source: Che, Tung, Wang,
/// "Hierarchical Web Caching Systems" (JSAC 2002), applied to a batch of finite length: gaps
/// between uniformly sampled points.
[[nodiscard]] double reuse_hits(std::span<const RowGroup> groups, std::int64_t cached);

/// Divides rows into frequently read rows and all others, so that the hits in caches of 256, 512 …
/// rows are closest to those of all groups.
[[nodiscard]] ReuseSummary summary_of(std::span<const RowGroup> groups);

/// The share of hits in an LRU cache of `cached` rows, simulated lookup by lookup. O(n log n).
[[nodiscard]] double simulated_hits(std::span<const std::int64_t> indices, std::int64_t cached);

}  // namespace orrery::model
