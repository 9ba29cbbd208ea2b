// SPDX-License-Identifier: Apache-2.0
//
// Bytes and duration of a lookup of pooled embeddings: Lin et al.'s heuristic.
//
// Source: Lin et al., "Towards Universal Performance Modeling for Machine Learning Training on
// Multi-GPU Platforms" (TPDS 2024) section 4.2 and their code (ml_perf_model). One warp sums up one
// bag; transfers are in sectors of 32 bytes.
#pragma once

#include <cstdint>

#include "orrery/model/collective/curves/lin_curve.h"

namespace orrery::model {

/// `tables` identical tables that one kernel looks up.
struct Lookup {
  std::int64_t tables = 1, batch = 1, pooling = 1, rows = 1, features = 1;
  std::int64_t number_bytes = 4;  ///< of a weight
  std::int64_t index_bytes = 4;   ///< Lin's; 8 in PyTorch

  /// Number of lookups of one table in one batch.
  [[nodiscard]] std::int64_t lookups() const { return batch * pooling; }
};

/// The properties of a device that the heuristic uses.
struct LookupDevice {
  std::int64_t processors = 0;
  double cache = 0;       ///< bytes of the last-level cache
  double cache_rate = 0;  ///< GB/s
  double peak = 0;        ///< GFLOP/s, fp32
  LinCurve memory;
  std::int64_t warps_each = 45;  ///< concurrent warps per processor, as in FBGEMM
};

/// Number of rows of one table that fit into the cache. Concurrent tables,
/// ⌈processors · warps_each / batch⌉ (possibly more than exist), share 90 % of the cache. The
/// result is at most the number of rows of the table and of lookups in the batch.
[[nodiscard]] std::int64_t cached_rows(const Lookup& lookup, const LookupDevice& device);

/// Bytes read from memory and from the cache.
struct LookupTraffic {
  double memory = 0, cache = 0;
};
/// Traffic of a forward pass. `hits`: the share of lookups that hit the cache. Each warp reads the
/// address of the table (32 bytes), offsets (64), indices and rows, and writes their sum.
[[nodiscard]] LookupTraffic forward_traffic(const Lookup& lookup, double hits);
/// Bytes of a backward pass that updates rows immediately (SGD): rows are read and written.
[[nodiscard]] double backward_bytes(const Lookup& lookup);

/// Slowdown of narrow rows: 1 above 64 numbers, 1.1 from 33 to 64, 1.55 up to 32.
[[nodiscard]] double narrow_factor(std::int64_t features);

/// Durations in microseconds.
[[nodiscard]] double forward_us(const Lookup& lookup, double hits, const LookupDevice& device);
[[nodiscard]] double backward_us(const Lookup& lookup, const LookupDevice& device);

/// The probability that all rows of a bag are in a cache of `cached` rows: Π (cached - i) /
/// (rows - i), i < pooling. Lin et al. use it for the backward pass with a cache.
[[nodiscard]] double bag_hits(const Lookup& lookup, std::int64_t cached);

}  // namespace orrery::model
