// SPDX-License-Identifier: Apache-2.0
//
// From a recorded rank to a Chakra trace.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/profile/dependencies.h"
#include "orrery/profile/profile.h"
#include "orrery/trace/chakra/record.h"

namespace orrery::intake {

/// What is known about the group a communication belongs to once all ranks have been seen.
struct GroupName {
  std::string name;                  ///< unique across the job; key of comm_group.json
  std::vector<std::uint32_t> ranks;  ///< global; empty = all
};

struct ConvertOptions {
  std::uint32_t rank = 0;
  /// Added to recorded starts: aligns the ranks' clocks.
  Time clock_offset{};
  /// By group of Profile::groups; without an entry the recorded name is used.
  std::map<std::uint32_t, GroupName> groups;
};

struct ConvertReport {
  std::uint64_t nodes = 0;
  std::uint64_t edges = 0;
  std::uint64_t compute = 0, collectives = 0, sends = 0, receives = 0;
  std::uint64_t device_nodes = 0;
  /// Device nodes that have a later one on their stream, and of those the ones with a successor.
  std::uint64_t device_with_later = 0, device_with_successor = 0;
  std::uint64_t comm_kernels = 0, comm_kernels_under_library = 0;  ///< under nccl:* or the like
};

/// Hands over the metadata, then every node in ascending id (1, 2, … in the order of
/// Dependencies::nodes). Collectives: type from what the framework recorded, else from the kernel's
/// name (comm_kind_from_name), else the node becomes compute (comm_kind_unknown); bytes from
/// elements × width; all-to-all-v splits, peers and roots as attributes. A communication on the
/// host alone (gloo) becomes a collective itself. Durations: whole microseconds, cut so that their
/// sums do not drift, and exactly, as attribute "duration_ns" (read back by our own reader).
[[nodiscard]] Result<ConvertReport> convert(
    const profile::Profile& profile, const profile::Dependencies& dependencies,
    const ConvertOptions& options, Findings& findings,
    const std::function<Result<void>(const trace::chakra::MetadataRecord&)>& on_metadata,
    const std::function<Result<void>(const trace::chakra::NodeRecord&)>& on_node);

/// The same into `<path>` (gzip when it ends ".gz"), whole or not at all.
[[nodiscard]] Result<ConvertReport> convert_to_file(const profile::Profile& profile,
                                                    const profile::Dependencies& dependencies,
                                                    const ConvertOptions& options,
                                                    Findings& findings, const std::string& path);

}  // namespace orrery::intake
