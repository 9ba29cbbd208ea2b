// SPDX-License-Identifier: Apache-2.0
//
// What devices of one architecture have in common, as the heuristic of kernel times needs it.
#pragma once

#include "orrery/model/kernels/silicon.h"

namespace orrery::model {

/// A few figures of one architecture. Times are seconds; shares are of what the data sheet says.
/// Source: medians of public tables of measured kernels (data/kernels/README.md), rounded; figures
/// of an architecture without tables are those of its nearest neighbour.
struct Architecture {
  // Products of matrices.
  double launch;          ///< a kernel that does next to nothing
  double ramp;            ///< until memory streams
  double wave;            ///< a tile's beginning and end: its first load, its last store
  double core;            ///< share of the peak in a long loop over k, 16 bits (power included)
  double core8;           ///< … 8 bits
  double core4;           ///< … 4 bits
  double simt;            ///< … fp32 in vector units
  double stream;          ///< share of the memory's rate
  double feed;            ///< bytes a clock and processor that tiles are fed with
  double feed_narrow;     ///< share of `feed` that kernels for 8 and 4 bits reach
  double launch8;         ///< what fp8 with one scale a tensor adds to `launch`
  double launch8_block;   ///< … fp8 with scales of blocks
  double launch4;         ///< … fp4 with scales of blocks
  double launch_batched;  ///< … a batch of products in matrix units
  // Attention.
  double prefill_launch;
  double prefill;   ///< share of the peak that its products reach, the softmax between them apart
  double backward;  ///< … those of the backward pass (data/kernels/attention.csv; 0.78 of
                    ///< `prefill` where nothing is published)
  double prefill_block;  ///< a block of queries' beginning and end, where no other block hides it
  double decode_launch;
  double decode;        ///< share of the memory's rate
  double decode_split;  ///< share of the processors that have to be busy to reach it
  double decode_turn;   ///< for each doubling of the keys beyond 256
  double decode_wave;   ///< for each (sequence, head) a processor works on
  double latent;        ///< `decode` of latent attention; 0: its kernels walk through all keys
  // Everything else.
  double small;      ///< launch of a kernel that only moves numbers
  double moving;     ///< share of the memory's rate for large ones
  double cached;     ///< bytes a clock and processor from the last-level cache
  bool measured;     ///< tables of this architecture exist
  double watts = 0;  ///< for each TFLOP/s in 16 bits that the measured device may draw (see Chip);
                     ///< 0: others are not told apart by their power
};

/// The figures of the silicon's architecture; by the data sheet alone where it is not named.
[[nodiscard]] const Architecture& architecture_of(const Silicon& silicon);

/// Round figures for any device, launches as so many cycles of its clock: what a device that nobody
/// measured is predicted from, and what those that were measured are compared with to learn it.
[[nodiscard]] Architecture general_architecture(const Silicon& silicon);

}  // namespace orrery::model
