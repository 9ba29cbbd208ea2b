// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>

#include "orrery/core/statistics/exact_math.h"
#include "orrery/model/kernels/heuristic/chip.h"

namespace orrery::model {

namespace {

constexpr double kTile = 128;     // queries and keys of one tile
constexpr double kFragment = 16;  // rows that one instruction of the matrix units multiplies
/// Exponentials per clock and processor. Source: CUDA C++ Programming Guide, throughput of native
/// arithmetic instructions: 16 for all architectures here except Blackwell Ultra, which has twice
/// as many (NVIDIA, "Inside NVIDIA Blackwell Ultra"; with heads of 64, a B300 is 1.36 times as fast
/// as a B200).
double exponentials_of(const Silicon& silicon) {
  return silicon.architecture.ends_with("-ultra") ? 32 : 16;
}
/// Minimum time of a tile, whatever the head size, in seconds.
constexpr double kMinTile = 0.4e-6;
/// The backward pass has five products instead of two, and computes exponentials once.
constexpr double kBackwardProducts = 2.5;
/// Bytes of fp32 sums per number of the queries' gradient. A kernel before the backward pass reads
/// the output and its gradient and clears the sums; a kernel after it reads the sums and writes the
/// gradient in 16 bits (FlashAttention, cuDNN).
constexpr double kSums = 8;
/// Shares of the memory bandwidth at which tiles are loaded: forward, forward if each matrix unit
/// is fed by one warp (A100, RTX PRO 6000), and backward.
constexpr double kMoving = 0.35, kMovingByWarps = 0.5, kBackwardMoving = 0.6;

/// Share of the peak of latent attention's products if each matrix unit is fed by one warp (A100,
/// RTX PRO 6000). Source: see kLatentTail.
constexpr double kLatentByWarps = 0.64;

/// Seconds per score of a tile, given those of its products and of its exponential. If the
/// kernel overlaps them (`Architecture::overlapped`), each still delays the other, the more the
/// more equal they are: their root of squares. Source: times of cuDNN 9.19 on a GB200
/// (github.com/NVIDIA/cudnn-frontend, benchmark/sdpa_benchmark_training: Llama 3.1, DeepSeek-V3 and
/// GPT-OSS, 16 and 8 bits); a GB300 with its doubled rate of exponentials is the test.
double score_seconds(double products, double exponential, bool overlapped) {
  // Without overlap, a group of warps computes one after the other.
  return overlapped ? std::sqrt(products * products + exponential * exponential)
                    : products + exponential;
}

/// Share of the peak that the products reach.
double products_share(const Architecture& figures, const AttentionSizes& is, bool backward,
                      bool overlapped) {
  if (backward) return is.width_q < 2 ? figures.backward8 : figures.backward;
  if (overlapped) return figures.overlapped;
  return is.is_latent() && figures.latent == 0 ? kLatentByWarps : figures.prefill;
}

/// The forward pass of latent attention. Its kernels assign blocks of unequal length to processors
/// in order; at the end, most processors wait for the share kLatentTail of the longest block.
/// kLatentLaunch is added to the launch of other kernels; kLatentMoving replaces `kMoving`. Source:
/// AIConfigurator's tables of latent attention (TensorRT-LLM), 7 GPUs; rounded figures, without the
/// held-out kernels.
constexpr double kLatentTail = 0.6, kLatentLaunch = 4.3e-6, kLatentMoving = 0.6;

double moved_by(const AttentionSizes& is, double keys) {
  return is.batch * (is.key_dim + is.value_dim) *
         (is.heads * is.queries * is.width_q + is.kv_heads * keys * is.width_kv);
}

/// The tile of a forward pass. Kernels for short sequences have smaller tiles, of at least
/// Architecture::prefill_rows.
struct AttentionTile {
  double queries = kTile, keys = kTile;

  AttentionTile() = default;
  AttentionTile(const AttentionSizes& is, double least)
      : queries(side_of(is.queries, least)), keys(side_of(is.keys, least)) {}

  /// Ratio to the largest tile.
  [[nodiscard]] double area() const { return queries * keys / (kTile * kTile); }

 private:
  static double side_of(double length, double least) {
    return std::clamp(std::ceil(length / kFragment) * kFragment, least, kTile);
  }
};

/// Keys that the queries of one tile see at most.
double span_of(const AttentionSizes& is) {
  return is.window > 0 ? std::min(is.window + kTile, is.keys) : is.keys;
}

/// Number of tiles of one head that are not empty.
double tiles_of(const AttentionSizes& is, const AttentionTile& tile) {
  const double rows = std::ceil(is.queries / tile.queries);
  const double columns = std::ceil(span_of(is) / tile.keys);
  if (!is.causal || is.window > 0) return rows * columns;
  // The last row of tiles has all keys; each row before it has one tile less.
  return std::max(rows * columns - rows * (rows - 1) / 2, rows);
}

double loading_share(const Architecture& figures, bool latent, bool backward) {
  if (backward) return kBackwardMoving;
  if (latent) return kLatentMoving;
  return figures.latent == 0 ? kMovingByWarps : kMoving;
}

/// Time of the kernels before and after the backward pass.
double around_backward_seconds(const AttentionSizes& is, const Chip& chip) {
  const double numbers = is.batch * is.heads * is.queries;
  const double bytes =
      numbers * (2 * is.value_dim * is.width_q + is.key_dim * (is.width_q + kSums));
  return 2 * chip.figures.small + bytes / chip.rate_of(bytes, chip.memory * chip.figures.moving);
}

/// Time of a kernel that copies keys and values into a cache.
double caching_seconds(const AttentionSizes& is, const Chip& chip) {
  const double bytes =
      is.batch * is.kv_heads * is.keys * (is.key_dim + is.value_dim) * (is.width_q + is.width_kv);
  return chip.figures.small + bytes / chip.rate_of(bytes, chip.memory * chip.figures.moving);
}

double decode_seconds(const AttentionSizes& is, const Chip& chip) {
  const Architecture& figures = chip.figures;
  const double keys = is.window > 0 ? std::min(is.window, is.keys) : is.keys;
  const double parts = is.batch * is.kv_heads * std::ceil(keys / 256);
  const double busy = std::min(1.0, parts / (chip.processors * figures.decode_split));
  const double moved = moved_by(is, keys);
  const double rate = operand_rate(moved, chip.memory * figures.decode, chip);
  return figures.decode_launch + moved / (rate * busy) +
         figures.decode_turn * exact_log2(1 + keys / 256) +
         figures.decode_wave * is.batch * is.kv_heads / chip.processors;
}

}  // namespace

bool is_training_attention(const graph::Kernel& kernel) {
  return kernel.operation == graph::Operation::attention && kernel.pass == graph::Pass::forward &&
         kernel.sizes[3] != 1 && !kernel.has(graph::kWritesPagedCache);
}

/// cuDNN's backward pass with 8 bits computes the scores outside of the window, too: on a GB200,
/// 2 x 32,768 tokens of GPT-OSS take 43.9 ms with 8 bits, and 4.1 ms with 16 (cuDNN 9.19).
bool ignores_window(const AttentionSizes& is, bool backward) { return backward && is.width_q < 2; }

AttentionSizes attention_sizes(const graph::Kernel& kernel) {
  const auto at = [&](std::size_t i) { return one_or_more(kernel.sizes[i]); };
  const double launches = std::max<double>(1, kernel.launches);
  const graph::Format a = kernel.a == graph::Format::unsaid ? graph::Format::bf16 : kernel.a;
  const double width = bytes_each(a);
  AttentionSizes is{at(0) / launches,
                    at(1),
                    at(2),
                    at(3),
                    at(4),
                    at(5),
                    at(6),
                    static_cast<double>(kernel.sizes[7]),
                    kernel.has(graph::kCausal),
                    width,
                    kernel.b == graph::Format::unsaid ? width : bytes_each(kernel.b)};
  if (kernel.sizes[2] <= 0) is.kv_heads = is.heads;
  if (kernel.sizes[4] <= 0) is.keys = is.queries;
  if (kernel.sizes[6] <= 0) is.value_dim = is.key_dim;
  return is;
}

double attention_seconds(const graph::Kernel& kernel, const Chip& chip) {
  AttentionSizes is = attention_sizes(kernel);
  const graph::Format a = kernel.a == graph::Format::unsaid ? graph::Format::bf16 : kernel.a;
  const bool backward = kernel.pass != graph::Pass::forward;
  if (ignores_window(is, backward)) is.window = 0;
  const bool latent = is.is_latent() && !backward;
  const Architecture& figures = chip.figures;
  const double peak = peak_for(a, chip.silicon);
  if (is.queries == 1 && !backward && !(latent && is.keys == 1))
    return is.shares_values() ? latent_decode_seconds(is, peak, chip) : decode_seconds(is, chip);

  if (!(peak > 0)) return 0;
  const double dim = (is.key_dim + is.value_dim) / 2;
  const bool overlapped = is_training_attention(kernel) && figures.overlapped > 0;
  const double share = products_share(figures, is, backward, overlapped);
  const double times = backward ? kBackwardProducts : 1;
  const double products = times * 4 * std::ceil(dim / 16) * 16 * chip.processors / (peak * share);
  const AttentionTile shape = backward ? AttentionTile() : AttentionTile(is, figures.prefill_rows);
  const double tile =
      shape.queries * shape.keys *
      score_seconds(products, 1 / (exponentials_of(chip.silicon) * chip.clock), overlapped);
  const double turn = kMinTile * times * shape.area();
  const double longest = std::ceil(span_of(is) / shape.keys) * std::max(tile, turn);
  const double heads = is.batch * is.heads;
  const double rows = heads * std::ceil(is.queries / shape.queries);
  double shared = heads * tiles_of(is, shape) * tile / chip.processors;
  if (latent && rows > chip.processors) shared += kLatentTail * longest;
  const double moved = moved_by(is, is.keys) * times;
  const double loading =
      operand_rate(moved, chip.memory * loading_share(figures, latent, backward), chip);
  const double launch = latent ? figures.prefill_launch + kLatentLaunch : figures.prefill_launch;
  return launch + std::max({shared, longest, moved / loading}) +
         figures.prefill_block * std::ceil(rows / chip.processors) +
         (backward ? around_backward_seconds(is, chip) : 0) +
         (kernel.has(graph::kWritesPagedCache) ? caching_seconds(is, chip) : 0);
}

// Decode of latent attention: one head of keys for all heads of queries; the first numbers of a key
// are its value. Source of all figures: AIConfigurator's tables of latent attention (TensorRT-LLM),
// 7 GPUs; rounded figures, without the held-out kernels.

namespace {

/// A thread block processes the queries of 64 heads of one sequence (also if there are fewer) and
/// 64 keys at a time.
constexpr double kBlockHeads = 64, kBlockKeys = 64;

/// Kernels that share keys among processors, like other decode kernels: the time added to their
/// launch, and the share of the peak that their products reach.
constexpr double kSharedLaunch = 1.5e-6, kSharedPeak = 0.6;

/// Kernels whose blocks visit all keys of their sequence: the time added to the launch of prefill,
/// the clocks of a tile in addition to products and loads, and the factor kWalkCrowded of tile
/// times if more than kWalkCrowd blocks run concurrently.
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
