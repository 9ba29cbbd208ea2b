// SPDX-License-Identifier: Apache-2.0
//
// FLOPs, bytes and kernels of single operations.
#pragma once

#include <cstdint>
#include <optional>

#include "orrery/graph/kernel.h"
#include "orrery/hlo/program/program.h"

namespace orrery::hlo {

/// The work of an operation on one device.
struct OperationCost {
  std::int64_t product_flop = 0;  ///< of matrix products and convolutions: 2 per multiplication
  std::int64_t other_flop = 0;    ///< one per element of each arithmetic operation
  std::int64_t read = 0, written = 0;  ///< bytes
  graph::Kernel kernel;                ///< operation, pass, formats and sizes; no FLOPs or bytes
  bool known = true;  ///< false: a custom call of an unknown library, or an unknown operation
};

/// The work of an operation of `computation`. Fusions have that of their body, and read slices of
/// operands of which they use no more. O(operations of the body).
[[nodiscard]] OperationCost cost_of(const Program& program, const Computation& computation,
                                    const Instruction& operation);

/// Whether a custom call with this name marks a value and does nothing.
[[nodiscard]] bool is_annotation(std::string_view target);

/// Multiplications of a convolution along one spatial dimension of size `outputs`: pairs of an
/// output and an element of the window. Zeros between the elements of a dilated input do not count,
/// those of its padding do, as libraries compute them.
[[nodiscard]] std::int64_t window_pairs(const WindowDim& dim, std::int64_t outputs);

}  // namespace orrery::hlo
