// SPDX-License-Identifier: Apache-2.0
//
// Shared parts of the heuristic of kernel times. Private to this folder.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

#include "orrery/graph/kernel.h"
#include "orrery/model/embedding/lookup_traffic.h"
#include "orrery/model/kernels/heuristic/architecture.h"
#include "orrery/model/kernels/silicon.h"

namespace orrery::model {

inline constexpr double kMaxCore = 0.95;  ///< share of A100s, which power does not limit
/// … in attention: that of an RTX PRO 6000, whose matrix units are fed as those of Ada.
inline constexpr double kMaxAttention = 0.67;

/// The properties of a device that the formulas use. Values that its data sheet lacks are assumed.
///
/// Power limits long products of one architecture. Power grows with the cube of the clock (with the
/// clock and the square of the voltage, which grows with the clock). So the share of the peak grows
/// with the cube root of watts per FLOP/s, up to kMaxCore. Ratios of the best bf16 products in
/// ml-engineering's table of achievable matmul (watts of data sheets): A100 PCIe / SXM 0.93 (0.91
/// by this rule), MI325X / MI300X 1.17 (1.10).
struct Chip {
  const Silicon& silicon;
  Architecture figures;
  double processors;
  double clock;   ///< Hz
  double cache;   ///< bytes
  double memory;  ///< bytes/s

  /// Rate in bytes/s for data of `bytes` in total that is used repeatedly. `streamed`: its rate
  /// from memory. The rate is higher if the last-level cache holds the data.
  [[nodiscard]] double rate_of(double bytes, double streamed) const;

  Chip(const Silicon& device, const Architecture& like);
};

/// Rate of `moved` bytes of operands. `streamed`: their rate from memory. It is higher if the
/// tables of the architecture repeat a kernel whose operands stay in the cache
/// (Architecture::repeated).
[[nodiscard]] double operand_rate(double moved, double streamed, const Chip& chip);

/// `count` independent products C[m,n] += A[m,k] B[k,n].
struct Product {
  double count = 1;
  double m = 0, n = 0, k = 0;
  double bytes_a = 2;  ///< bytes per number of A (bytes_b: of B), including block scales
  double bytes_b = 2;
  double bytes_out = 2;
  bool accumulates = false;
  bool grouped = false;
  bool batched = false;
  double rows_share = 1;  ///< share of the memory bandwidth; < 1: rows not aligned to 16 bytes
  double routed = 0;      ///< bytes moved around a grouped product to gather rows from tokens
  double patches = 0;     ///< padded k of a convolution that cuts few channels into patches
  graph::Format format = graph::Format::bf16;
};

/// The product that a kernel computes. count = 0: it computes none, or its sizes are unknown. A
/// grouped product has m rows per group.
[[nodiscard]] Product product_of(const graph::Kernel& kernel);

/// A partition of a product into tiles, and its time.
struct Tiling {
  double seconds = 0;  ///< without the launch
  double tile_m = 0, tile_n = 0;
  double split = 1;  ///< number of parts of k
  double tiles = 0;
  double waves = 0;
};
/// Whether vector units multiply numbers of this format.
[[nodiscard]] inline bool uses_vector_units(graph::Format format) {
  return format == graph::Format::fp32 || format == graph::Format::fp64;
}

/// The fastest tiling of the product on this chip. `rate`: FLOP/s of the complete chip.
[[nodiscard]] Tiling best_tiling(const Product& product, const Chip& chip, double rate);

/// FLOP/s that long products of this format reach. 0: unknown.
[[nodiscard]] double product_rate(graph::Format format, const Chip& chip);
/// Peak FLOP/s in the format by the data sheet, or in the nearest format with a peak. 0: it
/// contains no peak.
[[nodiscard]] double peak_for(graph::Format format, const Silicon& silicon);

/// Bytes per number, including block scales; `unsaid` counts as 16 bits.
[[nodiscard]] double bytes_each(graph::Format format);

/// The rows of a kernel's numbers. The default length is 4,096 numbers, or all if there are fewer.
struct Rows {
  double count = 1, length = 1;
  bool is_known = false;
};
[[nodiscard]] Rows rows_of(const graph::Kernel& kernel);
/// Share of the streaming rate that kernels reach on rows of `length` numbers. It is below 1 if
/// rows are not aligned to 16 bytes, because their numbers are read one by one.
[[nodiscard]] double share_of_rows(double length, graph::Format format);

/// All sizes of an attention; unknown sizes have usual values.
struct AttentionSizes {
  double batch, heads, kv_heads, queries, keys, key_dim, value_dim, window;
  bool causal;
  double width_q, width_kv;  ///< bytes per number

  /// Whether heads of keys and values have different lengths, as in DeepSeek's models: 192 and 128
  /// numbers, or absorbed.
  [[nodiscard]] bool is_latent() const { return key_dim != value_dim; }
  /// Whether all heads share one head of keys whose first numbers are the values.
  [[nodiscard]] bool shares_values() const { return kv_heads == 1 && key_dim > value_dim; }
};
[[nodiscard]] AttentionSizes attention_sizes(const graph::Kernel& kernel);
/// Whether the kernel is a forward pass of several queries that does not write its keys into a
/// cache: the kernel of a training step.
[[nodiscard]] bool is_training_attention(const graph::Kernel& kernel);
/// Seconds of a decode with one query per sequence, if keys contain the values. `peak`: FLOP/s.
[[nodiscard]] double latent_decode_seconds(const AttentionSizes& is, double peak, const Chip& chip);

/// Seconds of one launch. 0: unknown.
[[nodiscard]] double product_seconds(const Product& product, const Chip& chip);
[[nodiscard]] double attention_seconds(const graph::Kernel& kernel, const Chip& chip);
[[nodiscard]] double memory_bound_seconds(const graph::Kernel& kernel, double bytes, double flops,
                                          const Chip& chip);

/// The lookup of one launch of an embedding_bag. Empty: its sizes are unknown.
[[nodiscard]] std::optional<Lookup> lookup_of(const graph::Kernel& kernel);
[[nodiscard]] LookupDevice lookup_device(const Chip& chip);
/// Hits of a lookup in the last-level cache.
struct LookupHits {
  double share = 0;
  std::int64_t cached = 0;  ///< rows of a table that fit into the cache
  bool from_reuse = false;  ///< true: from the kernel's number of different rows; false: uniform
};
[[nodiscard]] LookupHits lookup_hits(const graph::Kernel& kernel, const Lookup& lookup,
                                     const LookupDevice& device);
/// Seconds of one launch of a lookup. 0: not all sizes are known.
[[nodiscard]] double lookup_seconds(const graph::Kernel& kernel, const Chip& chip);

/// Seconds of all launches. 0: unknown.
[[nodiscard]] double heuristic_seconds(const graph::Kernel& kernel, const Chip& chip);

inline double one_or_more(std::int64_t size) { return size > 0 ? static_cast<double>(size) : 1.0; }

}  // namespace orrery::model
