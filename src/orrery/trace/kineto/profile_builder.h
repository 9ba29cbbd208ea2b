// SPDX-License-Identifier: Apache-2.0
//
// Makes a profile out of records.
#pragma once

#include <array>
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
  /// An event whose end comes later; kNoEvent if it is left out. Errc: as add.
  Result<profile::EventId> begin(const Record& record);
  /// That it ended so long after it began.
  void end(profile::EventId event, Time duration);
  /// Counts a record of which nothing comes.
  void drop(const Record& record, std::string_view why);
  /// A group of the trace's head.
  void describe(profile::Group group) { comms_.describe(std::move(group)); }
  /// After the last record: `damaged` elements were none; the file's times count from `base_ns`.
  void finish(std::uint64_t damaged, std::int64_t base_ns);

 private:
  /// One end of an arrow from a forward to a backward operator.
  struct Flow {
    std::uint64_t id = 0;
    Time time{};
    std::uint32_t lane = 0;
    bool begins = false;
  };

  void add_complete(const Record& record, Category& category);
  void add_begin(const Record& record, Category& category);
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
  StringId launch_of(const Record& record);

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
  std::int64_t origin_ns_ = 0;  // in the file's own count
  std::uint64_t dropped_ = 0;   // beyond the places that findings keep
  std::vector<Flow> flows_;
  std::unordered_map<std::uint32_t, std::vector<profile::EventId>> begun_;  // by lane, not ended
  std::vector<profile::EventId> named_comms_;  // annotations whose comm comes from their name
  profile::EventId last_work_ = profile::kNoEvent;
  std::string launch_;
};

}  // namespace orrery::trace::kineto
