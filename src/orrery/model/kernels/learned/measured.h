// SPDX-License-Identifier: Apache-2.0
//
// Tables of measured kernel times, and of the devices they were measured on: how they are read.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/graph/kernel.h"
#include "orrery/model/kernels/silicon.h"

namespace orrery::model {

/// Rows of such tables. Row i holds kernels [first[i], first[i + 1]), which were measured together,
/// one after another.
struct MeasuredKernels {
  std::vector<std::string> devices;  ///< names, in order of first appearance
  std::vector<graph::Kernel> kernels;
  std::vector<std::uint32_t> first{0};  ///< size() + 1 of them
  std::vector<std::uint32_t> device;    ///< by row: index into devices
  std::vector<double> seconds;          ///< by row, more than 0

  [[nodiscard]] std::size_t size() const { return seconds.size(); }
  [[nodiscard]] std::span<const graph::Kernel> row(std::size_t i) const {
    return std::span(kernels).subspan(first[i], first[i + 1] - first[i]);
  }
};

/// Appends a table: CSV with the header "device,kernel,us", where kernels are as graph::to_text
/// writes them, " + " between those measured together, and times are microseconds. `where` names
/// the file in errors. collect/kernel_tables.py makes such tables of public ones.
/// Errc: input_corrupt (with the line), input_range (a time that cannot be), limit_exceeded.
[[nodiscard]] Result<void> read_measured(std::string_view csv, std::string_view where,
                                         MeasuredKernels& into);

/// Devices as text: a line each, "name architecture=hopper bf16=989e12 memory=3.35e12 …" in SI
/// units;
/// '#' begins a comment. Keys: architecture; a peak by the name of its format, FLOP/s; vector,
/// memory, memory_bytes, l2_bytes, shared_bytes, clock, power, processors as in Silicon. Errc:
/// config_syntax, config_unknown_key, config_range, config_missing_key (memory).
[[nodiscard]] Result<std::vector<Silicon>> read_silicons(std::string_view text,
                                                         std::string_view where);

}  // namespace orrery::model
