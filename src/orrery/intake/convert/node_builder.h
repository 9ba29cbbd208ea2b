// SPDX-License-Identifier: Apache-2.0
//
// One recorded event as one Chakra node.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "orrery/intake/convert/comm_plan.h"
#include "orrery/intake/convert/convert.h"
#include "orrery/intake/convert/python_lists.h"
#include "orrery/intake/convert/recorded_kernels.h"
#include "orrery/profile/scopes/scopes.h"

namespace orrery::intake {

/// Chakra's collective; unknown for what is none.
[[nodiscard]] graph::CollectiveType collective_type(profile::CommKind kind);

/// A node of the host that stands for time alone.
[[nodiscard]] trace::chakra::NodeRecord waiting_node(std::uint64_t id, const char* name,
                                                     Time duration);

/// Makes the records of a rank's nodes, one after the other, in one record that is used again.
class NodeBuilder {
 public:
  NodeBuilder(const profile::Profile& profile, const profile::Dependencies& dependencies,
              const ConvertOptions& options, const RecordedKernels& kernels);

  /// The record of a node without what communication adds. Nodes must be asked for in ascending
  /// order (durations are cut from running sums).
  const trace::chakra::NodeRecord& node(std::uint32_t n);
  /// Makes the node made last a communication.
  const trace::chakra::NodeRecord& add_comm(const NodeComm& comm);
  /// Makes the node made last one that waits for these ids and then takes no time itself.
  const trace::chakra::NodeRecord& wait_for(std::uint64_t first_id, std::uint64_t count);
  /// Makes the node made last one that waits for this id too, the largest of all.
  const trace::chakra::NodeRecord& wait_for_start(std::uint64_t id);
  /// Takes the time before the node made last began from it, and its dependencies, for a node of
  /// their own with this id, which the node waits for. Empty where there is no such time.
  [[nodiscard]] std::optional<trace::chakra::NodeRecord> take_pause(std::uint32_t n,
                                                                    std::uint64_t id);
  /// A message that the kernel `comm.joined` carries among others.
  const trace::chakra::NodeRecord& queued(std::uint64_t id, const NodeComm& comm);

  /// The name under which a group is known, empty for none.
  [[nodiscard]] std::string group_name(std::uint32_t group) const;

 private:
  void start(std::uint64_t id, profile::EventId e);
  void add_dependencies(std::uint32_t n, bool label);
  void add_cost(std::uint32_t n);
  void add_host(profile::EventId e);
  void add_inputs(profile::EventId e);
  void add_device(std::uint32_t n);
  [[nodiscard]] bool is_comm_kernel(const profile::Event& event);
  void add_splits(const NodeComm& comm);
  void add_int64(const char* name, std::int64_t value);
  void add_text(const char* name, std::string_view value);
  [[nodiscard]] std::uint64_t start_micros(const profile::Event& event) const;
  [[nodiscard]] std::uint32_t parent_node(profile::EventId e) const;

  const profile::Profile& profile_;
  const profile::Dependencies& dependencies_;
  const ConvertOptions& options_;
  const RecordedKernels& kernels_;
  std::vector<StepScope> scopes_;  // by event
  PythonTexts texts_;
  std::vector<std::int64_t> spent_;       // by lane: picoseconds so far
  std::vector<std::int64_t> thread_ids_;  // by lane
  std::vector<std::int8_t> comm_names_;   // by StringId: 1, 0, or -1 (nobody has asked)
  bool several_devices_ = false;
  bool has_device_ = false;  // then its works say where in a step they stand; else the host's
  trace::chakra::NodeRecord record_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> deps_;  // (id, place in edges)
};

}  // namespace orrery::intake
