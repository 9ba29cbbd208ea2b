// SPDX-License-Identifier: Apache-2.0
//
// An execution trace and a device trace of one rank become one profile; device work finds the
// operator that launched it.
#pragma once

#include <cstdint>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/profile/profile.h"

namespace orrery::profile {

/// How the operators of the two files were told to be the same.
struct LinkReport {
  std::uint64_t nodes = 0;      ///< of the execution trace, without roots and threads
  std::uint64_t operators = 0;  ///< operators and annotations of the device trace
  std::uint64_t by_record_function = 0;
  std::uint64_t by_external_id = 0;
  std::uint64_t by_order = 0;  ///< same place in the thread's pre-order, same name (and shapes,
                               ///< sequence number where both have them)
  std::uint64_t rejected_as_chance =
      0;                    ///< would be linked by order, but under other operators: not linked
  std::uint64_t added = 0;  ///< nodes without an operator: kept, untimed
  std::uint64_t unlinked_operators = 0;  ///< operators without a node: kept

  [[nodiscard]] std::uint64_t linked() const {
    return by_record_function + by_external_id + by_order;
  }
  /// Of the nodes, 0 … 1.
  [[nodiscard]] double rate() const {
    return nodes == 0 ? 0 : static_cast<double>(linked()) / static_cast<double>(nodes);
  }
};

/// Puts what `host` (an execution trace) knows into `device` (timed), which is then whole: nodes of
/// operators found in both, nodes found in `host` only as untimed events at their place in the
/// tree. Record-function ids are used where they agree with the names; else external ids; else the
/// order of operators on each thread. Each fallback is counted (linked_by_external_id,
/// linked_by_order, node_without_operator, operator_without_node). Leaves `device` indexed. Both
/// have one string pool. Errc: input_unlinked when nothing fits, or when what fits stands under
/// other operators in the two files; `device` is then as it was. O(events log events).
[[nodiscard]] Result<LinkReport> link(Profile& device, Profile&& host, Findings& findings);

/// How device work found its operator.
struct AttachReport {
  std::uint64_t works = 0;
  std::uint64_t by_correlation = 0;  ///< its launching call is in the file
  std::uint64_t by_graph = 0;        ///< one graph launch for many kernels
  std::uint64_t by_external_id = 0;  ///< no call in the file: the operator of its external id
  std::uint64_t given = 0;           ///< Work::op was filled already, by the reader
  std::uint64_t orphans = 0;         ///< neither: kept, only ordered on its stream
};

/// Fills Work::call and Work::op: the call with its correlation; the innermost operator or
/// annotation around that call on its thread. Kernels of a communication library belong to the
/// innermost annotation of the library there is ("nccl:all_reduce"); coalesced ones to the operator
/// inside it. Gives such kernels the Comm of their operator where the file gave them none, and the
/// other way round. Counts attached_by_external_id and device_work_without_call.
/// O(events log events).
AttachReport attach(Profile& profile, Findings& findings);

}  // namespace orrery::profile
