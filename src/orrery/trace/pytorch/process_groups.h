// SPDX-License-Identifier: Apache-2.0
//
// The process groups of an execution trace. The trace describes them once; communications refer to
// them by name.
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

/// Collects groups in a vector (of a profile), which must outlive this object.
class ProcessGroups {
 public:
  explicit ProcessGroups(std::vector<profile::Group>& groups) : groups_(groups) {}

  /// Reads the contents of "## process_group:init ##": a JSON list of groups. Returns false for
  /// other text. Invalid entries are skipped and counted in `ignored`.
  bool describe(std::string_view json, std::uint64_t& ignored);

  /// Index of the group with this name, which is added if it is new; ~0u for the empty name (of
  /// waits).
  std::uint32_t named(std::string_view name, std::string_view description, std::int64_t size);
  /// Index of a group by the address of its object, as in schemas before 1.0.3; ~0u for 0.
  std::uint32_t at_address(std::int64_t address, std::int64_t size);

  /// The group of all ranks, if the trace shows which one it is.
  [[nodiscard]] std::optional<std::uint32_t> world() const;

 private:
  bool add(const nlohmann::json& entry);

  std::vector<profile::Group>& groups_;
  std::map<std::string, std::uint32_t, std::less<>> by_name_;
  std::map<std::int64_t, std::uint32_t> by_address_;
  std::vector<bool> is_world_;  // by group: its description has all ranks
};

/// The communication library in a backend's description: "cuda:nccl", "cpu:gloo,cuda:nccl" → nccl.
[[nodiscard]] std::string library_of_backend(std::string_view backend);

}  // namespace orrery::trace::pytorch
