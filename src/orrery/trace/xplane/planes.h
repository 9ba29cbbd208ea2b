// SPDX-License-Identifier: Apache-2.0
//
// The planes of an XPlane file without their events: names, devices, programs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/core/strings.h"
#include "orrery/hlo/program/program.h"
#include "orrery/trace/io/byte_source.h"
#include "orrery/trace/io/field_stream.h"

namespace orrery::trace::xplane {

/// Values by the ids of metadata, which usually count from 1.
template <class Value>
class IdTable {
 public:
  Value& operator[](std::uint64_t id) {
    // Ids far beyond the number of values would need memory for all before them.
    if (id < dense_.size()) return dense_[id];
    if (id > 2 * dense_.size() + kFirst) return others_[id];
    dense_.resize(2 * dense_.size() + kFirst + 1);
    for (auto at = others_.begin(); at != others_.end();) {
      if (at->first < dense_.size()) {
        dense_[at->first] = std::move(at->second);
        at = others_.erase(at);
      } else {
        ++at;
      }
    }
    return dense_[id];
  }
  [[nodiscard]] const Value& find(std::uint64_t id) const {
    static const Value kNothing{};
    if (id < dense_.size()) return dense_[id];
    const auto found = others_.find(id);
    return found == others_.end() ? kNothing : found->second;
  }
  [[nodiscard]] bool empty() const { return dense_.empty() && others_.empty(); }

 private:
  static constexpr std::uint64_t kFirst = 15;
  std::vector<Value> dense_;
  std::unordered_map<std::uint64_t, Value> others_;
};

/// Statistics that are used.
enum class Stat : std::uint8_t {
  other,
  correlation,
  kernel_details,
  memcpy_details,
  memset_details,
  hlo_op,
  program_id,
  step_number,
  vendor,
  memory_size,
  core_count,
  start_time,
  device_type
};
inline constexpr std::size_t kStats = static_cast<std::size_t>(Stat::device_type) + 1;

/// What an event of a host is, by its name alone.
enum class HostName : std::uint8_t { range, python, call };

struct EventName {
  StringId name = StringId::empty;  ///< as displayed
  HostName host = HostName::range;
  std::string stats;  ///< XStat messages that all its events share, each with its tag and length
};

enum class PlaneKind : std::uint8_t { host, gpu, tpu, programs, environment, other };

struct Plane {
  PlaneKind kind = PlaneKind::other;
  std::string name;
  std::int64_t device = -1;
  bool has_work = false;  ///< of a device: a line of work has an event; set only by find_work
  IdTable<EventName> event_names;
  IdTable<StringId> stat_names;
  IdTable<Stat> stats;    ///< which statistic an id denotes
  std::string own_stats;  ///< as EventName::stats
};

/// All planes of a file, in its order.
struct Planes {
  std::vector<Plane> planes;
  std::map<std::uint64_t, hlo::Program> programs;  ///< by program id
  std::vector<std::string> hosts;
  std::vector<std::string> errors, warnings;  ///< what the profiler reported; the first texts …
  std::uint64_t error_count = 0, warning_count = 0;  ///< … of so many
  std::uint64_t damaged_programs = 0;
};

/// Reads names, statistics of planes, and programs; skips lines. Errc: as reader.h.
[[nodiscard]] Result<Planes> read_names(ByteSource& source, const std::string& where,
                                        StringPool& strings);
/// Reads only names of planes, and whether devices have work. Errc: as reader.h.
[[nodiscard]] Result<Planes> find_work(ByteSource& source, const std::string& where);

/// The kind of a plane by its name, and the number of its device.
[[nodiscard]] PlaneKind plane_kind(std::string_view name, std::int64_t& device);

/// What a line of a plane contains.
enum class LineKind : std::uint8_t {
  work,    ///< of a stream of a device
  ops,     ///< operations of a TPU, which nest
  thread,  ///< of the host
  steps,   ///< of a TPU: its iterations
  derived  ///< what the profiler computes from other lines
};
[[nodiscard]] LineKind line_kind(PlaneKind plane, std::string_view line);

}  // namespace orrery::trace::xplane
