// SPDX-License-Identifier: Apache-2.0
//
// Process groups from a companion JSON file, or from the dump that PyTorch writes into METADATA
// nodes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/builder.h"
#include "orrery/graph/workload.h"

namespace orrery::trace::chakra {

using GroupMap = std::map<std::string, graph::ProcessGroup, std::less<>>;

/// `{"name": [rank, …], …}`. Errc: input_group, input_range, limit_exceeded; places are JSON
/// pointers.
[[nodiscard]] Result<GroupMap> parse_groups(std::string_view json, const std::string& where);

/// Reads a file of this form. Errc: as parse_groups, and input_not_found, input_read.
[[nodiscard]] Result<GroupMap> read_groups(const std::string& path);

/// True if `inputs.values` of a METADATA node looks like a dump of process groups.
[[nodiscard]] bool looks_like_group_dump(std::string_view values);

/// Parses a list of {pg_name, ranks}, as JSON or inside Python's printed list of one string. A
/// group without ranks contains all ranks.
[[nodiscard]] Result<GroupMap> parse_group_dump(std::string_view values, const std::string& where);

/// Adds `more` to `groups`. Errc: input_group if a name exists with other ranks (repair: keeps the
/// first).
[[nodiscard]] Result<void> merge_groups(GroupMap& groups, const GroupMap& more,
                                        const std::string& where, graph::Repair repair,
                                        Findings& findings);

/// Checks that every rank exists and is listed once per group. Errc: input_group (repair: removes
/// the wrong ranks).
[[nodiscard]] Result<void> check_groups(GroupMap& groups, std::uint32_t ranks,
                                        const std::string& where, graph::Repair repair,
                                        Findings& findings);

}  // namespace orrery::trace::chakra
