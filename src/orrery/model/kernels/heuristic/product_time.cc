// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "orrery/model/kernels/heuristic/chip.h"

namespace orrery::model {
namespace {

using graph::Format;
using graph::Kernel;
using graph::Operation;

struct Tile {
  double m, n;
};
/// The tiles of libraries for matrix units, from the names of their kernels.
constexpr std::array<Tile, 9> kTiles = {{{256, 128},
                                         {128, 256},
                                         {128, 128},
                                         {128, 64},
                                         {64, 128},
                                         {64, 64},
                                         {64, 32},
                                         {32, 64},
                                         {16, 64}}};
constexpr std::array<double, 4> kSplits = {2, 4, 8, 16};
constexpr double kShortestSplit = 512;  // minimum length of a part of k

/// Joules per fp32 operation in vector units, including all overhead. Source: L4 (72 W) in
/// NeuSight's table of linear layers reaches 9.6 TFLOP/s of its 30.
constexpr double kVectorEnergy = 7.5e-12;
/// Grouped products relative to plain ones: a tile looks up its group, and its prologue and
/// epilogue are slower by this factor. Source: AIConfigurator's tables of experts (TensorRT-LLM),
/// H100 to GB300.
constexpr double kGroupedWave = 2.5;
/// Grouped products whose rows are gathered from tokens: launches of the kernels that choose
/// experts, sort, copy rows, activate and sum, per product (of two); with scales one launch more.
/// Source: the same tables, in which almost empty layers last 21 to 30 us for both products.
constexpr double kRoutingLaunch = 10e-6, kRoutingScaling = 2.5e-6;
/// Rate of kernels that copy, activate and sum rows, relative to streaming kernels. Source: the
/// same tables from 128 rows per expert on; vLLM's norms and rotary positions reach the same share.
constexpr double kRoutingShare = 0.42;
/// Kernels for narrow formats begin and end tiles slower by this factor (scales). Source: the same
/// tables, fp8.
constexpr double kNarrowWave = 1.5;

/// Batches of small products: one warp per tile of 16 by 16, 32 concurrent tiles per processor. A
/// tile lasts two waves to begin and end, and one more per 16 numbers of k; at least 32 numbers are
/// loaded. Source: a recording of TimeSformer on an H100, 37,632 products of 8 by 8 by 64 and of 8
/// by 64 by 8: 40.9 and 108.4 us by CUTLASS' kernels of this tile, 3.47 and 2.11 us per round.
constexpr double kWarpTile = 16, kWarpTiles = 32, kWarpWaves = 2, kWarpLoads = 32;

/// A convolution that cuts images of few channels into patches. cuDNN pads channels to the 32 of a
/// step of its kernel, at each place of the filter. The kernel is built for Ampere (2,048
/// operations per clock) and reaches 0.73 of this rate. Source: two recordings of vision
/// transformers on an H100, `s16816fprop_optimized_bf16_256x64_32x4_nhwc_align8`: 98.2 us for 48
/// tiles, 863.1 us for 1,176 on 132 processors.
constexpr double kPatchChannels = 32, kPatchTileM = 256, kPatchTileN = 64;
constexpr double kPatchOperations = 0.73 * 2048;

/// Channels that MIOpen's kernels of implicit products load at once (16 bytes of 16 bits), and to
/// which they pad images of fewer channels. Source: the kernels of two vision transformers recorded
/// on an MI300X, `igemm_fwd_gtcx3_nhwc_bf16_…_ta1x1x8x1`: 3 channels, 8 numbers per load.
constexpr double kVectorChannels = 8;

/// Whether AMD's libraries multiply on this device. They have no kernel with one warp per tile: in
/// batches of small products, each product occupies a workgroup and its processor. Source:
/// TimeSformer recorded on an MI300X: 37,632 products of 8 by 8 by 64 in tiles of 16 by 448, and of
/// 8 by 64 by 8 in tiles of 256 by 16, one workgroup per product.
/// kWorkgroup: begin and end of a workgroup. Source: products of one workgroup per processor in two
/// other recordings on an MI300X, from their lengths at two k: 3.7 us (a ViT, 788 by 768) and 4.3
/// us (BERT, 141 by 512) without the loop over k, less 2 us of the shortest kernels (casts and sums
/// of Qwen 1.5 and ResNet-18: 1.5 to 2.8 us).
constexpr double kWorkgroup = 2e-6;
/// Bytes per clock that AMD's processors load for a tile if they have one workgroup each, so that
/// no other workgroup hides the loads. Source: such products last 2.23 us longer with k = 2048 than
/// with k = 512 in tiles of 16 by 16 (BERT recorded on an MI300X, 141 by 512:
/// github.com/AMD-AGI/TraceLens, tests/traces), which is 21. A ViT on an MI300X (788 by 768, tiles
/// of 64 by 32) is the test: 15.
constexpr double kFeedAlone = 21;
bool has_rocm_libraries(const Silicon& silicon) {
  return silicon.architecture.starts_with("cdna") || silicon.architecture.starts_with("rdna");
}

/// The smallest integer that is not below x >= 0; faster than std::ceil without SSE 4.
double up(double x) {
  if (x >= 0x1p53) return x;  // already an integer, possibly too large for int64
  const auto whole = static_cast<double>(static_cast<std::int64_t>(x));
  return whole + (whole < x ? 1 : 0);
}

double size(const Kernel& kernel, std::size_t i) { return static_cast<double>(kernel.sizes[i]); }

/// Bytes moved around a product of gathered rows, which have 16 bits outside of it. Before the
/// first of two products, tokens are copied into the order of their experts; after it, both halves
/// are multiplied. After the second product, rows are summed to tokens. 0: the rows are not
/// gathered.
double routed_bytes(const Kernel& kernel, double rows, double launches) {
  if (kernel.sizes[4] <= 0) return 0;
  const double n = size(kernel, 2), k = size(kernel, 3), input = bytes_each(kernel.a);
  if (kernel.has(graph::kGated)) return rows * (k * (2 + input) + n * (2 + input / 2));
  return 2 * n * (rows + std::min(rows, size(kernel, 4) / launches));
}

bool cuts_patches(const Kernel& kernel) {
  const auto& at = kernel.sizes;
  return kernel.pass == graph::Pass::forward && graph::bits_of(kernel.a) == 16 && at[1] > 0 &&
         static_cast<double>(at[1]) < kPatchChannels && at[7] > 1 && at[5] == at[7] &&
         at[6] == at[7];
}

/// Sets the product of a convolution: rows are pixels, k runs over the filter.
void take_convolution(const Kernel& kernel, Product& product) {
  const double pixels = size(kernel, 0) * size(kernel, 3) * size(kernel, 4);
  const double filter =
      size(kernel, 1) * one_or_more(kernel.sizes[5]) * one_or_more(kernel.sizes[6]);
  const double out = size(kernel, 2);
  switch (kernel.pass) {
    case graph::Pass::forward:
    case graph::Pass::backward:
      product.m = pixels, product.n = out, product.k = filter;
      if (cuts_patches(kernel)) product.patches = filter / size(kernel, 1) * kPatchChannels;
      return;
    case graph::Pass::input_grad:
      product.m = pixels, product.n = filter, product.k = out;
      return;
    case graph::Pass::weight_grad:
      product.m = filter, product.n = out, product.k = pixels;
      return;
  }
}

/// Without matrix units, instructions that copy tiles alternate with instructions that multiply, so
/// half of the shorter of both times is not hidden. Source: NeuSight's batched fp32 products: if
/// memory and arithmetic need equal times, products reach 0.6 of either rate.
constexpr double kShownInVector = 0.5;

/// Time of the kernels around a product whose rows are gathered from tokens.
double routing_seconds(const Product& product, double scaling, const Chip& chip) {
  const double rate = chip.rate_of(product.routed, chip.memory * chip.figures.moving);
  return kRoutingLaunch + (scaling > 0 ? kRoutingScaling : 0) +
         product.routed / (rate * kRoutingShare);
}

/// Time added to the launch of a single product in 16 bits.
double further_launch(const Product& product, const Architecture& is) {
  const double batch =
      product.batched && !uses_vector_units(product.format) ? is.launch_batched : 0;
  switch (product.format) {
    case Format::fp8:
    case Format::fp8_mx:
      return batch + is.launch8;
    case Format::fp8_block:
      return batch + is.launch8_block;
    case Format::fp4_block:
      return batch + is.launch4;
    default:
      return batch;
  }
}

/// share_of_rows() of the operand with the most bytes; the other operands are neglected.
double share_of_operands(const Kernel& kernel, const Product& is) {
  if (kernel.operation != Operation::gemm && kernel.operation != Operation::batched_gemm) return 1;
  const Format b = kernel.b == Format::unsaid ? kernel.a : kernel.b;
  const Format out = kernel.out == Format::unsaid ? kernel.a : kernel.out;
  const double of_a = is.m * is.k * is.bytes_a, of_b = is.k * is.n * is.bytes_b;
  const double of_out = is.m * is.n * is.bytes_out;
  if (of_out >= of_a && of_out >= of_b) return share_of_rows(is.n, out);
  if (of_a >= of_b) return share_of_rows(kernel.has(graph::kTransposedA) ? is.m : is.k, kernel.a);
  return share_of_rows(kernel.has(graph::kTransposedB) ? is.k : is.n, b);
}

/// Replaces `best` by a tiling with one warp per tile if it is faster.
void take_warps(const Product& product, const Chip& chip, Tiling& best) {
  const double tiles = product.count * up(product.m / kWarpTile) * up(product.n / kWarpTile);
  const double rounds = up(tiles / (chip.processors * kWarpTiles));
  const double steps = std::max(product.k, kWarpLoads) / kWarpTile;
  const double seconds = rounds * chip.figures.wave * (kWarpWaves + steps);
  if (seconds < best.seconds) best = {seconds, kWarpTile, kWarpTile, 1, tiles, rounds};
}

double patch_seconds(const Product& product, const Chip& chip) {
  const double tiles = up(product.m / kPatchTileM) * up(product.n / kPatchTileN);
  const double tile = 2 * kPatchTileM * kPatchTileN * product.patches;
  return up(tiles / chip.processors) * tile / (kPatchOperations * chip.clock);
}

}  // namespace

double bytes_each(Format format) {
  switch (format) {
    case Format::unsaid:
      return 2;
    case Format::fp8_block:
      return 1 + 4.0 / 128;  // one fp32 scale per 128 numbers
    case Format::fp8_mx:
      return 1 + 1.0 / 32;  // one 8-bit exponent per 32 numbers
    case Format::fp4_block:
      return 0.5 + 1.0 / 16;  // one fp8 scale per 16 numbers
    default:
      return graph::bits_of(format) / 8.0;
  }
}

Product product_of(const Kernel& kernel) {
  Product product;
  product.count = 1;
  const double launches = std::max<double>(1, kernel.launches);
  switch (kernel.operation) {
    case Operation::gemm:
      product.m = size(kernel, 0) / launches;
      product.n = size(kernel, 1), product.k = size(kernel, 2);
      break;
    case Operation::batched_gemm:
      product.count = size(kernel, 0) / launches;
      product.m = size(kernel, 1), product.n = size(kernel, 2), product.k = size(kernel, 3);
      product.batched = true;
      break;
    case Operation::grouped_gemm: {
      const double rows = size(kernel, 1) / launches;
      product.count = std::min(size(kernel, 0), rows);
      product.m = product.count > 0 ? rows / product.count : 0;
      product.n = size(kernel, 2), product.k = size(kernel, 3);
      product.grouped = true;
      product.routed = routed_bytes(kernel, rows, launches);
      break;
    }
    case Operation::interaction:
      product.count = size(kernel, 0) / launches;
      product.m = product.n = size(kernel, 1);
      product.k = size(kernel, 2);
      break;
    case Operation::convolution:
      take_convolution(kernel, product);
      product.m /= launches;
      break;
    default:
      product.count = 0;
      return product;
  }
  if (!(product.count > 0 && product.m > 0 && product.n > 0 && product.k > 0)) product.count = 0;
  if (kernel.pass == graph::Pass::backward) product.count *= 2;  // both gradients
  product.format = kernel.a == Format::unsaid ? Format::bf16 : kernel.a;
  const Format b = kernel.b == Format::unsaid ? product.format : kernel.b;
  product.bytes_a = bytes_each(product.format);
  product.bytes_b = bytes_each(b);
  product.bytes_out = bytes_each(kernel.out == Format::unsaid ? product.format : kernel.out);
  product.accumulates = kernel.has(graph::kAccumulates);
  product.rows_share = share_of_operands(kernel, product);
  // The wider input determines the units.
  if (graph::bits_of(b) > graph::bits_of(product.format)) product.format = b;
  return product;
}

double peak_for(Format format, const Silicon& silicon) {
  if (const double rate = silicon.rate(format); rate > 0) return rate;
  if (silicon.vector > 0) return format == Format::fp64 ? silicon.vector / 2 : silicon.vector;
  double minimum = 0;  // of the known peaks, so that the result is never too fast
  for (const double peak : silicon.peak)
    if (peak > 0 && (minimum == 0 || peak < minimum)) minimum = peak;
  return minimum;
}

double product_rate(Format format, const Chip& chip) {
  const double peak = peak_for(format, chip.silicon);
  const Architecture& is = chip.figures;
  switch (format) {
    case Format::fp64:
    case Format::fp32:
    case Format::int32:
    case Format::int64:
      // The power of small boards limits the rate.
      return std::min(peak * is.simt,
                      chip.silicon.power > 0 ? chip.silicon.power / kVectorEnergy : peak);
    case Format::fp8_block:
      return peak * is.core8_block;
    case Format::fp8:
    case Format::fp8_mx:
    case Format::int8:
      return peak * is.core8;
    case Format::fp4_block:
      return peak * is.core4;
    default:
      return peak * is.core;
  }
}

Tiling best_tiling(const Product& product, const Chip& chip, double rate) {
  Tiling best;
  const double each = rate / chip.processors;
  const bool narrow = product.bytes_a < 2 && product.bytes_b < 2;
  const double feed = chip.figures.feed * chip.clock * (narrow ? chip.figures.feed_narrow : 1);
  const bool batched = product.count > 1 && !product.grouped && !uses_vector_units(product.format);
  const bool rocm = has_rocm_libraries(chip.silicon);
  const double begin = batched && rocm ? kWorkgroup : chip.figures.wave;
  const double wave = begin * (product.grouped ? kGroupedWave : narrow ? kNarrowWave : 1);
  const double loaded = std::max(product.bytes_a, product.bytes_b);
  const double written = 8 * product.count * product.m * product.n;  // fp32, written and read
  for (const Tile& tile : kTiles) {
    const double tiles = product.count * up(product.m / tile.m) * up(product.n / tile.n);
    const auto consider = [&](double split) {
      const double waves = up(tiles * split / chip.processors);
      const double fed = rocm && waves <= 1 ? std::min(feed, kFeedAlone * chip.clock) : feed;
      const double step = std::max(2 * tile.m * tile.n / each, (tile.m + tile.n) * loaded / fed);
      double seconds = waves * (step * (product.k / split) + wave);
      if (split > 1) seconds += split * written / (2 * chip.memory) + wave;
      if (best.seconds == 0 || seconds < best.seconds)
        best = {seconds, tile.m, tile.n, split, tiles, waves};
    };
    consider(1);
    for (const double split : kSplits) {
      if (product.k < split * kShortestSplit || tiles * split > 2 * chip.processors) break;
      consider(split);
    }
  }
  if (batched && !rocm) take_warps(product, chip, best);
  return best;
}

namespace {

/// Bytes of an output in addition to those of measured kernels, whose outputs have the width of the
/// inputs or 16 bits. Gradients are wider, and kernels that accumulate also read the output.
double bytes_beyond(const Product& product) {
  const double usual = std::max(2.0, product.bytes_a);
  const double each = product.bytes_out * (product.accumulates ? 2 : 1) - usual;
  return std::max(0.0, product.count * product.m * product.n * each);
}

}  // namespace

double product_seconds(const Product& given, const Chip& chip) {
  Product product = given;
  if (product.patches > 0 && has_rocm_libraries(chip.silicon))
    product.k = product.patches / kPatchChannels * kVectorChannels;
  const double rate = product_rate(product.format, chip);
  if (!(rate > 0)) return 0;
  const Architecture& is = chip.figures;
  const double moved =
      product.count *
      (product.m * product.k * product.bytes_a + product.k * product.n * product.bytes_b +
       product.m * product.n * product.bytes_out * (product.accumulates ? 2 : 1));
  // Nothing hides the work after the last product of a tile. On an MI355X, adding to 23.6 and 29.5
  // MB lasted 15.0 and 18.7 us longer than writing them, five times the time of reading them
  // (Primus fd1eeabb, examples/mlperf/gpt_oss_20b/tune_gemm_results-v26.5.txt, beta 1 and 0).
  double tiled = best_tiling(product, chip, rate).seconds;
  // Only for cuDNN.
  if (product.patches > 0 && is.measured) tiled = std::max(tiled, patch_seconds(product, chip));
  const double computing = tiled + bytes_beyond(product) / (chip.memory * is.stream);
  const double streaming = moved / (chip.memory * is.stream * product.rows_share) + is.ramp;
  const double further = further_launch(product, is);
  const double around = product.routed > 0 ? routing_seconds(product, further, chip) : further;
  const double shown = uses_vector_units(product.format) ? kShownInVector : 0;
  const double both = std::max(computing, streaming) + shown * std::min(computing, streaming);
  return is.launch + around + both;
}

}  // namespace orrery::model
