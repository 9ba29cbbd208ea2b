// SPDX-License-Identifier: Apache-2.0
//
// The bodies of a program under construction. Private to the assembly.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "orrery/workload/program/program.h"

namespace orrery::workload {

/// Stores each distinct body of a program once.
class BodyTable {
 public:
  /// `overlap` false: all communication except receives moves to stream::compute. Receives stay on
  /// their streams and wait for nothing, since a peer may wait for them.
  BodyTable(std::vector<Body>& bodies, bool overlap) : bodies_(bodies), overlap_(overlap) {}

  /// The index of the body with these ops; adds it if it is new.
  std::uint32_t add(const std::string& name, std::vector<Op> ops);

 private:
  std::vector<Body>& bodies_;
  bool overlap_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> known_;
};

}  // namespace orrery::workload
