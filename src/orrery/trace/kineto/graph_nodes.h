// SPDX-License-Identifier: Apache-2.0
//
// What records say about CUDA graphs: which node a work is, and what nodes wait for.
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
  /// Where a record is shown: "pid" and "tid", which need not be device and stream.
  using DisplayLane = std::pair<std::int64_t, std::int64_t>;

  explicit GraphNodes(profile::Profile& profile) : profile_(profile) {}

  /// True for an arrow from node to node; others lead from calls to works.
  [[nodiscard]] static bool is_edge(const Record& flow);

  /// The latest of Profile::works, if a graph launched it.
  void add_work(const Record& record, profile::EventId event, DisplayLane display_lane);
  /// One end of an arrow.
  void add_end(const Record& flow, Time time, DisplayLane display_lane);
  void shift(Time by);
  /// Finds the works that arrows connect. What ends after the start of what waits for it is no
  /// dependency (clocks of streams may differ): dependency_contradicts_time.
  void finish(Findings& findings);

 private:
  struct Node {
    DisplayLane display_lane;
    profile::EventId event = profile::kNoEvent;
  };
  struct End {
    std::uint64_t id = 0;
    DisplayLane display_lane;
    Time time{};
    bool begins = false;
  };

  [[nodiscard]] profile::EventId started(const End& end) const;
  [[nodiscard]] profile::EventId ended(const End& end, profile::EventId before) const;
  [[nodiscard]] std::pair<const Node*, const Node*> around(const End& end) const;

  profile::Profile& profile_;
  std::vector<Node> nodes_;
  std::vector<End> ends_;
};

}  // namespace orrery::trace::kineto
