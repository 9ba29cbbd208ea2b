// SPDX-License-Identifier: Apache-2.0
//
// Builds a profile from nodes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/core/findings.h"
#include "orrery/profile/profile.h"
#include "orrery/trace/pytorch/comms.h"
#include "orrery/trace/pytorch/id_map.h"
#include "orrery/trace/pytorch/raw_node.h"

namespace orrery::trace::pytorch {

/// Nodes may come before their parents, in file order. Therefore the tree is built at the end.
class Builder {
 public:
  Builder(profile::Profile& profile, Findings& findings)
      : profile_(profile), findings_(findings), comms_(profile) {}

  /// Adds a node, which is at byte `offset` of the file.
  void add(const RawNode& node, std::uint64_t offset);
  /// Sets parents and shares communications; the profile is then indexed.
  void finish();

  [[nodiscard]] std::uint64_t duplicates() const { return duplicates_; }

 private:
  // Values in events_by_id_ that are not events
  static constexpr std::uint32_t kRoot = ~std::uint32_t{0} - 1;
  static constexpr std::uint32_t kThread = ~std::uint32_t{0} - 2;

  [[nodiscard]] std::string place(const RawNode& node) const;
  void count(FindingCode code, const RawNode& node);
  void count(FindingCode code, profile::EventId event);
  void count_field_findings(const RawNode& node);
  /// Returns false if another node already has the id.
  bool register_id(const RawNode& node, std::uint32_t number);

  void add_host(const RawNode& node);
  void add_device(const RawNode& node, profile::Kind kind);
  std::uint32_t add_node(const RawNode& node);
  [[nodiscard]] StringId intern(std::string_view text, const RawNode& node);
  [[nodiscard]] StringId intern_list(std::string_view list, const RawNode& node);
  [[nodiscard]] profile::StoredText store_list(std::string_view list, const RawNode& node);
  /// Sets start and duration, if the node has them.
  void set_times(const RawNode& node, profile::Event& event);

  void find_parent(profile::EventId event);
  void cut_cycles();
  void attach_works();
  void start_at_zero();

  profile::Profile& profile_;
  Findings& findings_;
  Comms comms_;
  IdMap events_by_id_;
  std::vector<std::pair<profile::EventId, std::uint64_t>> device_parents_;  // event, node id
  std::uint64_t offset_ = 0;
  std::uint64_t duplicates_ = 0;
  bool has_origin_ = false;
};

}  // namespace orrery::trace::pytorch
