// SPDX-License-Identifier: Apache-2.0
//
// Private to xplane: the events of lines, as events of a profile.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/profile/profile.h"
#include "orrery/trace/io/byte_source.h"
#include "orrery/trace/io/field_stream.h"
#include "orrery/trace/xplane/event_stats.h"
#include "orrery/trace/xplane/hlo_operations.h"
#include "orrery/trace/xplane/planes.h"

namespace orrery::trace::xplane {

/// Reads the lines of all planes, or of the host and one device.
class EventImport {
 public:
  EventImport(const Planes& planes, std::optional<std::int64_t> device, std::uint32_t rank,
              profile::Profile& profile, Findings& findings);

  /// Adds all events, in file order. Errc: as reader.h.
  Result<void> read(ByteSource& source);
  /// Makes times relative to the first event and counts what was left out. Returns the timestamp of
  /// that event in ns.
  std::int64_t finish();

 private:
  /// A line that is being read.
  struct Line {
    const Plane* plane = nullptr;
    LineKind kind = LineKind::derived;
    std::uint64_t id = 0;
    std::string name;
    std::int64_t timestamp = 0;  ///< ns
    std::optional<std::uint32_t> lane;
  };
  /// An event without what its statistics give.
  struct Times {
    Time start{}, duration{};
  };
  /// An operation of a TPU.
  struct Operation {
    Times times;
    StringId name = StringId::empty;
    OperationUse use;
  };

  Result<void> read_plane(FieldStream& stream, const Field& whole, const Plane& plane);
  Result<void> read_line(FieldStream& stream, const Field& whole, const Plane& plane);
  /// May throw protozero's exceptions.
  void add_event(std::string_view message, Line& line);
  void add_work(const Times& times, StringId name, const EventStats& stats, Line& line);
  void add_host_event(const Times& times, StringId name, HostName is, const EventStats& stats,
                      Line& line);
  void add_operations(const Line& line);
  void add_steps();

  profile::EventId add(profile::Kind kind, const Times& times, StringId name, std::uint32_t lane,
                       std::size_t detail);
  [[nodiscard]] std::uint32_t lane_of(Line& line);
  [[nodiscard]] Times times_of(std::int64_t timestamp, std::uint64_t offset,
                               std::uint64_t duration);
  [[nodiscard]] OperationUse operation_of(const EventStats& stats);
  [[nodiscard]] StringId launch_of(const EventStats& stats);
  [[nodiscard]] StringId launch_of(std::string_view details);
  void leave_out(std::string_view what, FindingCode code = FindingCode::event_not_kept);

  const Planes& planes_;
  std::optional<std::int64_t> device_;
  profile::Profile& profile_;
  Findings& findings_;
  HloOperations operations_;
  std::optional<std::int64_t> base_;  // ns; subtracted from all timestamps
  std::vector<Operation> pending_;    // of a line of a TPU
  std::vector<Operation> steps_;      // of a TPU
  std::int64_t steps_device_ = 0;
  std::unordered_map<std::string, StringId> launches_;  // by details of the kernel
  std::string last_details_;
  StringId last_launch_ = StringId::empty;
  std::map<std::string, std::uint64_t, std::less<>> left_out_;
};

}  // namespace orrery::trace::xplane
