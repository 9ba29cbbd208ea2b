// SPDX-License-Identifier: Apache-2.0
//
// The properties of a device that kernel time models use: its data sheet, without measurements.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "orrery/graph/kernel.h"

namespace orrery::model {

/// Figures in SI units; 0: the data sheet does not contain the figure.
struct Silicon {
  std::string name;                            ///< catalog name, may be empty
  std::string architecture;                    ///< "hopper", "cdna3"; may be empty
  std::array<double, graph::kFormats> peak{};  ///< dense FLOP/s of the matrix units, by format
  double vector = 0;                           ///< fp32 FLOP/s outside the matrix units
  double memory = 0;                           ///< bytes/s of device memory
  double memory_bytes = 0;
  double l2_bytes = 0;          ///< last-level cache on the device
  double shared_bytes = 0;      ///< shared memory of one multiprocessor
  double clock = 0;             ///< Hz, boost
  double power = 0;             ///< W
  std::int64_t processors = 0;  ///< SMs, compute units, cores
  bool described = false;       ///< in the catalog; false: only peak and memory may be known

  /// Dense FLOP/s of products of `format`. A format without units of its own runs in the next wider
  /// format with units (fp8 in bf16, bf16 in fp32; fp8_block and fp8_mx as fp8). 0: unknown.
  [[nodiscard]] double rate(graph::Format format) const;
};

}  // namespace orrery::model
