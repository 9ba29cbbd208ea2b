// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/convert/node.h"

namespace orrery::intake {

using graph::CollectiveType;
using profile::CommKind;

CollectiveType collective_type(CommKind kind) {
  switch (kind) {
    case CommKind::all_reduce:
      return CollectiveType::all_reduce;
    case CommKind::reduce:
      return CollectiveType::reduce;
    case CommKind::all_gather:
      return CollectiveType::all_gather;
    case CommKind::gather:
      return CollectiveType::gather;
    case CommKind::scatter:
      return CollectiveType::scatter;
    case CommKind::broadcast:
      return CollectiveType::broadcast;
    case CommKind::all_to_all:
      return CollectiveType::all_to_all;
    case CommKind::reduce_scatter:
      return CollectiveType::reduce_scatter;
    case CommKind::barrier:
      return CollectiveType::barrier;
    default:
      return CollectiveType::unknown;
  }
}

}  // namespace orrery::intake
