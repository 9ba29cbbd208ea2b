// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/compute/compute.h"

#include "orrery/model/compute/roofline.h"

namespace orrery::model {

namespace {

class RecordedOrRoofline final : public Compute {
 public:
  explicit RecordedOrRoofline(const platform::Platform& platform) : platform_(platform) {}

  [[nodiscard]] Source source(const graph::Graph& graph, graph::NodeId node) const override {
    if (platform_.replay_only || graph.kind(node) != graph::NodeKind::comp || graph.is_cpu(node))
      return Source::recorded;
    const bool recorded = graph.duration(node) > Time{};
    const platform::Device& device = platform_.device;
    const bool wanted =
        device.roofline || (device.roofline_without_duration && !recorded && knows(graph, node));
    // ASTRA rules: it has to know, or the run fails.
    const bool can = knows(graph, node) || platform_.rules == platform::Rules::astra;
    return wanted && can ? Source::roofline : Source::recorded;
  }

  [[nodiscard]] Result<Answer> time(const graph::Graph& graph, graph::NodeId node) const override {
    if (source(graph, node) == Source::recorded)
      return Answer{graph.duration(node), Source::recorded};
    if (!knows(graph, node)) {
      return fail(Errc::input_missing_attr, "",
                  "a compute node lacks num_ops or tensor_size, which the roofline needs",
                  "turn roofline-enabled off to use recorded durations");
    }
    const auto time = roofline_time(graph.work(node), platform_.device, platform_.rules);
    if (!time) {
      return fail(Errc::config_range, "", "the roofline gives no time within 46 days",
                  "set the device's peak and memory bandwidth");
    }
    return Answer{*time, Source::roofline};
  }

 private:
  static bool knows(const graph::Graph& graph, graph::NodeId node) {
    return graph.has(node, graph::kHasNumOps) && graph.has(node, graph::kHasTensorSize);
  }

  const platform::Platform& platform_;
};

}  // namespace

std::unique_ptr<Compute> make_compute(const platform::Platform& platform) {
  return std::make_unique<RecordedOrRoofline>(platform);
}

}  // namespace orrery::model
