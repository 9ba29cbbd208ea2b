// SPDX-License-Identifier: Apache-2.0
//
// Reads PyTorch execution traces (ExecutionTraceObserver, ExecutionGraphObserver), also after
// Chakra's linker.
#pragma once

#include <memory>
#include <string>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/profile/profile.h"
#include "orrery/trace/io/byte_source.h"

namespace orrery::trace::pytorch {

struct ReadOptions {
  std::string where;                    ///< names the source in errors
  std::shared_ptr<StringPool> strings;  ///< must be set
};

/// Reads a complete trace, schemas 1.0.0 to 1.1.1, with or without "-chakra.0.0.4" or
/// "-chakra.1.0.0" (also newer ones of version 1, counted unknown_field_kept).
/// - Every node becomes an untimed event of kind op or annotation (by scope). Threads become lanes.
/// - The tree follows the nodes' parents. A node whose parent is missing in the file is put under
///   its thread (node_without_parent).
/// - Nodes that Chakra's linker added (with "cat", "ts", "inclusive_dur") are timed, on the device,
///   and have their parent as Work::op. Other additions of the linker (inter_thread_dep, sync_dep)
///   are in Node::extra of host nodes.
/// - Process groups come from "## process_group:init ##", communications from record_param_comms
///   (its attributes, else its inputs). The operator, the record and the annotation of one
///   communication share one Comm. Rank and world size come from communications, if they contain
///   them.
/// - Lists (values, shapes, types) are the file's text without white space. Their brackets are
///   balanced; otherwise they are not checked. A list that is too long is cut between elements
///   (string_cut).
/// - A file without an end, of a killed job, is read as far as possible.
///
/// The result is indexed. Errc: input_corrupt, input_empty, input_unsupported (a schema that is not
/// of an execution trace), limit_exceeded. O(nodes log nodes).
[[nodiscard]] Result<profile::Profile> read(std::unique_ptr<ByteSource> source,
                                            const ReadOptions& options, Findings& findings);

}  // namespace orrery::trace::pytorch
