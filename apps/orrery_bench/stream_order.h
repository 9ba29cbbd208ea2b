// SPDX-License-Identifier: Apache-2.0
//
// Determines which device streams a step must wait for, if steps run on several streams, by
// recording which stream used which memory. Uses only the standard library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace orrery::bench {

/// Memory that a step reads or writes. Tensors that share memory have the same `memory`.
struct MemoryUse {
  const void* memory = nullptr;
  bool written = false;
};

/// Streams are queues: work on one stream runs in order. A step waits for the last step on another
/// stream that wrote memory that it uses. If it writes, it also waits for steps that read this
/// memory. It then waits for all earlier work on that stream (as PyTorch's wait_stream), and thus
/// also for what that stream had waited for. It does not wait again for work that is known to have
/// ended.
class StreamOrder {
 public:
  explicit StreamOrder(std::size_t count);

  [[nodiscard]] std::size_t count() const { return seen_.size(); }
  /// Adds the next step, on `stream`. Returns the other streams that it must wait for, ascending.
  /// O(uses × streams).
  std::vector<std::uint32_t> step(std::uint32_t stream, const std::vector<MemoryUse>& uses);
  /// The last step created this memory.
  void made(const void* memory);
  /// The memory was released; its address may be reused.
  void forget(const void* memory);
  /// All work on the streams has ended.
  void clear();

 private:
  /// The last steps that used some memory, as step numbers on their streams; 0: none.
  struct Users {
    std::uint32_t writer = 0;            ///< stream of the last writer
    std::uint64_t written = 0;           ///< step number of the write on that stream
    std::vector<std::uint64_t> readers;  ///< by stream: last read since the write
  };
  void note(const MemoryUse& use, std::uint32_t stream);

  /// By stream: for each stream, the step number that it waits for or has reached; for itself, its
  /// number of steps.
  std::vector<std::vector<std::uint64_t>> seen_;
  std::unordered_map<const void*, Users> users_;
  std::uint32_t last_ = 0;  ///< stream of the last step
};

}  // namespace orrery::bench
