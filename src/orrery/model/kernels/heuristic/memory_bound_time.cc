// SPDX-License-Identifier: Apache-2.0
//
// Kernels that move numbers: bytes divided by the achieved memory rate.
#include <algorithm>
#include <cmath>
#include <string_view>

#include "orrery/model/kernels/heuristic/chip.h"
#include "orrery/model/kernels/heuristic/heuristic_model.h"

namespace orrery::model {
namespace {

using graph::Kernel;
using graph::Operation;

/// Number of tensors of the output's size that a forward and a backward pass read or write.
struct Passes {
  double forward, backward;
};
Passes passes_of(const Kernel& kernel) {
  const double gated = kernel.has(graph::kGated) ? 1 : 0;
  switch (kernel.operation) {
    case Operation::activation:
      return {2 + gated, 3 + 2 * gated};
    case Operation::elementwise:
    case Operation::interaction:
      return {3, 3};
    case Operation::dropout:
      return {2.25, 2.25};  // with a mask of bits or bytes
    case Operation::reduction:
      return {1, 1};
    case Operation::batch_norm:
      return {3, 5};  // with a pass for statistics
    case Operation::optimizer:
      return {7, 7};  // Adam reads four and writes three
    default:
      return {2, 3};
  }
}

constexpr double kUsualRow = 4096;
/// Clocks from one row to the next if each row is one block. Source: vLLM's casts to fp8, 16,384
/// rows of 32 numbers: 143 on an H100, 206 on a B200 (AIConfigurator's table of memory operations).
constexpr double kRowStart = 160;

/// Kernels that need a complete row use one block per row if rows are longer than this. Otherwise a
/// block has several rows, one per warp. Source: PyTorch, aten/src/ATen/native/cuda/SoftMax.cu.
constexpr std::int64_t kWarpRow = 1024;

/// Whether each block processes one row. This holds for kernels that need a complete row, and for
/// kernels with one token per block (vLLM's rotary positions, gated activations and casts).
bool block_a_row(const Kernel& kernel) {
  switch (kernel.operation) {
    case Operation::layer_norm:
    case Operation::rms_norm:
    case Operation::softmax:
      return kernel.sizes[1] > kWarpRow;
    case Operation::rotary:
      return true;
    case Operation::activation:
      return kernel.has(graph::kGated);
    case Operation::cast:
      return graph::bits_of(kernel.out) <= 8;
    default:
      return false;
  }
}

/// Seconds in which the processor with the most rows starts and transfers them. A kernel with few
/// long rows uses only few processors.
double seconds_by_rows(const Kernel& kernel, double bytes, const Chip& chip) {
  const Rows rows = rows_of(kernel);
  if (!rows.is_known || !block_a_row(kernel)) return 0;
  const double maximum = std::ceil(rows.count / chip.processors);
  const double clocks = std::max(bytes / rows.count / chip.figures.cached, kRowStart);
  return maximum * clocks / chip.clock;
}

/// The number of numbers, by sizes.
double numbers_of(const Kernel& kernel) {
  const auto& at = kernel.sizes;
  switch (kernel.operation) {
    case Operation::embedding:
      return one_or_more(at[0]) * one_or_more(at[2]);
    case Operation::embedding_bag:
      return one_or_more(at[0]) * one_or_more(at[1]) * one_or_more(at[2]) * one_or_more(at[4]);
    case Operation::router:
      return one_or_more(at[0]) * one_or_more(at[1]);
    case Operation::layer_norm:
    case Operation::rms_norm:
    case Operation::softmax:
    case Operation::cross_entropy:
      return one_or_more(at[0]) * one_or_more(at[1]);
    default:
      return one_or_more(at[0]);
  }
}

/// Rate of a pinned copy over PCIe with 16 lanes of the fourth generation, bytes/s.
constexpr double kHostRate = 25e9;

/// Share of the rate of streaming kernels, because of several passes over a row or small accesses.
/// Sources: layer_norm and softmax: NeuSight's fp32 tables (PyTorch); rms_norm, rotary, activation:
/// Vidur's medians (vLLM, A100 and H100); cast to fp8_mx: Transformer Engine's on a B200, which
/// compute a maximum per 32 numbers (8,192 x 8,192 numbers of bf16 along both dimensions in 52.3
/// us: ROCm/TransformerEngine, pull request 598, column B200); the others are guesses.
double share_of(const Kernel& kernel) {
  switch (kernel.operation) {
    case Operation::layer_norm:
      return 0.72;
    case Operation::softmax:
      return 0.87;
    case Operation::rms_norm:
      return 0.42;
    case Operation::rotary:
      return 0.51;
    case Operation::activation:
      return 0.6;
    case Operation::embedding:
    case Operation::embedding_bag:
    case Operation::permute:
      return 0.8;
    case Operation::cross_entropy:
      return 0.7;
    case Operation::cast:
      return kernel.out == graph::Format::fp8_mx ? 0.8 : 1;
    default:
      return 1;
  }
}

/// Kernels between the products of a layer, whose weights evict half of these kernels' input from
/// the cache. Source: Vidur's medians, measured in layers of vLLM: up to 4 MB and from 50 MB on,
/// they last as predicted; in between, 1.3 to 1.6 times as long as with all data in the cache.
bool is_between_products(const Kernel& kernel) {
  return kernel.operation == Operation::rms_norm || kernel.operation == Operation::rotary ||
         kernel.operation == Operation::activation;
}

/// Share of the streaming rate if numbers of 16 bits or less are accessed one by one. Source: a
/// recording on an H100 (TimeSformer's attention, rows of 3,137): products that read or write such
/// rows stream 1.0 and 1.1 TB/s of 3.35; otherwise they reach 0.81 of it. Numbers of 32 bits fill
/// complete lines in both cases.
constexpr double kOneByOne = 0.4;

/// Properties of one multiprocessor: the maximum number of resident threads, its own cache, and the
/// share of the device's cache that it uses. The share is 0.5 if the cache has two halves, each of
/// which holds the data of its own processors. Sources: CUDA C++ Programming Guide, technical
/// specifications by compute capability; NVIDIA's architecture whitepapers (T4: 64 KB; A100: the
/// halves).
struct Multiprocessor {
  double threads, cache, of_shared;
};
Multiprocessor multiprocessor_of(const Silicon& silicon) {
  const std::string_view name = silicon.architecture;
  if (name.starts_with("pascal")) return {2048, 24e3, 1};
  if (name.starts_with("turing")) return {1024, 64e3, 1};
  if (name.starts_with("volta")) return {2048, 128e3, 1};
  if (name.starts_with("ampere")) return {2048, 192e3, 0.5};
  if (name.starts_with("ada") || name.starts_with("rtx")) return {1536, 128e3, 1};
  return {2048, 256e3, 0.5};
}

/// Duration of a softmax of long rows relative to one that reads them once. A block reads a row
/// three times, for the maximum, the sum and the result (PyTorch, SoftMax.cu), with 16 bytes per
/// thread. If the concurrent rows fill more than a sixth of the caches, they are evicted between
/// the reads. Source: NeuSight's fp32 softmax, seven GPUs. This happens from 1,280 numbers on a
/// P100, 5,120 on a P4, 6,400 on a V100 and a T4, 12,288 on an A100, and never up to 16,384 on an
/// L4; then the softmax lasts up to 1.6 to 1.9 times as long.
double reads_again(const Kernel& kernel, const Chip& chip) {
  constexpr double kHeld = 0.17, kLost = 0.4, kMost = 0.75;
  if (kernel.pass != graph::Pass::forward || kernel.sizes[1] <= kWarpRow) return 1;
  const double row = static_cast<double>(kernel.sizes[1]) * bytes_each(kernel.a);
  const Multiprocessor has = multiprocessor_of(chip.silicon);
  const double threads = std::clamp(std::ceil(row / 16 / 32) * 32, 32.0, 1024.0);
  const double caches = has.of_shared * chip.cache / chip.processors + has.cache;
  const double share = std::floor(has.threads / threads) * row / caches;
  return 1 + kMost * std::clamp((share - kHeld) / (kLost - kHeld), 0.0, 1.0);
}

}  // namespace

double share_of_rows(double length, graph::Format format) {
  const int bits = format == graph::Format::unsaid ? 16 : graph::bits_of(format);
  const bool whole = std::fmod(length * bits, 128) == 0;
  return whole || length <= 1 || bits > 16 ? 1 : kOneByOne;
}

Rows rows_of(const Kernel& kernel) {
  const double launches = std::max<double>(1, kernel.launches);
  const double first = one_or_more(kernel.sizes[0]) / launches;
  if (graph::defining_sizes(kernel.operation) > 1)
    return {first, one_or_more(kernel.sizes[1]), kernel.sizes[1] > 0};
  const bool is_known = kernel.sizes[1] > 0;
  const double length = is_known ? static_cast<double>(kernel.sizes[1]) : kUsualRow;
  return {std::max(1.0, first / length), std::min(length, first), is_known};
}

double bytes_of(const Kernel& kernel) {
  const double launches = std::max<double>(1, kernel.launches);
  if (kernel.bytes > 0) return static_cast<double>(kernel.bytes) / launches;
  const Product product = product_of(kernel);
  if (product.count > 0)
    return product.count *
           (product.m * product.k * product.bytes_a + product.k * product.n * product.bytes_b +
            product.m * product.n * product.bytes_out);
  const double in = bytes_each(kernel.a);
  const double out = kernel.out == graph::Format::unsaid ? in : bytes_each(kernel.out);
  const Passes passes = passes_of(kernel);
  const double tensors = kernel.pass == graph::Pass::forward ? passes.forward : passes.backward;
  return numbers_of(kernel) / launches * ((tensors - 1) * in + out);
}

double flops_of(const Kernel& kernel) {
  const Product product = product_of(kernel);
  if (product.count > 0) return 2 * product.count * product.m * product.n * product.k;
  return static_cast<double>(kernel.flops) / std::max<double>(1, kernel.launches);
}

double memory_bound_seconds(const Kernel& kernel, double bytes, double flops, const Chip& chip) {
  const Architecture& is = chip.figures;
  if (kernel.operation == Operation::transfer) return is.small + bytes / kHostRate;
  const double streamed = chip.memory * is.moving;
  double rate = chip.rate_of(bytes, streamed);
  if (is_between_products(kernel)) rate = 2 / (1 / rate + 1 / streamed);
  rate *= share_of(kernel);
  if (kernel.operation == Operation::softmax)
    rate *=
        share_of_rows(static_cast<double>(kernel.sizes[1]), kernel.a) / reads_again(kernel, chip);
  const double peak = peak_for(graph::Format::fp32, chip.silicon);
  const double computing = peak > 0 && flops > 0 ? flops / (peak * 0.5) : 0;
  return is.small + std::max({bytes / rate, computing, seconds_by_rows(kernel, bytes, chip)});
}

}  // namespace orrery::model
