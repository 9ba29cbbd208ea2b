// SPDX-License-Identifier: Apache-2.0
//
// Which streams of a device a step has to wait for, where steps run on several: a book of who has
// used which memory. Needs nothing but the standard library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace orrery::replay {

/// Memory that a step reads, or writes: what tensors that see the same bytes have in common.
struct Use {
  const void* memory = nullptr;
  bool written = false;
};

/// Streams are queues: what is on one runs in order. A step waits for the last one on another
/// stream that wrote what it uses, and, if it writes, for those that read it. It waits for all that
/// was on that stream when it did (as PyTorch's wait_stream), and so for what that one had waited
/// for. What is known to have ended is not waited for again.
class Streams {
 public:
  explicit Streams(std::size_t count);

  [[nodiscard]] std::size_t count() const { return seen_.size(); }
  /// The next step, on `stream`: which others it has to wait for, ascending. O(uses × streams).
  std::vector<std::uint32_t> step(std::uint32_t stream, const std::vector<Use>& uses);
  /// The step before has made this memory.
  void made(const void* memory);
  /// Nothing sees it any more; its address may come again.
  void forget(const void* memory);
  /// All that was on the streams has ended.
  void clear();

 private:
  /// The last steps that used some memory, as numbers on their streams; 0: none.
  struct Users {
    std::uint32_t writer = 0;            ///< a stream
    std::uint64_t written = 0;           ///< … and the step on it
    std::vector<std::uint64_t> readers;  ///< by stream, since then
  };
  void note(const Use& use, std::uint32_t stream);

  /// By stream: how many steps of each it comes after; of itself, how many it has.
  std::vector<std::vector<std::uint64_t>> seen_;
  std::unordered_map<const void*, Users> users_;
  std::uint32_t last_ = 0;  ///< the last step's stream
};

}  // namespace orrery::replay
