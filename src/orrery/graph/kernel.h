// SPDX-License-Identifier: Apache-2.0
//
// The computation of a compute node, precise enough to predict its duration on any device.
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

/// Kind of computation. Kernels of one operation differ by the sizes that `size_names` lists.
enum class Operation : std::uint8_t {
  unsaid,
  gemm,          ///< one product of m×k by k×n
  batched_gemm,  ///< independent products of equal size
  grouped_gemm,  ///< products that share n and k; `rows` is the sum of their m
  attention,     ///< scores, softmax and context in one kernel; decode has one query
  convolution,   ///< two-dimensional; `height` and `width` of the output
  layer_norm,
  rms_norm,
  batch_norm,
  softmax,
  activation,
  rotary,
  dropout,
  elementwise,  ///< additions, products and their fused combinations
  reduction,
  cross_entropy,
  embedding,      ///< rows of one table
  embedding_bag,  ///< sums of rows, many tables
  interaction,    ///< products of all pairs of feature vectors (dlrm)
  router,         ///< top-k over experts' scores
  permute,        ///< reorders tokens by expert, or back
  optimizer,
  cast,  ///< to another number format, including its scales
  copy,
  transfer,  ///< between host and device
  pooling,
};
inline constexpr std::size_t kOperations = 26;

/// Pass of a kernel; `backward` if one kernel computes both gradients.
enum class Pass : std::uint8_t { forward, input_grad, weight_grad, backward };
inline constexpr std::size_t kPasses = 4;

/// Number formats. `fp8_block` has one scale per 128 numbers or per 128 x 128 numbers, `fp8_mx` one
/// per 32 numbers (OCP Microscaling, v1.0), `fp4_block` one per 16 numbers.
enum class Format : std::uint8_t {
  unsaid,
  fp64,
  fp32,
  tf32,
  bf16,
  fp16,
  fp8,
  fp8_block,
  fp8_mx,
  fp4_block,
  int8,
  int32,
  int64,
};
inline constexpr std::size_t kFormats = 13;

/// Properties of a kernel.
enum Trait : std::uint16_t {
  kBias = 1u << 0,         ///< adds a bias, or sums its gradient
  kEpilogue = 1u << 1,     ///< followed by a fused activation, residual or norm
  kAccumulates = 1u << 2,  ///< adds to the previous content of its output
  kCausal = 1u << 3,
  kTransposedA = 1u << 4,  ///< A is stored k×m
  kTransposedB = 1u << 5,  ///< B is stored n×k
  kGated = 1u << 6,        ///< multiplies the activation of one half by the other half
  kMultiTensor = 1u << 7,  ///< one launch processes many tensors (fused, foreach)
  kPortable = 1u << 8,     ///< built for older devices, without instructions specific to its device
  kQuantized = 1u << 9,    ///< low-precision product with an already quantized first input; without
                           ///< this trait, the kernel quantizes the input, as in public tables
  kFlashAttention1 = 1u << 10,   ///< attention fused like FlashAttention's first version in Triton
  kWritesPagedCache = 1u << 11,  ///< attention that first writes its keys and values into a paged
                                 ///< cache, as serving engines do
};
inline constexpr std::size_t kTraits = 12;

inline constexpr std::size_t kKernelSizes = 8;

/// One kernel. `flops` and `bytes` are the minimum of operations and of device memory traffic, as
/// in the node's Work.
struct Kernel {
  Operation operation = Operation::unsaid;
  Pass pass = Pass::forward;
  Format a = Format::unsaid;    ///< of the first input; of all inputs and outputs that state none
  Format b = Format::unsaid;    ///< of the second input, or of the weights
  Format out = Format::unsaid;  ///< of the output
  std::uint16_t traits = 0;     ///< Trait bits
  std::uint32_t launches = 1;   ///< consecutive launches, which share the sizes evenly
  std::uint32_t host_launches = 0;    ///< launches by the framework; 0 without looped_launches: as
                                      ///< many as `launches`. More if streams run them concurrently
  std::uint32_t looped_launches = 0;  ///< further launches, from a loop of compiled code
  bool host_waits = false;            ///< the host waits until the kernel has ended
  std::array<std::int64_t, kKernelSizes> sizes{};  ///< see size_names
  std::int64_t flops = 0;
  std::int64_t bytes = 0;

  [[nodiscard]] bool has(Trait trait) const { return (traits & trait) != 0; }
  /// Launches by the framework, without those of loops.
  [[nodiscard]] std::uint32_t framework_launches() const {
    return host_launches + looped_launches == 0 ? launches : host_launches;
  }
  friend bool operator==(const Kernel&, const Kernel&) = default;
};

/// "gemm", "input_grad", "bf16", "causal" …
[[nodiscard]] std::string_view name(Operation operation);
[[nodiscard]] std::string_view name(Pass pass);
[[nodiscard]] std::string_view name(Format format);
[[nodiscard]] std::string_view trait_name(std::size_t bit);
/// The operation or format with this name, or nullopt.
[[nodiscard]] std::optional<Operation> operation_of(std::string_view name);
[[nodiscard]] std::optional<Format> format_of(std::string_view name);

/// Names of Kernel::sizes, in order: "m", "n", "k" of a gemm. At most kKernelSizes.
[[nodiscard]] std::span<const std::string_view> size_names(Operation operation);
/// Number of leading sizes that define the computation. The later ones only refine its duration and
/// can be absent: the row length of element-wise kernels, the reuse of looked-up rows, and the
/// tokens from which a grouped product gathers its rows. Each of `tokens` chose `chosen` of
/// `experts`; without these sizes, the rows are already contiguous.
[[nodiscard]] std::size_t defining_sizes(Operation operation);

/// Bits of one number, without the scales of blocks. 0: unsaid.
[[nodiscard]] int bits_of(Format format);

/// One line that `parse_kernel` reads: "gemm weight_grad bf16,bf16>fp32 m=4096 n=1024 k=8192
/// accumulates flops=… bytes=…". Omits sizes of zero.
[[nodiscard]] std::string to_text(const Kernel& kernel);
/// Parses the result of to_text(). Nullopt for other text: unknown words, duplicate sizes, or sizes
/// below one.
[[nodiscard]] std::optional<Kernel> parse_kernel(std::string_view text);

/// Hash of the content, equal for every compiler; equal kernels have equal hashes.
[[nodiscard]] std::uint64_t hash_of(const Kernel& kernel);

/// Host time to launch one kernel, including the work of the framework. If kernels are shorter than
/// that, the device waits for the host. 0: launches are not simulated.
struct LaunchTimes {
  Time forward{};
  Time backward{};  ///< kernels of all gradients
  Time optimizer{};
  Time looped_forward{};   ///< launches from loops of compiled code (Kernel::looped_launches)
  Time looped_backward{};  ///< the same, of gradients
  /// Maximum number of launches that a host is ahead of its device. CUDA's streams hold about 1,000
  /// before a launch blocks (NVIDIA's developer forum, thread 68937; docs/kernel-times.md).
  std::uint32_t max_queued = 1024;

  /// All times, in the order of the members.
  [[nodiscard]] std::array<Time, 5> all() const {
    return {forward, backward, optimizer, looped_forward, looped_backward};
  }
  /// Time of one launch by the framework.
  [[nodiscard]] Time of(const Kernel& kernel) const;
  /// Number of all launches of a kernel, and the mean time of one of them, rounded up.
  [[nodiscard]] std::uint32_t count(const Kernel& kernel) const;
  [[nodiscard]] Time mean(const Kernel& kernel) const;
  [[nodiscard]] bool is_set() const { return shortest() != Time{}; }
  /// The shortest time that is not 0; 0 if all are.
  [[nodiscard]] Time shortest() const;
  friend bool operator==(const LaunchTimes&, const LaunchTimes&) = default;
};

/// Index into a KernelTable.
using KernelId = std::uint32_t;
inline constexpr KernelId kNoKernel = ~KernelId{0};

/// The distinct kernels of all ranks. Ids are dense, in order of first appearance. Thread-safe;
/// references stay valid.
class KernelTable {
 public:
  KernelId intern(const Kernel& kernel);
  [[nodiscard]] const Kernel& operator[](KernelId id) const;
  [[nodiscard]] std::size_t size() const;

  /// Launch times of all hosts.
  [[nodiscard]] LaunchTimes launch_times() const;
  void set_launch_times(const LaunchTimes& times);

 private:
  mutable std::mutex mutex_;
  LaunchTimes launch_times_;
  std::deque<Kernel> kernels_;
  std::unordered_multimap<std::uint64_t, KernelId> ids_;  // by hash
};

}  // namespace orrery::graph
