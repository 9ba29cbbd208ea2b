// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/heuristic/heuristic_model.h"

#include <algorithm>

#include "orrery/core/statistics/exact_math.h"
#include "orrery/model/kernels/heuristic/chip.h"

namespace orrery::model {
namespace {

using graph::Kernel;
using graph::Operation;

/// The interval that contains 80 % of measured times of all devices together (`kernel_models
/// heuristic`), rounded outwards. Attention in training steps: of data/kernels/attention.csv.
ErrorBand heuristic_band(const Kernel& kernel, bool trains) {
  if (trains) return {-0.1, 0.15};
  const int bits = graph::bits_of(kernel.a);
  switch (kernel.operation) {
    case Operation::gemm:
    case Operation::convolution:
      return bits > 0 && bits < 16 ? ErrorBand{-0.2, 1.2} : ErrorBand{-0.2, 0.35};
    case Operation::batched_gemm:
      return {-0.3, 0.55};
    case Operation::grouped_gemm:
      return {-0.25, 0.75};
    case Operation::attention:
      if (kernel.sizes[3] == 1) return {-0.2, 0.35};
      return bits == 16 ? ErrorBand{-0.25, 0.35} : ErrorBand{-0.3, 0.75};
    default:
      return {-0.25, 0.6};
  }
}

bool is_measured(const Kernel& kernel) {
  if (kernel.pass == graph::Pass::forward) {
    switch (kernel.operation) {
      case Operation::gemm:
      case Operation::batched_gemm:
      case Operation::grouped_gemm:
      case Operation::attention:
      case Operation::layer_norm:
      case Operation::rms_norm:
      case Operation::softmax:
      case Operation::activation:
      case Operation::rotary:
      case Operation::elementwise:
      case Operation::cast:
        return true;
      default:
        return false;
    }
  }
  // Gradients are products, too.
  return kernel.operation == Operation::gemm || kernel.operation == Operation::batched_gemm;
}

bool says_sizes(const Kernel& kernel) {
  // Attention needs neither heads of keys (by default as of queries), nor the size of values (by
  // default as of keys), nor a window.
  const bool attention = kernel.operation == Operation::attention;
  const std::size_t needed = attention ? 6 : graph::defining_sizes(kernel.operation);
  for (std::size_t i = 0; i < needed; ++i)
    if (kernel.sizes[i] <= 0 && !(attention && i == 2)) return false;
  return needed > 0;
}

/// Time from operations and bytes only.
double roofline_seconds(const Kernel& kernel, double launches, const Chip& chip) {
  const auto format = kernel.a == graph::Format::unsaid ? graph::Format::bf16 : kernel.a;
  const bool product = kernel.operation != Operation::unsaid && kernel.flops > 0;
  const double rate = product ? product_rate(format, chip) : 0;
  const double computing = rate > 0 ? static_cast<double>(kernel.flops) / launches / rate : 0;
  const double moving =
      memory_bound_seconds(kernel, static_cast<double>(kernel.bytes) / launches,
                           product ? 0 : static_cast<double>(kernel.flops) / launches, chip);
  return std::max(computing + chip.figures.small, moving);
}

double seconds_of(const Kernel& kernel, double launches, const Chip& chip) {
  switch (kernel.operation) {
    case Operation::gemm:
    case Operation::batched_gemm:
    case Operation::grouped_gemm:
    case Operation::convolution:
    case Operation::interaction: {
      const Product product = product_of(kernel);
      if (product.count > 0) return product_seconds(product, chip);
      return roofline_seconds(kernel, launches, chip);
    }
    case Operation::attention:
      if (!says_sizes(kernel)) return roofline_seconds(kernel, launches, chip);
      return attention_seconds(kernel, chip);
    case Operation::embedding_bag:
      if (const double known = lookup_seconds(kernel, chip); known > 0) return known;
      [[fallthrough]];
    default:
      if (kernel.bytes <= 0 && !says_sizes(kernel)) return roofline_seconds(kernel, launches, chip);
      return memory_bound_seconds(kernel, bytes_of(kernel),
                                  static_cast<double>(kernel.flops) / launches, chip);
  }
}

// Assumptions without data: 1.5 GHz and 100 processors, or more if the peak requires them with 8192
// operations per clock and processor, the number of the widest processors (H100, B200).
constexpr double kAssumedClock = 1.5e9, kAssumedProcessors = 100, kWidest = 8192;

double clock_of(const Silicon& device) {
  if (device.clock > 0) return device.clock;
  if (device.processors <= 0) return kAssumedClock;
  const double processors = static_cast<double>(device.processors);
  return std::max(kAssumedClock, device.rate(graph::Format::bf16) / (processors * kWidest));
}

double processors_of(const Silicon& device) {
  if (device.processors > 0) return static_cast<double>(device.processors);
  return std::max(kAssumedProcessors,
                  device.rate(graph::Format::bf16) / (clock_of(device) * kWidest));
}

}  // namespace

Chip::Chip(const Silicon& device, const Architecture& like)
    : silicon(device),
      figures(like),
      processors(processors_of(device)),
      clock(clock_of(device)),
      cache(device.l2_bytes),
      memory(device.memory) {
  const double rate = device.rate(graph::Format::bf16) * 1e-12;
  if (!(figures.watts > 0 && device.power > 0 && rate > 0)) return;
  const double share = exact_exp2(exact_log2(device.power / rate / figures.watts) / 3);
  for (double* const core : {&figures.core, &figures.core8, &figures.core8_block, &figures.core4})
    *core = std::min(*core * share, std::max(*core, kMaxCore));
  if (figures.attention_limited == 0) return;
  for (double* const core : {&figures.prefill, &figures.backward})
    *core = std::min(*core * share, std::max(*core, kMaxAttention));
}

namespace {

/// The rate of `bytes`, between `streamed` and that of the cache, `cached` bytes per clock and
/// processor, by the share that fits into the cache.
double rate_between(double bytes, double streamed, double cached, const Chip& chip) {
  const double fits = chip.cache > 0 ? std::clamp(5 - 5 * bytes / chip.cache, 0.0, 1.0) : 0.0;
  return streamed + (std::max(streamed, cached * chip.clock * chip.processors) - streamed) * fits;
}

}  // namespace

double Chip::rate_of(double bytes, double streamed) const {
  // Data that fits is in the cache: the previous kernel wrote it, or the same kernel one step ago.
  return rate_between(bytes, streamed, figures.cached, *this);
}

double operand_rate(double moved, double streamed, const Chip& chip) {
  const double cached = chip.figures.repeated;
  return cached > 0 ? rate_between(moved, streamed, cached, chip) : streamed;
}

bool knows_training_attention(const Kernel& kernel, const Silicon& silicon) {
  return is_training_attention(kernel) && architecture_of(silicon).overlapped > 0;
}

double heuristic_seconds(const Kernel& kernel, const Chip& chip) {
  if (!(chip.memory > 0)) return 0;
  const double launches = std::max<double>(1, kernel.launches);
  return seconds_of(kernel, launches, chip) * launches;
}

std::optional<KernelTime> HeuristicModel::time(const Kernel& kernel, const Silicon& silicon) const {
  const Chip chip(silicon, architecture_of(silicon));
  const double seconds = heuristic_seconds(kernel, chip);
  if (!(seconds > 0)) return std::nullopt;
  return KernelTime{.seconds = seconds,
                    .source = TimeSource::heuristic,
                    .band = heuristic_band(kernel, knows_training_attention(kernel, silicon)),
                    .extrapolated = !chip.figures.measured || !is_measured(kernel)};
}

}  // namespace orrery::model
