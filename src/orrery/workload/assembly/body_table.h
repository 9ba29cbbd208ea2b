// SPDX-License-Identifier: Apache-2.0
//
// The bodies of a program while it is written. Private to the assembly.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "orrery/workload/program/program.h"

namespace orrery::workload {

/// Bodies of a program, each kept once.
class BodyTable {
 public:
  /// `overlap` false: all communication but receives goes on stream::compute. Receives stay where
  /// they are, and wait for nothing, since a peer may be waiting for them.
  BodyTable(std::vector<Body>& bodies, bool overlap) : bodies_(bodies), overlap_(overlap) {}

  /// The number of the body with these ops.
  std::uint32_t add(const std::string& name, std::vector<Op> ops);

 private:
  std::vector<Body>& bodies_;
  bool overlap_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> known_;
};

}  // namespace orrery::workload
