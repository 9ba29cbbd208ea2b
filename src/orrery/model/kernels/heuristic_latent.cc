// SPDX-License-Identifier: Apache-2.0
//
// Latent attention's decode: one head of keys for all heads of queries, the first numbers of which
// are the values. Source of all figures: AIConfigurator's tables of latent attention
// (TensorRT-LLM), 7 GPUs; round figures, of kernels that are not held back.
#include <algorithm>
#include <cmath>

#include "orrery/model/kernels/chip.h"
#include "orrery/model/kernels/exact_math.h"

namespace orrery::model {
namespace {

/// A block of threads has the queries of so many heads of one sequence, whether they are there or
/// not, and so many keys at a time.
constexpr double kBlockHeads = 64, kBlockKeys = 64;

/// Kernels that share keys among processors, as other decode does: what they take to begin beyond
/// that, and the share of the peak that their products reach.
constexpr double kSharedLaunch = 1.5e-6, kSharedPeak = 0.6;

/// Kernels whose blocks walk through all keys of their sequence: what they take to begin beyond
/// prefill, a tile's clocks besides multiplying and loading, and how many times as long a tile
/// takes where more blocks than so many work side by side.
constexpr double kWalkLaunch = 1e-6, kWalkTurn = 3000, kWalkCrowd = 32, kWalkCrowded = 1.55;

double walking_seconds(const AttentionSizes& is, double keys, double blocks, double peak,
                       const Chip& chip) {
  const Architecture& figures = chip.figures;
  const double flops = 2 * kBlockHeads * kBlockKeys * (is.key_dim + is.value_dim);
  const double multiplying = peak > 0 ? flops * chip.processors / peak : 0;
  const double loading = kBlockKeys * is.key_dim * is.width_kv / (figures.feed * chip.clock);
  double tile = multiplying + loading + kWalkTurn / chip.clock;
  if (blocks > kWalkCrowd) tile *= kWalkCrowded;
  const double waves = std::ceil(blocks / chip.processors);
  return figures.prefill_launch + kWalkLaunch + waves * std::ceil(keys / kBlockKeys) * tile;
}

}  // namespace

double latent_decode_seconds(const AttentionSizes& is, double peak, const Chip& chip) {
  const Architecture& figures = chip.figures;
  const double keys = is.window > 0 ? std::min(is.window, is.keys) : is.keys;
  const double blocks = is.batch * std::ceil(is.heads / kBlockHeads);
  if (!(figures.latent > 0)) return walking_seconds(is, keys, blocks, peak, chip);
  const double width = is.key_dim + is.value_dim;
  const double rate = chip.memory * figures.latent;
  const double parts = is.batch * std::ceil(keys / 256);
  const double busy = std::min(1.0, parts / (chip.processors * figures.decode_split));
  const double loading = is.batch * keys * is.key_dim * is.width_kv / (rate * busy);
  const double multiplying =
      peak > 0 ? 2 * is.batch * is.heads * keys * width / (peak * kSharedPeak) : 0;
  return figures.decode_launch + kSharedLaunch + std::max(loading, multiplying) +
         is.batch * is.heads * width * is.width_q / rate +
         figures.decode_turn * exact_log2(1 + keys / 256) +
         figures.decode_wave * blocks / chip.processors;
}

}  // namespace orrery::model
