// SPDX-License-Identifier: Apache-2.0
//
// The fields of Perfetto's messages that PyTorch writes.
#pragma once

#include <cstdint>
#include <protozero/pbf_reader.hpp>
#include <string_view>

namespace orrery::trace::pftrace {

/// True if the reader is at field `tag` with this wire type.
[[nodiscard]] inline bool is_field(const protozero::pbf_reader& reader, std::uint32_t tag,
                                   protozero::pbf_wire_type type) {
  return reader.tag_and_type() == protozero::tag_and_type(tag, type);
}

/// The bytes of the current field.
[[nodiscard]] inline std::string_view next_text(protozero::pbf_reader& reader) {
  const protozero::data_view data = reader.get_view();
  return {data.data(), data.size()};
}

enum TraceField : std::uint32_t { kPacket = 1 };

enum PacketField : std::uint32_t {
  kTimestamp = 8,
  kSequence = 10,
  kTrackEvent = 11,
  kInterned = 12,
  kSequenceFlags = 13,
  kCompressed = 50,
  kGpuCounter = 52,
  kRenderStage = 53,
  kTrackDescriptor = 60,
};
inline constexpr std::uint32_t kStateCleared = 1;  ///< of the sequence's flags

enum TrackField : std::uint32_t {
  kUuid = 1,
  kTrackName = 2,
  kProcess = 3,
  kThread = 4,
  kParentUuid = 5,
};
enum ProcessField : std::uint32_t { kProcessId = 1, kProcessName = 6 };
enum ThreadField : std::uint32_t { kThreadProcess = 1, kThreadId = 2, kThreadName = 5 };

enum InternedField : std::uint32_t {
  kCategories = 1,
  kEventNames = 2,
  kAnnotationNames = 3,
  kAnnotationTexts = 29,
};
enum InternedText : std::uint32_t { kIid = 1, kText = 2 };

enum EventField : std::uint32_t {
  kEventCategoryIids = 3,
  kAnnotations = 4,
  kEventType = 9,
  kEventNameIid = 10,
  kEventTrack = 11,
  kEventCategories = 22,
  kEventName = 23,
  kFlowIdsOld = 36,
  kEndingFlowIdsOld = 42,
  kFlowIds = 47,
  kEndingFlowIds = 48,
};
enum EventType : std::int32_t { kSliceBegin = 1, kSliceEnd = 2, kInstant = 3, kCounter = 4 };

enum AnnotationField : std::uint32_t {
  kNameIid = 1,
  kBool = 2,
  kUint = 3,
  kInt = 4,
  kDouble = 5,
  kString = 6,
  kPointer = 7,
  kLegacyJson = 9,
  kName = 10,
  kDictEntries = 11,
  kArrayValues = 12,
  kStringIid = 17,
};

}  // namespace orrery::trace::pftrace
