// SPDX-License-Identifier: Apache-2.0
//
// Private to tensorflow: executed nodes and works as events of a profile.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "orrery/core/findings.h"
#include "orrery/profile/profile.h"
#include "orrery/trace/tensorflow/device_name.h"
#include "orrery/trace/tensorflow/node_records.h"

namespace orrery::trace::tensorflow {

/// Collects records, then adds all events: operators in the order of their start, then works.
class StepImport {
 public:
  StepImport(std::optional<std::int64_t> device, profile::Profile& profile, Findings& findings)
      : device_(device), profile_(profile), findings_(findings) {}

  void begin_device(std::string_view name);
  void add(const NodeRecord& record);
  void name_thread(std::uint64_t thread, std::string_view name);
  void add_graph_node(std::string_view name, std::string_view op,
                      const std::vector<std::string_view>& inputs, const GroupAttributes& group);
  void leave_out(std::string_view what, FindingCode code = FindingCode::event_not_kept);

  /// Adds the events. False: there are none.
  bool finish();

 private:
  struct Times {
    std::int64_t start = 0, op_start = 0, op_end = 0, end = 0;  ///< ns since 1970
  };
  struct Output {
    std::uint64_t storage = 0, elements = 0;
    std::uint32_t slot = 0, width = 0;
    StringId shape = StringId::empty;
  };
  /// An executed node.
  struct Operator {
    StringId name = StringId::empty, type = StringId::empty;
    std::uint32_t device = 0;  ///< in devices_
    std::uint64_t thread = 0;
    Times times;
    std::vector<std::string> inputs;
    std::vector<Output> outputs;
    profile::EventId event = profile::kNoEvent;
    profile::EventId call = profile::kNoEvent;  ///< that launched its works
  };
  struct Work {
    StringId node = StringId::empty;  ///< before the colon
    StringId type = StringId::empty;
    std::uint32_t device = 0;
    Times times;
    std::int64_t bytes = -1;
    profile::Kind kind = profile::Kind::kernel;
  };
  /// Of a node without a label.
  struct GraphNode {
    StringId type = StringId::empty;
    std::vector<std::string> inputs;
    GroupAttributes group;
  };

  void add_operator(const NodeRecord& record, const Times& times);
  void add_work(const NodeRecord& record, const Times& times);
  void select();
  void drop_copies();
  void number_devices();
  void add_operators();
  void set_tensors();
  /// `inputs`: elements of its inputs, as far as nodes before it state them; 0: unknown.
  void add_collective(const Operator& one, std::uint64_t inputs);
  void add_works();
  void launch(Work& work, profile::EventId event);
  [[nodiscard]] std::uint64_t elements_of(const std::vector<std::string>& inputs) const;
  [[nodiscard]] std::string tensors_of(const std::vector<std::string>& inputs);
  profile::EventId add_event(profile::Kind kind, std::int64_t start, std::int64_t end,
                             StringId name, std::uint32_t lane, std::size_t detail);
  [[nodiscard]] std::uint32_t device_rank(std::uint32_t device) const;
  [[nodiscard]] StringId intern(std::string_view text) { return profile_.strings->intern(text); }

  std::optional<std::int64_t> device_;
  profile::Profile& profile_;
  Findings& findings_;
  std::vector<DeviceName> devices_;
  std::map<std::string, std::int64_t> ranks_;  // GPU → its number among those with work
  std::vector<Operator> operators_;
  std::vector<Work> works_;
  std::map<std::uint64_t, std::string> threads_;
  std::unordered_map<StringId, GraphNode> graph_;
  std::unordered_map<StringId, std::vector<std::uint32_t>> by_name_;  // ascending starts
  std::unordered_map<std::string, Output> tensors_;                   // "name:slot" → last writer
  std::map<std::string, std::uint32_t> groups_;                       // by name: in Profile::groups
  std::uint64_t next_storage_ = 1, next_correlation_ = 1;
  std::int64_t origin_ = 0;
  std::map<std::string, std::uint64_t, std::less<>> left_out_;
};

}  // namespace orrery::trace::tensorflow
