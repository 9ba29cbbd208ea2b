// SPDX-License-Identifier: Apache-2.0
//
// Reads nodes of CUDA graphs and the dependencies between them from records.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "orrery/core/findings.h"
#include "orrery/profile/profile.h"
#include "orrery/trace/kineto/record.h"

namespace orrery::trace::kineto {

class GraphNodes {
 public:
  /// Displayed row of a record: "pid" and "tid", which may differ from device and stream.
  using DisplayLane = std::pair<std::int64_t, std::int64_t>;

  explicit GraphNodes(profile::Profile& profile) : profile_(profile) {}

  /// True for a flow from node to node; other flows lead from calls to works.
  [[nodiscard]] static bool is_edge(const Record& flow);

  /// Adds the last element of Profile::works, if a graph launched it.
  void add_work(const Record& record, profile::EventId event, DisplayLane display_lane);
  /// Adds one end of a flow.
  void add_end(const Record& flow, Time time, DisplayLane display_lane);
  void shift(Time by);
  /// Connects works by flows. If a node ends after its successor begins (clocks of streams may
  /// differ), there is no dependency: dependency_contradicts_time.
  void finish(Findings& findings);

 private:
  struct Node {
    DisplayLane display_lane;
    profile::EventId event = profile::kNoEvent;
  };
  struct FlowEnd {
    std::uint64_t id = 0;
    DisplayLane display_lane;
    Time time{};
    bool is_start = false;
  };

  [[nodiscard]] profile::EventId node_starting_at(const FlowEnd& end) const;
  [[nodiscard]] profile::EventId node_ending_at(const FlowEnd& end, profile::EventId before) const;
  [[nodiscard]] std::pair<const Node*, const Node*> nodes_starting_at(const FlowEnd& end) const;

  profile::Profile& profile_;
  std::vector<Node> nodes_;
  std::vector<FlowEnd> ends_;
};

}  // namespace orrery::trace::kineto
