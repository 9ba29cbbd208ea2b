// SPDX-License-Identifier: Apache-2.0
//
// What becomes of a program's communications. Includes PyTorch.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "program.h"

namespace orrery::replay {

/// When a communication was under way, by CLOCK_MONOTONIC.
struct Busy {
  std::int64_t begin_ns = 0, end_ns = 0;
};

/// Communications are numbered as in Program::exchanges; each begins once in an iteration, and is
/// waited for once. Functions throw std::exception where that cannot go on.
class Communicator {
 public:
  Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  virtual ~Communicator() = default;

  /// Before each iteration and after the last: all ranks get here before any goes on.
  virtual void meet() {}
  /// Returns at once. Tensors are not touched by others until it is waited for.
  virtual void begin(std::size_t exchange, const std::vector<at::Tensor>& sent,
                     const std::vector<at::Tensor>& received) = 0;
  /// Returns when it is over.
  [[nodiscard]] virtual Busy wait(std::size_t exchange) = 0;
};

/// Nothing is sent: each takes its delay, one after another within a group.
[[nodiscard]] std::unique_ptr<Communicator> delays_of(const Program& program);

}  // namespace orrery::replay
