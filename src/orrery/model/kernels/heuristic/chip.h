// SPDX-License-Identifier: Apache-2.0
//
// The parts of the heuristic of kernel times, for its own files.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

#include "orrery/graph/kernel.h"
#include "orrery/model/embedding/lookup_traffic.h"
#include "orrery/model/kernels/heuristic/architecture.h"
#include "orrery/model/kernels/silicon.h"

namespace orrery::model {

inline constexpr double kMaxCore = 0.95;  ///< what A100s reach, which power does not hold back

/// A device as the formulas need it; what its data sheet does not say is assumed.
///
/// Long products of one architecture run as fast as power allows: what is drawn grows with the cube
/// of the clock (with the voltage squared, and that with the clock), so shares of the peak with the
/// cube root of watts for each FLOP/s, up to kMaxCore. Of the best bf16 products by
/// ml-engineering's table of achievable matmul (data sheets' watts): A100 PCIe by SXM 0.93 (0.91 by
/// this rule), MI325X by MI300X 1.17 (1.10).
struct Chip {
  const Silicon& silicon;
  Architecture figures;
  double processors;
  double clock;   ///< Hz
  double cache;   ///< bytes
  double memory;  ///< bytes/s

  /// Bytes/s of what has `bytes` in all and is used again and again, out of memory at `streamed`:
  /// more where the last-level cache holds it.
  [[nodiscard]] double rate_of(double bytes, double streamed) const;

  Chip(const Silicon& device, const Architecture& like);
};

/// A product C[m,n] += A[m,k] B[k,n], `count` times side by side.
struct Product {
  double count = 1;
  double m = 0, n = 0, k = 0;
  double bytes_a = 2;  ///< of one number of A and of B, scales of blocks included
  double bytes_b = 2;
  double bytes_out = 2;
  bool accumulates = false;
  bool grouped = false;
  bool batched = false;
  double rows_share = 1;  ///< of what memory streams at, where rows do not begin at 16 bytes
  double routed = 0;  ///< bytes moved around a grouped product whose rows were gathered from tokens
  double patches = 0;  ///< numbers of k that a convolution of few channels in patches runs over
  graph::Format format = graph::Format::bf16;
};

/// The product that a kernel is; one with count = 0 where it is none or its sizes are not said.
/// A grouped product has m rows a group.
[[nodiscard]] Product product_of(const graph::Kernel& kernel);

/// How many tiles, and how busy they keep the processors.
struct Tiling {
  double seconds = 0;  ///< of the arithmetic, launch excluded
  double tile_m = 0, tile_n = 0;
  double split = 1;  ///< of k
  double tiles = 0;
  double waves = 0;
};
/// Whether numbers of this format are multiplied in vector units.
[[nodiscard]] inline bool uses_vector_units(graph::Format format) {
  return format == graph::Format::fp32 || format == graph::Format::fp64;
}

/// The fastest way to cut the product on this chip. `rate`: FLOP/s of the whole chip.
[[nodiscard]] Tiling best_tiling(const Product& product, const Chip& chip, double rate);

/// FLOP/s that long products of this format reach; 0: nothing is known.
[[nodiscard]] double product_rate(graph::Format format, const Chip& chip);
/// FLOP/s in the format, by the data sheet; the nearest that it says. 0: it says none.
[[nodiscard]] double peak_for(graph::Format format, const Silicon& silicon);

/// Bytes of one number, scales of blocks included; `unsaid` as 16 bits.
[[nodiscard]] double bytes_each(graph::Format format);

/// The rows in which a kernel's numbers lie. Where nobody says how long they are: 4,096 numbers, or
/// all of them.
struct Rows {
  double count = 1, length = 1;
  bool said = false;
};
[[nodiscard]] Rows rows_of(const graph::Kernel& kernel);
/// Share of what memory streams at that kernels reach on rows of so many numbers, which are read
/// one by one where rows do not begin at whole 16 bytes.
[[nodiscard]] double share_of_rows(double length, graph::Format format);

/// An attention's sizes, all of them: where none is said, what it usually is.
struct AttentionSizes {
  double batch, heads, kv_heads, queries, keys, key_dim, value_dim, window;
  bool causal;
  double width_q, width_kv;  ///< bytes of one number

  /// Keys and values are no equally long heads (DeepSeek's): of 192 and 128 numbers, or absorbed.
  [[nodiscard]] bool is_latent() const { return key_dim != value_dim; }
  /// One head of keys for all, the first numbers of which are the values.
  [[nodiscard]] bool shares_values() const { return kv_heads == 1 && key_dim > value_dim; }
};
[[nodiscard]] AttentionSizes attention_sizes(const graph::Kernel& kernel);
/// Seconds of one query a sequence to keys that are their own values. `peak`: FLOP/s.
[[nodiscard]] double latent_decode_seconds(const AttentionSizes& is, double peak, const Chip& chip);

/// Seconds of one launch; 0: cannot be said.
[[nodiscard]] double product_seconds(const Product& product, const Chip& chip);
[[nodiscard]] double attention_seconds(const graph::Kernel& kernel, const Chip& chip);
[[nodiscard]] double memory_bound_seconds(const graph::Kernel& kernel, double bytes, double flops,
                                          const Chip& chip);

/// What an embedding_bag of known sizes looks up in one launch.
[[nodiscard]] std::optional<Lookup> lookup_of(const graph::Kernel& kernel);
[[nodiscard]] LookupDevice lookup_device(const Chip& chip);
/// What the last-level cache answers of it.
struct LookupHits {
  double share = 0;
  std::int64_t cached = 0;  ///< rows of a table that there is room for
  bool from_reuse = false;  ///< the kernel says how many rows are different; else indices are even
};
[[nodiscard]] LookupHits lookup_hits(const graph::Kernel& kernel, const Lookup& lookup,
                                     const LookupDevice& device);
/// … 0: not all sizes are known.
[[nodiscard]] double lookup_seconds(const graph::Kernel& kernel, const Chip& chip);

/// Seconds of all launches; 0: cannot be said.
[[nodiscard]] double heuristic_seconds(const graph::Kernel& kernel, const Chip& chip);

inline double one_or_more(std::int64_t size) { return size > 0 ? static_cast<double>(size) : 1.0; }

}  // namespace orrery::model
