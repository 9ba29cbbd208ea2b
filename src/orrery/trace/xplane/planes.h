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
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/core/strings.h"
#include "orrery/trace/hlo_proto/module.h"
#include "orrery/trace/io/byte_source.h"
#include "orrery/trace/xplane/field_stream.h"

namespace orrery::trace::xplane {

/// Values by the ids of metadata, which are usually small.
template <class Value>
class IdTable {
 public:
  Value& operator[](std::uint64_t id) {
    if (id >= kDense) return others_[id];
    if (id >= dense_.size()) dense_.resize(id + 1);
    return dense_[id];
  }
  [[nodiscard]] const Value& find(std::uint64_t id) const {
    static const Value kNothing{};
    if (id < kDense) return id < dense_.size() ? dense_[id] : kNothing;
    const auto found = others_.find(id);
    return found == others_.end() ? kNothing : found->second;
  }

 private:
  static constexpr std::uint64_t kDense = 1 << 16;
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
  hlo_module,
  program_id,
  hlo_category,
  step_number,
  flops,
  bytes_accessed,
  vendor,
  memory_size,
  core_count,
  start_time
};

struct EventName {
  StringId name = StringId::empty;     ///< as displayed
  std::string stats;  ///< XStat messages that all its events share, each with its tag and length
};

enum class PlaneKind : std::uint8_t { host, gpu, tpu, programs, environment, other };

struct Plane {
  PlaneKind kind = PlaneKind::other;
  std::string name;
  std::int64_t device = -1;
  std::uint64_t events = 0;
  IdTable<EventName> event_names;
  IdTable<StringId> stat_names;
  IdTable<Stat> stats;  ///< which statistic an id denotes
  std::string own_stats;  ///< as EventName::stats
};

/// All planes of a file, in its order.
struct Planes {
  std::vector<Plane> planes;
  std::map<std::uint64_t, hlo_proto::Module> programs;  ///< by program id
  std::vector<std::string> hosts;
  std::uint64_t damaged_programs = 0;
  /// The earliest timestamp of a line, in ns; 0 without lines.
  std::int64_t first_ns = 0;
};

/// Reads the planes and skips events. `with_names`: also names and programs. Errc: as reader.h.
[[nodiscard]] Result<Planes> read_planes(ByteSource& source, const std::string& where,
                                         StringPool& strings, bool with_names);

/// The kind of a plane by its name, and the number of its device.
[[nodiscard]] PlaneKind plane_kind(std::string_view name, std::int64_t& device);

}  // namespace orrery::trace::xplane
