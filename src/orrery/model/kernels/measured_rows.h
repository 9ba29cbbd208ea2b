// SPDX-License-Identifier: Apache-2.0
//
// Measured kernels, row by row.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "orrery/graph/kernel.h"

namespace orrery::model {

/// One row of a table.
struct MeasuredKernel {
  std::uint32_t device = 0;  ///< index in MeasuredRows::devices
  graph::Kernel kernel{};    ///< flops and bytes are not used
  double seconds = 0;        ///< of all launches; above 0 and finite
  std::uint32_t line = 0;
  std::uint32_t first_other = 0;  ///< first further kernel in MeasuredRows::others …
  std::uint32_t others = 0;       ///< … and their number; `seconds` includes them
};

struct MeasuredRows {
  std::string where;  ///< the file, for findings and errors
  std::vector<std::string> devices;
  std::vector<MeasuredKernel> rows;
  std::vector<graph::Kernel> others;  ///< further kernels of rows with several kernels

  [[nodiscard]] std::span<const graph::Kernel> others_of(const MeasuredKernel& row) const {
    return std::span(others).subspan(row.first_other, row.others);
  }
  /// All kernels of a row, in order.
  [[nodiscard]] std::vector<graph::Kernel> kernels_of(const MeasuredKernel& row) const;
};

/// Appends the rows of `more` to `into`, which retains its `where` if it has one. Devices with
/// equal names are the same.
void append(MeasuredRows& into, const MeasuredRows& more);

}  // namespace orrery::model
