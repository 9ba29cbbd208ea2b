// SPDX-License-Identifier: Apache-2.0
//
// Executes the communications of a program. Includes PyTorch.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "addons/bench/plan/program.h"

namespace orrery::bench {

/// The begin and end of a communication, by CLOCK_MONOTONIC.
struct TimeSpan {
  std::int64_t begin_ns = 0, end_ns = 0;
};

/// Communications are numbered as in Program::exchanges. Each begins once per iteration and is
/// waited for once. Functions throw std::exception if communication fails.
class Communicator {
 public:
  Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  virtual ~Communicator() = default;

  /// A barrier over all ranks, before each iteration and after the last.
  virtual void barrier() {}
  /// Begins a communication and returns immediately. Other code must not access the tensors until
  /// wait() returns.
  virtual void begin(std::size_t exchange, const std::vector<at::Tensor>& sent,
                     const std::vector<at::Tensor>& received) = 0;
  /// Returns when the communication has ended.
  [[nodiscard]] virtual TimeSpan wait(std::size_t exchange) = 0;
};

/// Sends nothing: each communication lasts its delay. Those of one group run one after another.
[[nodiscard]] std::unique_ptr<Communicator> make_delay_communicator(const Program& program);

}  // namespace orrery::bench
