// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <utility>
#include <vector>

#include "orrery/sim/engine/state/run_state.h"

namespace orrery::sim {
namespace {

// The oracle is a set.
RC_GTEST_PROP(ReadyNodes, LowestFirst, (const std::vector<std::uint16_t>& steps)) {
  ReadyNodes ready;
  std::set<graph::NodeId> oracle;
  for (const std::uint16_t step : steps) {
    if (step % 3 == 0 && !oracle.empty()) {
      ready.pop();
      oracle.erase(oracle.begin());
    } else if (oracle.insert(step).second) {
      ready.push(step);
    }
    RC_ASSERT(ready.empty() == oracle.empty());
    RC_ASSERT(ready.size() == oracle.size());
    RC_ASSERT(ready.front() == (oracle.empty() ? graph::kNoNode : *oracle.begin()));
  }
  std::set<graph::NodeId> seen;
  std::as_const(ready).each([&](graph::NodeId node) { seen.insert(node); });
  RC_ASSERT(seen == oracle);
}

}  // namespace
}  // namespace orrery::sim
