// SPDX-License-Identifier: Apache-2.0
//
// The fields of the messages of XLA's profiler that are read.
//
// Source: openxla/xla, third_party/tsl/tsl/profiler/protobuf/xplane.proto.
#pragma once

#include <cstdint>

namespace orrery::trace::xplane {

enum SpaceField : std::uint32_t { kPlanes = 1, kErrors = 2, kWarnings = 3, kHostnames = 4 };

enum PlaneField : std::uint32_t {
  kPlaneName = 2,
  kLines = 3,
  kEventMetadata = 4,
  kStatMetadata = 5,
  kPlaneStats = 6,
};

enum MapField : std::uint32_t { kMapKey = 1, kMapValue = 2 };

enum EventMetadataField : std::uint32_t {
  kEventMetadataId = 1,
  kEventName = 2,
  kDisplayName = 4,
  kMetadataStats = 5,
};

enum StatMetadataField : std::uint32_t { kStatName = 2 };

enum LineField : std::uint32_t {
  kLineId = 1,
  kLineName = 2,
  kLineTimestamp = 3,  ///< ns
  kEvents = 4,
};

enum EventField : std::uint32_t {
  kEventMetadataOf = 1,
  kOffset = 2,    ///< ps since the line's timestamp
  kDuration = 3,  ///< ps
  kEventStats = 4,
  kOccurrences = 5,  ///< instead of kOffset: a sum of events without a place in time
};

enum StatField : std::uint32_t {
  kStatMetadataOf = 1,
  kDouble = 2,
  kUint = 3,
  kInt = 4,
  kText = 5,
  kBytes = 6,
  kReference = 7,  ///< the id of stat metadata whose name is the value
};

}  // namespace orrery::trace::xplane
