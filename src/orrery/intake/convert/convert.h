// SPDX-License-Identifier: Apache-2.0
//
// From a recorded rank to a Chakra trace.
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
#include "orrery/profile/dependencies/dependencies.h"
#include "orrery/profile/profile.h"
#include "orrery/trace/chakra/records/record.h"

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
  /// How long this rank begins after the job: what waits for nothing waits so long.
  Time begin{};
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
  std::uint64_t extra_comm_kernels = 0;  ///< further kernels of one communication: compute
  std::uint64_t starts = 0;              ///< nodes "[recorded start]"
  std::uint64_t pauses = 0;              ///< nodes "[recorded pause]"
};

/// Hands over the metadata (then all findings have been made), then every node. Ids: 1, 2, … in the
/// order of Dependencies::nodes; 0 is a METADATA node with the process groups (when there are any);
/// sends and receives that one kernel carries together follow behind the last one, each with the
/// kernel's dependencies, and the kernel waits for them. After them nodes that stand for what was
/// not recorded:
/// - "[recorded start]" (compute, host): takes as long as `begin` and Dependencies::start together;
///   what may not begin earlier waits for it (its dep_kind: "start"). One for all with equal times.
/// - "[recorded pause]" (compute, host): how long a thread was idle before a communication of its
///   own; has the communication's dependencies, and the communication waits for it. So a
///   communication takes no longer than it was recorded to.
///
/// Communications: see plan_comms (comm_plan.h). Attributes besides those of PyTorch's converter
/// (is_cpu_op, stream, tid, rf_id, fw_parent, seq_id, scope, fw_tid, op_schema, comm_type,
/// comm_size, pg_name, comm_src, comm_dst, comm_tag; left out where they have their default):
/// - duration_ps (int64): the exact cost where it is no whole number of microseconds. Those are cut
///   so that their sums along a thread or stream do not drift. Our own reader prefers it.
/// - in_split_bytes, out_split_bytes (int64 list): bytes to and from each peer of an all-to-all-v.
/// - root (int32): the root's number in its group.
/// - dep_kinds (string list, beside data_deps): why the node waits, with "?" where that was
///   inferred. Left out where all are the usual ones: host for host `thread`, device for host
///   `launch`, device for device `stream`, host for device `sync`.
/// - dep_lags_ps (int64 list, beside data_deps): how long after each the node may begin
///   (Dependency::lag). Left out where all are 0.
/// - is_wait (bool): "[recorded start]" and "[recorded pause]"; left out elsewhere.
/// - is_comm (bool): a kernel of a communication library that is compute here, as nothing says what
///   it does, or it is one of several of one communication; left out where it is none.
/// - is_copy (bool): a copy or a memset; left out where it is none.
/// - stream_row (int64): Dependencies::rows; left out where it is 0.
/// - captured_op, captured_dims, captured_types (string): the operator by which a node of a graph
///   was captured; left out where that is not known.
/// - device, correlation (int64), tensor_size (bytes of a copy), kernel_backend, kernel_file,
///   et_attrs (other attributes of an execution trace, as JSON).
/// start_time_micros is the rank's own clock plus `clock_offset`; ctrl_deps is the operator around.
[[nodiscard]] Result<ConvertReport> convert(
    const profile::Profile& profile, const profile::Dependencies& dependencies,
    const ConvertOptions& options, Findings& findings,
    const std::function<Result<void>(const trace::chakra::MetadataRecord&)>& on_metadata,
    const std::function<Result<void>(const trace::chakra::NodeRecord&)>& on_node);

/// The same into `<path>` (gzip when it ends ".gz"), whole or not at all, over another file only
/// with `force`.
[[nodiscard]] Result<ConvertReport> convert_to_file(const profile::Profile& profile,
                                                    const profile::Dependencies& dependencies,
                                                    const ConvertOptions& options,
                                                    const std::string& path, bool force,
                                                    Findings& findings);

/// The same straight into a graph, with nothing written; groups go to the METADATA node's readers
/// no further (take them from `options`). Errc: as GraphBuilder::finish.
[[nodiscard]] Result<graph::Graph> convert_to_graph(const profile::Profile& profile,
                                                    const profile::Dependencies& dependencies,
                                                    const ConvertOptions& options,
                                                    std::shared_ptr<StringPool> strings,
                                                    Findings& findings,
                                                    ConvertReport* report = nullptr);

}  // namespace orrery::intake
