// SPDX-License-Identifier: Apache-2.0
//
// Builds a profile from records.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "orrery/profile/profile.h"
#include "orrery/trace/kineto/category.h"
#include "orrery/trace/kineto/comms.h"
#include "orrery/trace/kineto/graph_nodes.h"
#include "orrery/trace/kineto/interner.h"
#include "orrery/trace/kineto/lanes.h"
#include "orrery/trace/kineto/reader.h"
#include "orrery/trace/kineto/record.h"

namespace orrery::trace::kineto {

class Builder {
 public:
  Builder(profile::Profile& profile, const ReadOptions& options, Findings& findings);

  /// Errc: limit_exceeded (limits::kEventsPerRank).
  Result<void> add(const Record& record);
  /// Adds an event whose end follows later; kNoEvent if it is omitted. Errc: as add.
  Result<profile::EventId> begin(const Record& record);
  /// Sets the duration of an event added by `begin`.
  void end(profile::EventId event, Time duration);
  /// Counts a record that is not used.
  void drop(const Record& record, std::string_view why);
  /// Adds a group of the trace's header.
  void add_group(profile::Group group) { comms_.add_group(std::move(group)); }
  /// Call after the last record. `damaged`: number of damaged elements; `base_ns`: time 0 of the
  /// file.
  void finish(std::uint64_t damaged, std::int64_t base_ns);

 private:
  /// One end of a flow from a forward to a backward operator.
  struct Flow {
    std::uint64_t id = 0;
    Time time{};
    std::uint32_t lane = 0;
    bool is_start = false;
  };

  void add_span(const Record& record, Category& category, bool has_end);
  void add_end(const Record& record, Category& category);
  void add_flow(const Record& record, Category& category);
  void add_metadata(const Record& record);
  bool add_memory(const Record& record);
  void add_event(const Record& record, Category& category, Time start, Time duration,
                 std::uint8_t flags);
  void add_op(const Record& record, profile::Event& event);
  void add_work(const Record& record, profile::Event& event);
  std::uint32_t stream_of(const Record& record);
  void add_sync(const Record& record, profile::Event& event);
  StringId launch_arguments(const Record& record);

  std::optional<Time> start_of(const Record& record);
  Time duration_of(const Record& record);
  bool move_origin(std::string_view raw);
  void drop(const Record& record, Category& category, std::string_view why);
  void finish_unfinished();
  void finish_origin(std::int64_t base_ns);
  void finish_flows();
  void finish_comms();
  void finish_account(std::uint64_t damaged);
  profile::EventId op_at(std::uint32_t lane, Time start) const;
  [[nodiscard]] std::string place(const Record& record) const;

  profile::Profile& profile_;
  Findings& findings_;
  Categories categories_;
  Interner interner_;
  Lanes lanes_;
  Comms comms_;
  GraphNodes graphs_;

  bool has_origin_ = false;
  std::int64_t origin_ns_ = 0;  // on the clock of the file
  std::uint64_t dropped_ = 0;   // beyond the places that findings store
  std::vector<Flow> flows_;
  // By lane: events without an end.
  std::unordered_map<std::uint32_t, std::vector<profile::EventId>> open_events_;
  // Annotations with a communication derived from their name.
  std::vector<profile::EventId> comm_annotations_;
  profile::EventId last_work_ = profile::kNoEvent;
  std::string launch_text_;
};

}  // namespace orrery::trace::kineto
