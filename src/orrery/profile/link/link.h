// SPDX-License-Identifier: Apache-2.0
//
// Links an execution trace and a device trace of one rank into one profile, and attaches device
// work to the operators that launched it.
#pragma once

#include <cstdint>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/profile/profile.h"

namespace orrery::profile {

/// Number of operators of the two files by how they were matched.
struct LinkReport {
  std::uint64_t nodes = 0;      ///< in the execution trace, without roots and threads
  std::uint64_t operators = 0;  ///< operators and annotations in the device trace
  std::uint64_t by_record_function = 0;
  std::uint64_t by_external_id = 0;
  std::uint64_t by_order = 0;  ///< same position in the thread's pre-order and same name (also
                               ///< shapes and sequence number if both files have them)
  std::uint64_t rejected_as_chance =
      0;                    ///< matched by order but under other operators, therefore not linked
  std::uint64_t added = 0;  ///< nodes without an operator: added as untimed events
  std::uint64_t unlinked_operators = 0;  ///< operators without a node: unchanged

  [[nodiscard]] std::uint64_t linked() const {
    return by_record_function + by_external_id + by_order;
  }
  /// Share of the nodes that are linked, 0 … 1.
  [[nodiscard]] double rate() const {
    return nodes == 0 ? 0 : static_cast<double>(linked()) / static_cast<double>(nodes);
  }
};

/// Adds the contents of `host` (an execution trace) to `device` (timed). Operators found in both
/// get their nodes. Nodes found only in `host` become untimed events at their place in the tree.
/// Operators are matched by record-function id if the names agree, else by external id, else by
/// their order on each thread. Fallbacks are counted (linked_by_external_id, linked_by_order,
/// node_without_operator, operator_without_node). Both profiles must share one string pool. The
/// result is indexed. Errc: input_unlinked if no operator matches, or if the matches are under
/// other operators in the two files; `device` is then unchanged. O(events log events).
[[nodiscard]] Result<LinkReport> link(Profile& device, Profile&& host, Findings& findings);

/// Number of device works by how their operator was found.
struct AttachReport {
  std::uint64_t works = 0;
  std::uint64_t by_correlation = 0;  ///< the file contains the launching call
  std::uint64_t by_graph = 0;        ///< the launching call launched a graph
  std::uint64_t by_external_id = 0;  ///< the file lacks the call: the operator with the external id
  std::uint64_t by_order = 0;        ///< communications without an id: in the order of operators
  std::uint64_t given = 0;           ///< the reader had already set Work::op
  std::uint64_t orphans = 0;         ///< no operator found: only ordered on their stream
};

/// Sets Work::call to the call with the same correlation, and Work::op to the innermost operator or
/// annotation around that call on its thread. A kernel of a communication library gets the
/// innermost annotation of the library ("nccl:all_reduce"); a coalesced one the operator inside it.
/// If only the kernel or only its operator has a Comm, the other gets it, too. Counts
/// attached_by_external_id, attached_by_order and device_work_without_call. O(events log events).
AttachReport attach(Profile& profile, Findings& findings);

}  // namespace orrery::profile
