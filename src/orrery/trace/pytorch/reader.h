// SPDX-License-Identifier: Apache-2.0
//
// PyTorch execution traces (ExecutionTraceObserver, ExecutionGraphObserver), and what Chakra's
// linker makes of them.
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

/// Reads a whole trace, schemas 1.0.0 to 1.1.1, with or without "-chakra.0.0.4" or "-chakra.1.0.0"
/// (newer ones of version 1 too, counted unknown_field_kept): every node an untimed event of kind
/// op or annotation (by scope), the tree by the nodes' own parents (a parent that is not in the
/// file: kept under its thread, counted node_without_parent), threads as lanes. Nodes that Chakra's
/// linker added (with "cat", "ts", "inclusive_dur") are timed and on the device, Work::op being
/// their parent; what else it adds (inter_thread_dep, sync_dep) is in Node::extra of host nodes.
/// Process groups from "## process_group:init ##", communications from record_param_comms
/// (attributes, else its inputs); a framework's operator, its record and the library's annotation
/// of one communication share one Comm. Rank and world size where the communications say them.
///
/// Lists (values, shapes, types) are the file's text without white space, their brackets balanced,
/// otherwise unchecked; one longer than it may be is cut between elements (string_cut).
///
/// A killed job's file without end is read as far as it goes. The result is indexed. Errc:
/// input_corrupt, input_empty, input_unsupported (a schema that is no execution trace's),
/// limit_exceeded. O(nodes log nodes).
[[nodiscard]] Result<profile::Profile> read(std::unique_ptr<ByteSource> source,
                                            const ReadOptions& options, Findings& findings);

}  // namespace orrery::trace::pytorch
