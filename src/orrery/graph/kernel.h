// SPDX-License-Identifier: Apache-2.0
//
// What a compute node computes, said precisely enough to tell how long it takes on any device.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "orrery/core/quantity.h"

namespace orrery::graph {

/// What kind of work it is. Kernels of one operation are told apart by the sizes that
/// `size_names` lists.
enum class Operation : std::uint8_t {
  unsaid,
  gemm,          ///< one product of m×k by k×n
  batched_gemm,  ///< equal products side by side
  grouped_gemm,  ///< products that share n and k; `rows` is the sum of their m
  attention,     ///< scores, softmax and context in one kernel; decode has one query
  convolution,   ///< two-dimensional, sizes of what comes out
  layer_norm,
  rms_norm,
  batch_norm,
  softmax,
  activation,
  rotary,
  dropout,
  elementwise,  ///< additions, products, what fusing makes of them
  reduction,
  cross_entropy,
  embedding,      ///< rows of one table
  embedding_bag,  ///< sums of rows, many tables
  interaction,    ///< products of all pairs of feature vectors (dlrm)
  router,         ///< top-k over experts' scores
  permute,        ///< tokens into experts' order or back
  optimizer,
  cast,  ///< to another number format, with the scales it needs
  copy,
  transfer,  ///< between host and device
  pooling,
};
inline constexpr std::size_t kOperations = 26;

/// Which pass it belongs to; `backward` where one kernel makes both gradients.
enum class Pass : std::uint8_t { forward, input_grad, weight_grad, backward };
inline constexpr std::size_t kPasses = 4;

/// Formats of numbers. `fp8_block` and `fp4_block`: with a scale for every block.
enum class Format : std::uint8_t {
  unsaid,
  fp64,
  fp32,
  tf32,
  bf16,
  fp16,
  fp8,
  fp8_block,
  fp4_block,
  int8,
  int32,
  int64,
};
inline constexpr std::size_t kFormats = 12;

/// What is special about a kernel.
enum Trait : std::uint16_t {
  kBias = 1u << 0,         ///< adds a bias, or sums its gradient
  kEpilogue = 1u << 1,     ///< an activation, residual or norm is fused behind it
  kAccumulates = 1u << 2,  ///< adds to what is in its output already
  kCausal = 1u << 3,
  kTransposedA = 1u << 4,  ///< A is stored k×m
  kTransposedB = 1u << 5,  ///< B is stored n×k
  kGated = 1u << 6,        ///< an activation of one half times the other
  kMultiTensor = 1u << 7,  ///< one launch works on many tensors (fused, foreach)
  kPortable = 1u << 8,     ///< made for devices of before: without instructions of its device's own
  kQuantized = 1u << 9,    ///< a narrow product whose first input comes in its format: without it,
                           ///< quantising is a part of the kernel, as in public tables
  kFirst = 1u << 10,       ///< attention fused as FlashAttention's first version in Triton is
  kCaches = 1u << 11,  ///< attention that writes its keys and values into a cache of pages first,
                       ///< as engines that serve do
};
inline constexpr std::size_t kTraits = 12;

inline constexpr std::size_t kKernelSizes = 8;

/// One kernel. `flops` and `bytes` are what it computes and moves in device memory at the least, as
/// the node's Work has it.
struct Kernel {
  Operation operation = Operation::unsaid;
  Pass pass = Pass::forward;
  Format a = Format::unsaid;    ///< of the first input; of all where the others are unsaid
  Format b = Format::unsaid;    ///< of the second, or of the weights
  Format out = Format::unsaid;  ///< of the output
  std::uint16_t traits = 0;     ///< Trait bits
  std::uint32_t launches = 1;   ///< so many of them, one after another, share the sizes evenly
  std::array<std::int64_t, kKernelSizes> sizes{};  ///< see size_names
  std::int64_t flops = 0;
  std::int64_t bytes = 0;

  [[nodiscard]] bool has(Trait trait) const { return (traits & trait) != 0; }
  friend bool operator==(const Kernel&, const Kernel&) = default;
};

/// "gemm", "input_grad", "bf16", "causal" …
[[nodiscard]] std::string_view name(Operation operation);
[[nodiscard]] std::string_view name(Pass pass);
[[nodiscard]] std::string_view name(Format format);
[[nodiscard]] std::string_view trait_name(std::size_t bit);
/// The one of that name, or nothing.
[[nodiscard]] std::optional<Operation> operation_of(std::string_view name);
[[nodiscard]] std::optional<Format> format_of(std::string_view name);

/// What Kernel::sizes mean, in order: "m", "n", "k" of a gemm. At most kKernelSizes.
[[nodiscard]] std::span<const std::string_view> size_names(Operation operation);
/// How many of these, the first, say what is computed. Those behind refine how long it takes and
/// may be left out: how long the rows are in which elements lie, how often rows are looked up
/// again, over how many tokens a grouped product's rows were gathered (`tokens`, of which each
/// chose `chosen` of `experts`; without them its rows lie ready).
[[nodiscard]] std::size_t defining_sizes(Operation operation);

/// Bits of one number; scales of blocks are not counted. 0: unsaid.
[[nodiscard]] int bits_of(Format format);

/// One line that `parse_kernel` reads back: "gemm weight_grad bf16,bf16>fp32 m=4096 n=1024 k=8192
/// accumulates flops=… bytes=…". Sizes of zero are left out.
[[nodiscard]] std::string to_text(const Kernel& kernel);
/// Nothing for what `to_text` never writes: an unknown word, a size twice or below zero.
[[nodiscard]] std::optional<Kernel> parse_kernel(std::string_view text);

/// The same whatever made it; equal kernels have equal hashes.
[[nodiscard]] std::uint64_t hash_of(const Kernel& kernel);

/// How long a host takes to launch one kernel, with all that its framework does for it. Where
/// kernels are shorter than that, the device waits for the host. 0: for no host.
struct LaunchTimes {
  Time forward{};
  Time backward{};  ///< of all gradients
  Time optimizer{};
  /// A host is ahead of its device by no more launches. CUDA's streams hold about 1,000 before a
  /// launch blocks (NVIDIA's developer forum, thread 68937; docs/kernel-times.md).
  std::uint32_t ahead = 1024;

  [[nodiscard]] Time of(const Kernel& kernel) const;
  [[nodiscard]] bool any() const { return least() != Time{}; }
  /// The shortest, of those that have a host.
  [[nodiscard]] Time least() const;
  friend bool operator==(const LaunchTimes&, const LaunchTimes&) = default;
};

/// Index into a KernelTable.
using KernelId = std::uint32_t;
inline constexpr KernelId kNoKernel = ~KernelId{0};

/// Distinct kernels, each once; ranks share it. Ids are dense, in order of first appearance.
/// Thread-safe; what is there stays where it is.
class KernelTable {
 public:
  KernelId intern(const Kernel& kernel);
  [[nodiscard]] const Kernel& operator[](KernelId id) const;
  [[nodiscard]] std::size_t size() const;

  /// What all hosts take to launch them.
  [[nodiscard]] LaunchTimes launch_times() const;
  void set_launch_times(const LaunchTimes& times);

 private:
  mutable std::mutex mutex_;
  LaunchTimes launch_times_;
  std::deque<Kernel> kernels_;
  std::unordered_multimap<std::uint64_t, KernelId> ids_;  // by hash
};

}  // namespace orrery::graph
