// SPDX-License-Identifier: Apache-2.0
//
// Kernels that somebody measured, row by row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "orrery/graph/kernel.h"

namespace orrery::model {

/// One row of a table.
struct MeasuredKernel {
  std::uint32_t device = 0;  ///< which of MeasuredRows::devices
  graph::Kernel kernel{};    ///< flops and bytes do not matter
  double seconds = 0;        ///< of all launches; above 0 and finite
  std::uint32_t line = 0;
  std::uint32_t first_other = 0;  ///< of MeasuredRows::others …
  std::uint32_t others = 0;       ///< … so many ran behind `kernel`, and `seconds` is of them all
};

struct MeasuredRows {
  std::string where;  ///< the file, for findings and errors
  std::vector<std::string> devices;
  std::vector<MeasuredKernel> rows;
  std::vector<graph::Kernel> others;  ///< of rows that measured several kernels together

  [[nodiscard]] std::span<const graph::Kernel> others_of(const MeasuredKernel& row) const {
    return std::span(others).subspan(row.first_other, row.others);
  }
  /// All kernels of a row, the first in front.
  [[nodiscard]] std::vector<graph::Kernel> kernels_of(const MeasuredKernel& row) const;
};

/// Puts the rows of another table behind those of `into`, which keeps its `where` if it has one.
/// Devices are the same where their names are.
void append(MeasuredRows& into, const MeasuredRows& more);

}  // namespace orrery::model
