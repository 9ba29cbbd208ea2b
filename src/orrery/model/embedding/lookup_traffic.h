// SPDX-License-Identifier: Apache-2.0
//
// What a lookup of pooled embeddings moves, and how long that takes: Lin et al.'s heuristic.
//
// Source: Lin et al., "Towards Universal Performance Modeling for Machine Learning Training on
// Multi-GPU Platforms" (TPDS 2024) section 4.2 and their code (ml_perf_model). One warp sums up one
// bag; transfers are in sectors of 32 bytes.
#pragma once

#include <cstdint>

#include "orrery/model/collective/curves/lin_curve.h"

namespace orrery::model {

/// So many tables alike, looked up by one kernel.
struct Lookup {
  std::int64_t tables = 1, batch = 1, pooling = 1, rows = 1, features = 1;
  std::int64_t number_bytes = 4;  ///< of a weight
  std::int64_t index_bytes = 4;   ///< Lin's; 8 in PyTorch

  /// Of one table in one batch.
  [[nodiscard]] std::int64_t lookups() const { return batch * pooling; }
};

/// What the heuristic knows of a device.
struct LookupDevice {
  std::int64_t processors = 0;
  double cache = 0;       ///< bytes of the last level
  double cache_rate = 0;  ///< GB/s
  double peak = 0;        ///< GFLOP/s, fp32
  LinCurve memory;
  std::int64_t warps_each = 45;  ///< on one processor at a time: FBGEMM's
};

/// Rows of one table that the cache has room for: nine tenths of it, shared by the tables that are
/// worked on at a time, ⌈processors · warps_each / batch⌉ (more than there are, too), and no more
/// than the table has or the batch reads.
[[nodiscard]] std::int64_t cached_rows(const Lookup& lookup, const LookupDevice& device);

/// Bytes from memory and from the cache.
struct LookupTraffic {
  double memory = 0, cache = 0;
};
/// `hits`: the share of lookups that the cache answers. Each warp reads the table's place (32
/// bytes), offsets (64) and indices, rows, and writes their sum.
[[nodiscard]] LookupTraffic forward_traffic(const Lookup& lookup, double hits);
/// Of a backward pass that updates rows at once (SGD): rows are read and written.
[[nodiscard]] double backward_bytes(const Lookup& lookup);

/// By how much narrow rows are slower: 1 beyond 64 numbers, 1.1 to 64, 1.55 to 32.
[[nodiscard]] double narrow_factor(std::int64_t features);

/// Microseconds.
[[nodiscard]] double forward_us(const Lookup& lookup, double hits, const LookupDevice& device);
[[nodiscard]] double backward_us(const Lookup& lookup, const LookupDevice& device);

/// The chance that all rows of a bag are in a cache of `cached` rows: Π (cached - i) / (rows - i),
/// i < pooling. Lin's form of the backward pass with a cache.
[[nodiscard]] double bag_hits(const Lookup& lookup, std::int64_t cached);

}  // namespace orrery::model
