// SPDX-License-Identifier: Apache-2.0
//
// The matrix that `nvidia-smi topo -m` prints: the kind of link between each pair of devices.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"

namespace orrery::platform {

/// The PCIe route between two devices, nearest first.
enum class SmiPath : std::uint8_t {
  pix,   ///< over one PCIe switch
  pxb,   ///< over several
  phb,   ///< over a host bridge
  node,  ///< between host bridges of one NUMA node
  sys,   ///< between NUMA nodes
  unknown,
};

struct SmiCell {
  SmiPath path = SmiPath::unknown;
  std::uint32_t nvlinks = 0;
};

struct SmiMatrix {
  std::vector<std::string> names;  ///< "GPU0", "NIC0" or "mlx5_0"
  std::vector<bool> gpu;
  std::vector<std::string> affinity;  ///< what a GPU's row says of its NUMA node; may be empty
  std::vector<std::vector<SmiCell>> cells;  ///< symmetric

  [[nodiscard]] std::size_t size() const { return names.size(); }
};

/// The first matrix in the text, including rows without a column. NICs get the names of the legend.
/// Errc: input_empty (none), input_corrupt, input_truncated, limit_exceeded.
[[nodiscard]] Result<SmiMatrix> read_smi_matrix(std::string_view text, const std::string& where,
                                                Findings& findings);

/// Whether a line is the first line of a matrix.
[[nodiscard]] bool is_smi_header(const std::vector<std::string_view>& words);
/// Removes the escape sequences of terminals.
[[nodiscard]] std::string strip_escapes(std::string_view text);

/// Whether a word is a cell of the matrix: "NV18", "PIX", "X".
[[nodiscard]] bool is_smi_cell(std::string_view word);
/// Whether a word is the beginning of a cell: "N", "SY".
[[nodiscard]] bool is_cut_smi_cell(std::string_view word);

}  // namespace orrery::platform
