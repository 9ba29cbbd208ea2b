// SPDX-License-Identifier: Apache-2.0
//
// The process groups of an execution trace: described once, named by communications.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/profile/comm.h"

namespace orrery::trace::pytorch {

/// Collects groups into a vector (a profile's) that outlives it.
class ProcessGroups {
 public:
  explicit ProcessGroups(std::vector<profile::Group>& groups) : groups_(groups) {}

  /// Reads what "## process_group:init ##" carries: a JSON list of groups. False when it is
  /// something else; entries that make no sense are left out and counted.
  bool describe(std::string_view json, std::uint64_t& ignored);

  /// The group of that name, added if it is new; ~0u for the empty name (of waits).
  std::uint32_t named(std::string_view name, std::string_view description, std::int64_t size);
  /// Schemas before 1.0.3 name a group by the address of its object; ~0u for 0.
  std::uint32_t at_address(std::int64_t address, std::int64_t size);

  /// The group of all ranks, if the trace says which that is.
  [[nodiscard]] std::optional<std::uint32_t> world() const;

 private:
  bool add(const nlohmann::json& entry);

  std::vector<profile::Group>& groups_;
  std::map<std::string, std::uint32_t, std::less<>> by_name_;
  std::map<std::int64_t, std::uint32_t> by_address_;
  std::vector<bool> is_world_;  // by group: described as made of all ranks
};

/// The communication library in a backend's description: "cuda:nccl", "cpu:gloo,cuda:nccl" → nccl.
[[nodiscard]] std::string make_library_times(std::string_view backend);

}  // namespace orrery::trace::pytorch
