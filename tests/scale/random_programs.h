// SPDX-License-Identifier: Apache-2.0
//
// Random programs of a few roles, not yet given to ranks.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "orrery/graph/builder.h"
#include "orrery/graph/workload.h"
#include "random_choices.h"

namespace orrery::scale {

/// One node of a role. Whom it names is left open.
struct Step {
  graph::NodeSpec spec;  ///< ids are 1, 2, 3 … within the role
  std::uint32_t group = 0;
  std::uint32_t peer = 0;  ///< a role
  std::uint32_t turn = 0;  ///< how many copies further the peer is, or the rank than its group
};

/// Who may issue collectives together.
struct Group {
  struct Member {
    std::uint32_t role = 0;
    std::uint32_t turn = 0;  ///< copies further than the group's own
  };
  std::vector<Member> members;
  bool each = false;   ///< each role for itself, or else all of them
  bool world = false;  ///< all ranks
};

struct Plan {
  std::vector<Group> groups;
  std::vector<std::vector<Step>> roles;
};

/// Fills in what the roles do: every collective is issued by all that stand in its group, in one
/// order per group, and every send has its receive. `copies`: messages may go to another copy.
/// `loop`: all of it again and again, which otherwise is one of several choices.
void draw_steps(Draw& draw, Plan& plan, std::uint32_t copies, bool loop);

/// The role's graph; `name` writes into each node whom it means.
template <class Name>
[[nodiscard]] graph::GraphRef graph_of(const std::vector<Step>& role,
                                       const std::shared_ptr<StringPool>& strings, Name name) {
  graph::GraphBuilder builder("drawn", strings, graph::Repair::refuse);
  for (const Step& step : role) {
    graph::NodeSpec spec = step.spec;
    for (graph::TensorUse& use : spec.tensors)
      use.name = strings->intern("t" + std::to_string(static_cast<std::uint32_t>(use.name)));
    name(step, spec);
    builder.add(spec);
  }
  Findings findings;
  auto graph = std::move(builder).finish(findings);
  return graph ? std::make_shared<const graph::Graph>(std::move(*graph)) : nullptr;
}

}  // namespace orrery::scale
