// SPDX-License-Identifier: Apache-2.0
//
// What one device does for a program: kernels and communication, with what each waits for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/hlo/lower/flat_program.h"
#include "orrery/hlo/program/program.h"

namespace orrery::hlo {

enum class TaskKind : std::uint8_t { kernel, collective, permute };

/// Where the values of a collective come from and go to.
enum class Purpose : std::uint8_t {
  other,
  gradients,    ///< they have the size of an input of the program, and only change its outputs
  statistics,   ///< sums over a batch that the passes then use: those of batch norm
  state,        ///< state that a step changes without gradients: running averages of batch norm
  activations,  ///< parts of tensors that the passes then use: tensor or sequence parallelism
  results,      ///< other outputs: the loss, metrics
};
[[nodiscard]] std::string_view name(Purpose purpose);

/// A kernel, or one communication.
struct DeviceTask {
  TaskKind kind = TaskKind::kernel;
  const Instruction* operation = nullptr;  ///< its last one
  std::uint32_t operations = 1;            ///< that it computes
  std::int64_t product_flop = 0, other_flop = 0;
  graph::Kernel kernel;       ///< with FLOPs and bytes; launches 1
  std::int64_t bytes = 0;     ///< of a collective, by Chakra's convention: an all-gather's
                              ///< shard, the full input of others; of a message
  std::int64_t elements = 0;  ///< of the input of a collective
  graph::Format format = graph::Format::unsaid;
  Purpose purpose = Purpose::other;
  bool blocks = false;               ///< later tasks wait for it, as the program is scheduled
  std::vector<std::uint32_t> waits;  ///< earlier tasks
};

/// The tasks of a device, in the order of the program. Elementwise operations and moves of elements
/// join the kernel that alone uses them; casts and broadcasts are computed by each kernel that uses
/// them; reductions take in what feeds them. Programs that a compiler has fused stay as they are.
/// Unknown operations and custom calls of unknown libraries are findings (key_without_effect).
/// Errc: as flatten(). O(steps).
[[nodiscard]] Result<std::vector<DeviceTask>> device_tasks(const Program& program,
                                                           const std::string& where,
                                                           Findings& findings);

}  // namespace orrery::hlo
