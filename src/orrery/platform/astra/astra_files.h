// SPDX-License-Identifier: Apache-2.0
//
// ASTRA-sim's files from text: one function per file. Private to this room (and its tests and
// fuzzers).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "orrery/config/document.h"
#include "orrery/platform/astra/astra.h"

namespace orrery::platform {

/// An error unless the tree is a mapping.
[[nodiscard]] Result<config::Json> as_mapping(Result<config::Json> tree, const std::string& where);

/// The network YAML → `platform.dims`.
[[nodiscard]] Result<void> apply_network(std::string_view text, const std::string& where,
                                         Platform& platform, Findings& findings);

/// The system JSON → everything else but remote memory. Needs `platform.dims`; reads a per-node
/// custom file if named.
[[nodiscard]] Result<void> apply_system(std::string_view text, const AstraInputs& inputs,
                                        Platform& platform, Findings& findings);

/// The memory JSON → `platform.remote_memory`. Needs `platform.dims`.
[[nodiscard]] Result<void> apply_memory(std::string_view text, const std::string& where,
                                        Platform& platform, Findings& findings);

/// A per-node-custom-implementation file: workload node id → Chakra trace prefix.
[[nodiscard]] Result<std::map<std::uint64_t, std::string>> parse_custom_by_node(
    std::string_view text, const std::string& where);

/// "ring", "direct4", "oneHalvingDoubling", … Empty when `name` is none of them.
[[nodiscard]] std::optional<AlgorithmSpec> astra_algorithm(std::string_view name);

}  // namespace orrery::platform
