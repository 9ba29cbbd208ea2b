// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/convert/node.h"

namespace orrery::intake {

// Both have the names of Chakra's types.
graph::CollectiveType collective_type(profile::CommKind kind) {
  return orrery::collective_type(name(kind)).value_or(CollectiveType::unknown);
}

}  // namespace orrery::intake
