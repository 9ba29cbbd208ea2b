// SPDX-License-Identifier: Apache-2.0
//
// The operations of HLO and StableHLO: what a device does for each.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "orrery/core/collective_type.h"

namespace orrery::hlo {

/// How an operation is treated.
enum class OpClass : std::uint8_t {
  parameter,
  constant,
  tuple,
  tuple_element,
  free,  ///< moves and computes nothing: reshapes, tokens, ids
  elementwise,
  movement,  ///< copies elements to other places
  reduce,
  window,  ///< reduces windows: pooling, and its gradient
  scatter,
  gather,
  sort,
  random,
  dot,
  convolution,
  decomposition,  ///< of matrices; one pass over n × n² elements
  fft,
  collective,
  permute,  ///< messages by pairs of devices
  call,
  loop,
  branch,
  fusion,
  custom_call,
  async_start,  ///< starts the operation of its computation
  async_done,   ///< passes the value of its operand on
  host,         ///< exchanges data with the host or outside of the program
  unknown,
};

/// A row of the table of operations.
struct Opcode {
  std::string_view name;  ///< as StableHLO writes it; HLO has hyphens instead of underscores
  OpClass op_class = OpClass::unknown;
  /// FLOPs for one element of the result of an elementwise operation.
  std::uint8_t flops = 0;
  bool fuses = false;  ///< compilers compute it inside of the kernel that uses it
  std::optional<CollectiveType> collective{};
};

/// All operations.
[[nodiscard]] std::span<const Opcode> opcodes();
/// The operation with this name, as HLO ("all-reduce-start") or StableHLO writes it, without
/// dialect. The row `unknown` for others.
[[nodiscard]] const Opcode& find_opcode(std::string_view name);

}  // namespace orrery::hlo
