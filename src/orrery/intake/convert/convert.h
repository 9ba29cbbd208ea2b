// SPDX-License-Identifier: Apache-2.0
//
// Converts a recorded rank to a Chakra trace.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/graph.h"
#include "orrery/graph/workload.h"
#include "orrery/profile/dependencies/dependencies.h"
#include "orrery/profile/profile.h"
#include "orrery/trace/chakra/records/record.h"

namespace orrery::intake {

struct ConvertOptions {
  std::uint32_t rank = 0;
  /// Added to recorded start times, to align the clocks of the ranks.
  Time clock_offset{};
  /// Start of this rank after the start of the job. Nodes without dependencies wait this long.
  Time begin{};
  /// By index in Profile::groups, with global ranks (none: all ranks). A group without an entry has
  /// its recorded name. Names are unique across the job: they are keys of comm_group.json.
  std::map<std::uint32_t, graph::ProcessGroup> groups;
};

struct ConvertReport {
  std::uint64_t nodes = 0;
  std::uint64_t edges = 0;
  std::uint64_t compute = 0, collectives = 0, sends = 0, receives = 0;
  std::uint64_t device_nodes = 0;
  /// Device nodes with a later node on their stream; and how many of them have a successor.
  std::uint64_t device_with_later = 0, device_with_successor = 0;
  /// All, and those under nccl:* or a similar range.
  std::uint64_t comm_kernels = 0, comm_kernels_under_library = 0;
  std::uint64_t extra_comm_kernels = 0;  ///< further kernels of one communication: compute
  std::uint64_t starts = 0;              ///< nodes "[recorded start]"
  std::uint64_t pauses = 0;              ///< nodes "[recorded pause]"
};

/// Calls `on_metadata`, after all findings are complete, then `on_node` for every node.
///
/// Ids: 1, 2, … in the order of Dependencies::nodes. 0 is a METADATA node with the process groups,
/// if there are any. Then follow sends and receives that share a kernel: each has the kernel's
/// dependencies, and the kernel waits for them. The last nodes are waits that the recording does
/// not contain as events:
/// - "[recorded start]" (compute, host): lasts `begin` plus Dependencies::start. Nodes that must
///   not begin earlier wait for it (their dep_kind: "start"). There is one for each distinct time.
/// - "[recorded pause]" (compute, host): the idle time of a thread before a communication on that
///   thread. It has the communication's dependencies, and the communication waits for it. So a
///   communication lasts no longer than recorded.
///
/// Communications: see plan_comms (comm_plan.h). The nodes have the attributes of PyTorch's
/// converter (is_cpu_op, stream, tid, rf_id, fw_parent, seq_id, scope, fw_tid, op_schema,
/// comm_type, comm_size, pg_name, comm_src, comm_dst, comm_tag; omitted if they have their
/// default), and these:
/// - duration_ps (int64): the exact cost, if it is not a whole number of microseconds. Microseconds
///   are rounded so that their sums along a thread or stream do not drift. Orrery's reader prefers
///   duration_ps.
/// - in_split_bytes, out_split_bytes (int64 list): bytes to and from each peer of an all-to-all-v.
/// - root (int32): the root's number in its group.
/// - dep_kinds (string list, parallel to data_deps): why the node waits, with "?" if the dependency
///   is inferred. Omitted if all are the usual ones: host for host `thread`, device for host
///   `launch`, device for device `stream`, host for device `sync`.
/// - dep_lags_ps (int64 list, parallel to data_deps): earliest start of the node after each
///   dependency (Dependency::lag). Omitted if all are 0.
/// - comm_size_unknown (bool): the recording does not give the size of a collective; its comm_size
///   is 0, because other simulators require the attribute. Omitted for others.
/// - is_wait (bool): "[recorded start]" and "[recorded pause]"; omitted for other nodes.
/// - is_comm (bool): a kernel of a communication library that is compute here, because its kind is
///   unknown, or because it is one of several kernels of a communication; omitted for others.
/// - is_copy (bool): a copy or a memset; omitted for others.
/// - stream_row (int64): Dependencies::rows; omitted if 0.
/// - captured_op, captured_dims, captured_types (string): the operator that captured a node of a
///   graph; omitted if unknown.
/// - device, correlation (int64), tensor_size (bytes of a copy), kernel_backend, kernel_file,
///   et_attrs (other attributes of an execution trace, as JSON).
///
/// start_time_micros is the rank's own clock plus `clock_offset`. ctrl_deps contains the enclosing
/// operator.
[[nodiscard]] Result<ConvertReport> convert(
    const profile::Profile& profile, const profile::Dependencies& dependencies,
    const ConvertOptions& options, Findings& findings,
    const std::function<Result<void>(const trace::chakra::MetadataRecord&)>& on_metadata,
    const std::function<Result<void>(const trace::chakra::NodeRecord&)>& on_node);

/// Writes the converted trace to `<path>` (gzip if it ends in ".gz"), completely or not at all.
/// Replaces an existing file only with `force`.
[[nodiscard]] Result<ConvertReport> convert_to_file(const profile::Profile& profile,
                                                    const profile::Dependencies& dependencies,
                                                    const ConvertOptions& options,
                                                    const std::string& path, bool force,
                                                    Findings& findings);

/// Converts directly to a graph without writing a file. The graph does not contain the groups of
/// the METADATA node; take them from `options`. Errc: as GraphBuilder::finish.
[[nodiscard]] Result<graph::Graph> convert_to_graph(const profile::Profile& profile,
                                                    const profile::Dependencies& dependencies,
                                                    const ConvertOptions& options,
                                                    std::shared_ptr<StringPool> strings,
                                                    Findings& findings,
                                                    ConvertReport* report = nullptr);

}  // namespace orrery::intake
