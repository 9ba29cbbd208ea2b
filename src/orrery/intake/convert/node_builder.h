// SPDX-License-Identifier: Apache-2.0
//
// Converts one recorded event to one Chakra node.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/intake/convert/comm_plan.h"
#include "orrery/intake/convert/convert.h"
#include "orrery/intake/convert/python_lists.h"
#include "orrery/intake/convert/recorded_kernels.h"
#include "orrery/profile/scopes/scopes.h"

namespace orrery::intake {

/// Chakra's collective type; `unknown` for kinds that are not collectives.
[[nodiscard]] graph::CollectiveType collective_type(profile::CommKind kind);

/// A compute node on the host that only lasts `duration`.
[[nodiscard]] trace::chakra::NodeRecord wait_node(std::uint64_t id, std::string_view name,
                                                  Time duration);

/// Builds the records of a rank's nodes, one after the other, in one record that is reused. Below,
/// "current node" is the node built last.
class NodeBuilder {
 public:
  NodeBuilder(const profile::Profile& profile, const profile::Dependencies& dependencies,
              const ConvertOptions& options, const RecordedKernels& kernels);

  /// Builds the record of a node without the attributes of communication. Call it in ascending
  /// order of nodes: durations are rounded from running sums.
  const trace::chakra::NodeRecord& node(std::uint32_t n);
  /// Makes the current node a communication.
  const trace::chakra::NodeRecord& add_comm(const NodeComm& comm);
  /// Makes the current node wait for `count` ids from `first_id`, instead of its dependencies, with
  /// duration 0.
  const trace::chakra::NodeRecord& wait_for(std::uint64_t first_id, std::uint64_t count);
  /// Adds a dependency on `id`, the largest of all ids, to the current node.
  const trace::chakra::NodeRecord& wait_for_start(std::uint64_t id);
  /// Moves the idle time before the current node began, and its dependencies, to a new node with id
  /// `id`. The current node waits for the new one. Empty if there is no idle time.
  [[nodiscard]] std::optional<trace::chakra::NodeRecord> take_pause(std::uint32_t n,
                                                                    std::uint64_t id);
  /// A message that shares the kernel `comm.shared_kernel` with others.
  const trace::chakra::NodeRecord& queued(std::uint64_t id, const NodeComm& comm);

  /// The name of a group in the converted trace; empty if it has none.
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
  std::vector<std::int64_t>
      carried_ps_;  // by lane: carried part below a microsecond, in picoseconds
  std::vector<std::int64_t> thread_ids_;  // by lane
  std::vector<std::int8_t> comm_names_;   // by StringId: 1, 0, or -1 (not looked up yet)
  bool several_devices_ = false;
  // Then only device nodes have a scope (step, layer, phase); otherwise only host nodes.
  bool has_device_ = false;
  trace::chakra::NodeRecord record_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> deps_;  // (id, place in edges)
};

}  // namespace orrery::intake
