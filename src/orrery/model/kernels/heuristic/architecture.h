// SPDX-License-Identifier: Apache-2.0
//
// Constants of each architecture for the heuristic of kernel times.
#pragma once

#include "orrery/model/kernels/silicon.h"

namespace orrery::model {

/// The figures of one architecture. Times are seconds; shares are relative to the data sheet.
/// Source: medians of public tables of measured kernels (data/kernels/README.md), rounded. An
/// architecture without tables has the figures of its nearest neighbor.
struct Architecture {
  // Matrix products.
  double launch;          ///< duration of an almost empty kernel
  double ramp;            ///< time until memory streams at full rate
  double wave;            ///< begin and end of a tile: its first load, its last store
  double core;            ///< share of the peak in a long loop over k, 16 bits (including power)
  double core8;           ///< … 8 bits
  double core8_block;     ///< … 8 bits with block scales
  double core4;           ///< … 4 bits
  double simt;            ///< … fp32 in vector units
  double stream;          ///< share of the memory bandwidth
  double feed;            ///< bytes per clock and processor that are loaded for tiles
  double feed_narrow;     ///< share of `feed` that kernels for 8 and 4 bits reach
  double launch8;         ///< added to `launch` for fp8 with one scale per tensor
  double launch8_block;   ///< … for fp8 with block scales
  double launch4;         ///< … for fp4 with block scales
  double launch_batched;  ///< … for a batch of products in matrix units
  // Attention.
  double prefill_launch;
  double prefill;    ///< share of the peak that its products reach, without the softmax
  double backward;   ///< … in the backward pass (data/kernels/attention.csv; 0.78 of `prefill` if
                     ///< nothing is published)
  double backward8;  ///< … with 8 bits, which reads its operands a second time, transposed
  double overlapped;  ///< … forward, in kernels that compute the products of one block of queries
                      ///< during the exponentials of another (see attention_seconds); 0: unknown
  double prefill_rows;   ///< queries of one tile
  double prefill_block;  ///< begin and end of a block of queries that no other block hides
  double decode_launch;
  double decode;        ///< share of the memory bandwidth
  double repeated;      ///< bytes per clock and processor of operands that stay in the last-level
                        ///< cache, in tables that repeat an attention; 0: they came from memory
  double decode_split;  ///< share of the processors that must be busy to reach it
  double decode_turn;   ///< time per doubling of the keys beyond 256
  double decode_wave;   ///< time per (sequence, head) on one processor
  double latent;        ///< `decode` of latent attention; 0: each block visits all keys
  // All other kernels.
  double small;              ///< launch of a kernel that only moves numbers
  double moving;             ///< share of the memory bandwidth for large kernels of this kind
  double cached;             ///< bytes per clock and processor from the last-level cache
  double attention_limited;  ///< 1: power also limits attention (see Chip)
  bool measured;             ///< whether tables of this architecture exist
  double watts = 0;  ///< power of the measured device per TFLOP/s in 16 bits (see Chip); 0: power
                     ///< does not distinguish devices
};

/// The figures of the silicon's architecture. If it is not named, they follow from the data sheet.
[[nodiscard]] const Architecture& architecture_of(const Silicon& silicon);

/// Rounded figures for any device, with launches in cycles of its clock. They are the basis of
/// predictions for unmeasured devices, and the reference for measured devices in fits.
[[nodiscard]] Architecture general_architecture(const Silicon& silicon);

}  // namespace orrery::model
