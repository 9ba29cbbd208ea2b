// SPDX-License-Identifier: Apache-2.0
//
// The clock that a device sustains under a power limit, from the energy of its operations.
#pragma once

#include <string_view>

namespace orrery::model {

/// Energies of a class of devices, in J.
struct OperationEnergy {
  double flop16 = 0;  ///< per 16-bit operation of the matrix units at the boost clock; 0: unknown
  double flop8 = 0;   ///< … 8-bit
  double byte = 0;    ///< per byte of device memory
};

/// Energies of the architecture ("hopper"; of `bandwidth` bytes/s of device memory). All 0:
/// unknown.
///
/// Operations: from long products of normally distributed numbers at the board's power, whose rate
/// shows the clock (median of products of 2 TFLOP and more, TensorRT-LLM, as of
/// data/kernels/README.md: A100 261 TFLOP/s at 400 W, H100 743 and 1,290, L40S 197 and 329, RTX PRO
/// 6000 398 and 715, medians of B200, B300, GB200 and GB300). Bytes: 3.9 pJ/bit of HBM2 and 14
/// pJ/bit of GDDR5 (O'Connor et al., Fine-Grained DRAM, MICRO 2017, section 2).
[[nodiscard]] OperationEnergy operation_energy(std::string_view architecture, double bandwidth);

/// What a kernel does at the board's own power.
struct KernelLoad {
  double flops = 0;    ///< FLOP/s of the matrix units
  double bytes = 0;    ///< bytes/s of device memory
  double flop = 0;     ///< J per operation at the boost clock; 0: unknown, the kernel is assumed to
                       ///< use all of the board's power
  double byte = 0;     ///< J per byte
  bool matrix = true;  ///< its time follows the clock of the matrix units
};

/// The factor by which a kernel lasts longer if the device may use only `limit` W of `board` W;
/// at least 1. Power is that of the idle device, of memory, and of operations; the latter grows
/// with the cube of the clock (as in Chip, model/kernels/heuristic/chip.h). Kernels that stay below
/// the limit keep their time. Check of the cube by power of the same chips (16 bits, 8 bits;
/// medians of the same tables): B300 / B200 1.02, 1.05 measured, 1.03 predicted; GB300 /
/// B200 1.26, 1.25 measured, 1.20 predicted; GB200 / B200 1.04, 1.06 measured, 1.14 predicted.
[[nodiscard]] double slowdown_under_limit(const KernelLoad& load, double board, double limit);

}  // namespace orrery::model
