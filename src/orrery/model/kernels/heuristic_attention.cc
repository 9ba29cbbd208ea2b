// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "orrery/model/kernels/chip.h"
#include "orrery/model/kernels/exact_math.h"

namespace orrery::model {
namespace {

constexpr double kTile = 128;  // queries and keys of one tile
/// Exponentials a clock and processor. Source: CUDA C++ Programming Guide, throughput of native
/// arithmetic instructions: 16 for all architectures here but Blackwell Ultra, whose were doubled
/// (NVIDIA, "Inside NVIDIA Blackwell Ultra"; heads of 64 take a B300 1.36 times less than a B200).
double exponentials_of(const Silicon& silicon) {
  return silicon.architecture.ends_with("-ultra") ? 32 : 16;
}
/// A tile's row of keys costs at least so much each, whatever its head size.
constexpr double kLeastTile = 0.4e-6;
/// The backward pass has five products where the forward one has two, and reaches a share of its
/// rate. Source: FlashAttention-2 (Dao, 2023), table of backward speeds: about four fifths.
constexpr double kBackwardFlops = 2.5, kBackwardRate = 0.8;

struct Sizes {
  double batch, heads, kv_heads, queries, keys, key_dim, value_dim, window;
  bool causal;
};

Sizes sizes_of(const graph::Kernel& kernel) {
  const auto at = [&](std::size_t i) { return at_least_one(kernel.sizes[i]); };
  const double launches = std::max<double>(1, kernel.launches);
  Sizes is{at(0) / launches,
           at(1),
           at(2),
           at(3),
           at(4),
           at(5),
           at(6),
           static_cast<double>(kernel.sizes[7]),
           kernel.has(graph::kCausal)};
  if (kernel.sizes[2] <= 0) is.kv_heads = is.heads;
  if (kernel.sizes[4] <= 0) is.keys = is.queries;
  if (kernel.sizes[6] <= 0) is.value_dim = is.key_dim;
  return is;
}

double moved_by(const Sizes& is, double keys, double width_q, double width_kv) {
  return is.batch * (is.heads * is.queries * (is.key_dim + is.value_dim) * width_q +
                     is.kv_heads * keys * (is.key_dim + is.value_dim) * width_kv);
}

/// Tiles of one head that hold anything.
double tiles_of(const Sizes& is) {
  const double rows = std::ceil(is.queries / kTile);
  const double span = is.window > 0 ? std::min(is.window + kTile, is.keys) : is.keys;
  const double columns = std::ceil(span / kTile);
  if (!is.causal || is.window > 0) return rows * columns;
  // The last query sees all keys, each row of tiles before it one tile less.
  return std::max(rows * columns - rows * (rows - 1) / 2, rows);
}

/// Latent attention's decode: one head of keys for all, the first numbers of which are the values.
bool shares_values(const Sizes& is) { return is.kv_heads == 1 && is.key_dim > is.value_dim; }

double decode_seconds(const Sizes& is, double width_q, double width_kv, double rate,
                      const Chip& chip) {
  const Architecture& figures = chip.figures;
  const double keys = is.window > 0 ? std::min(is.window, is.keys) : is.keys;
  double moved = moved_by(is, keys, width_q, width_kv);
  double computing = 0;
  if (shares_values(is)) {
    moved -= is.batch * keys * is.value_dim * width_kv;
    const double flops = 2 * is.batch * is.heads * keys * (is.key_dim + is.value_dim);
    computing = rate > 0 ? flops / rate : 0;
  }
  const double parts = is.batch * is.kv_heads * std::ceil(keys / 256);
  const double busy = std::min(1.0, parts / (chip.processors * figures.decode_split));
  return figures.decode_launch +
         std::max(moved / (chip.memory * figures.decode * busy), computing) +
         figures.decode_turn * exact_log2(1 + keys / 256) +
         figures.decode_wave * is.batch * is.kv_heads / chip.processors;
}

}  // namespace

double attention_seconds(const graph::Kernel& kernel, const Chip& chip) {
  const Sizes is = sizes_of(kernel);
  const graph::Format a = kernel.a == graph::Format::unsaid ? graph::Format::bf16 : kernel.a;
  const double width_q = bytes_each(a);
  const double width_kv = kernel.b == graph::Format::unsaid ? width_q : bytes_each(kernel.b);
  const bool backward = kernel.pass != graph::Pass::forward;
  const Architecture& figures = chip.figures;
  const double peak = peak_for(a, chip.silicon);
  if (is.queries == 1 && !backward)
    return decode_seconds(is, width_q, width_kv, peak * figures.prefill, chip);

  if (!(peak > 0)) return 0;
  const double dim = (is.key_dim + is.value_dim) / 2;
  // Products and exponentials of a tile come one after the other for each group of warps.
  const double products = 4 * std::ceil(dim / 16) * 16 * chip.processors / (peak * figures.prefill);
  double tile = kTile * kTile * (products + 1 / (exponentials_of(chip.silicon) * chip.clock));
  double turn = kLeastTile;
  if (backward) {
    tile *= kBackwardFlops / kBackwardRate;
    turn *= kBackwardFlops;
  }
  const double span = is.window > 0 ? std::min(is.window + kTile, is.keys) : is.keys;
  const double longest = std::ceil(span / kTile) * std::max(tile, turn);
  const double heads = is.batch * is.heads;
  const double computing = std::max(heads * tiles_of(is) * tile / chip.processors, longest);
  const double moved = moved_by(is, is.keys, width_q, width_kv) * (backward ? 2.5 : 1);
  const double waves = std::ceil(heads * std::ceil(is.queries / kTile) / chip.processors);
  return figures.prefill_launch * (backward ? 2 : 1) +
         std::max(computing, moved / (chip.memory * 0.3)) + figures.prefill_block * waves;
}

}  // namespace orrery::model
