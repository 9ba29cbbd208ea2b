// SPDX-License-Identifier: Apache-2.0
//
// The wire format of Perfetto traces: field numbers of the published .proto files, and a fast
// writer. A timeline has millions of slices, so their bytes go directly into one buffer. Data that
// is written once per track uses protozero.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

#include "orrery/report/perfetto/perfetto.h"

namespace orrery::report::wire {

// Source: github.com/google/perfetto, protos/perfetto/trace (trace_packet.proto,
// track_event/*.proto, interned_data/interned_data.proto).
namespace trace {
enum : std::uint32_t { packet = 1 };
}
namespace trace_packet {
enum : std::uint32_t {
  timestamp = 8,
  trusted_packet_sequence_id = 10,
  track_event = 11,
  interned_data = 12,
  sequence_flags = 13,
  track_descriptor = 60
};
enum : std::uint32_t { incremental_state_cleared = 1, needs_incremental_state = 2 };
}  // namespace trace_packet
namespace track_descriptor {
enum : std::uint32_t {
  uuid = 1,
  name = 2,
  process = 3,
  parent_uuid = 5,
  counter = 8,
  child_ordering = 11,
  sibling_order_rank = 12,
  description = 14,
  sibling_merge_behavior = 15,
  process_ordering = 19
};
enum : std::int32_t { explicit_order = 3 };
enum : std::int32_t { explicit_processes = 1 };
enum : std::int32_t { never_merge = 2 };
}  // namespace track_descriptor
namespace process_descriptor {
enum : std::uint32_t { pid = 1, process_name = 6 };
}
namespace counter_descriptor {
enum : std::uint32_t { unit = 3, unit_name = 6, y_axis_share_key = 7 };
enum : std::int32_t { size_bytes = 3 };
}  // namespace counter_descriptor
namespace track_event {
enum : std::uint32_t {
  category_iids = 3,
  debug_annotations = 4,
  type = 9,
  name_iid = 10,
  track_uuid = 11,
  counter_value = 30,
  flow_ids = 47,
  terminating_flow_ids = 48,
  correlation_id = 52
};
enum : std::uint8_t { slice_begin = 1, slice_end = 2, counter = 4 };
}  // namespace track_event
namespace debug_annotation {
enum : std::uint32_t {
  name_iid = 1,
  bool_value = 2,
  int_value = 4,
  double_value = 5,
  string_value = 6,
  name = 10,
  string_value_iid = 17
};
}
namespace interned_data {
enum : std::uint32_t {
  event_categories = 1,
  event_names = 2,
  debug_annotation_names = 3,
  debug_annotation_string_values = 29
};
}
namespace interned {
enum : std::uint32_t { iid = 1, text = 2 };
}

enum class Kind : std::uint32_t { varint = 0, fixed64 = 1, bytes = 2 };

/// Appends at a pointer. The caller ensures that there is space.
class Cursor {
 public:
  explicit Cursor(char* at) : at_(at) {}
  [[nodiscard]] char* at() const { return at_; }

  void byte(std::uint8_t value) { *at_++ = static_cast<char>(value); }
  void varint(std::uint64_t value) {
    while (value >= 0x80) {
      byte(static_cast<std::uint8_t>(value | 0x80));
      value >>= 7;
    }
    byte(static_cast<std::uint8_t>(value));
  }
  /// The tag of a field whose number is a compile-time constant.
  template <std::uint32_t field, Kind kind>
  void tag() {
    constexpr std::uint32_t value = field << 3 | static_cast<std::uint32_t>(kind);
    static_assert(value < 1 << 14);
    if constexpr (value < 0x80) {
      byte(value);
    } else {
      byte((value & 0x7f) | 0x80);
      byte(value >> 7);
    }
  }
  template <std::uint32_t field>
  void natural(std::uint64_t value) {
    tag<field, Kind::varint>();
    varint(value);
  }
  template <std::uint32_t field>
  void fixed(std::uint64_t value) {
    tag<field, Kind::fixed64>();
    for (int i = 0; i < 8; ++i) byte(static_cast<std::uint8_t>(value >> (8 * i)));
  }
  void raw(std::string_view bytes) {
    std::memcpy(at_, bytes.data(), bytes.size());
    at_ += bytes.size();
  }

  /// Reserves two bytes for a length that is known later; at most 16383 bytes follow.
  [[nodiscard]] char* begin_long() {
    at_ += 2;
    return at_;
  }
  void end_long(char* begin) const {
    const auto length = static_cast<std::uint32_t>(at_ - begin);
    begin[-2] = static_cast<char>((length & 0x7f) | 0x80);
    begin[-1] = static_cast<char>(length >> 7);
  }
  /// Reserves one byte for a length; at most 127 bytes follow.
  [[nodiscard]] char* begin_short() { return ++at_; }
  void end_short(char* begin) const { begin[-1] = static_cast<char>(at_ - begin); }

 private:
  char* at_;
};

/// Collects bytes and passes them to a sink in pieces.
class Output {
 public:
  explicit Output(const ByteSink& sink)
      : sink_(sink), bytes_(std::make_unique<char[]>(kCapacity)), at_(bytes_.get()) {}

  /// A cursor with space for `size` bytes, at most kRoom.
  [[nodiscard]] Cursor room(std::size_t size = kRoom) {
    if (static_cast<std::size_t>(bytes_.get() + kCapacity - at_) < size) flush();
    return Cursor(at_);
  }
  /// Accepts what was written through a cursor.
  void take(const Cursor& cursor) { at_ = cursor.at(); }

  void append(std::string_view bytes) {
    if (bytes.size() > kRoom) {
      flush();
      flushed_ += bytes.size();
      good_ = good_ && sink_(bytes);
      return;
    }
    Cursor cursor = room(bytes.size());
    cursor.raw(bytes);
    take(cursor);
  }
  void flush() {
    const std::string_view all(bytes_.get(), static_cast<std::size_t>(at_ - bytes_.get()));
    flushed_ += all.size();
    if (!all.empty()) good_ = good_ && sink_(all);
    at_ = bytes_.get();
  }
  /// False after the sink returned false.
  [[nodiscard]] bool good() const { return good_; }
  /// The number of bytes so far.
  [[nodiscard]] std::uint64_t total() const {
    return flushed_ + static_cast<std::uint64_t>(at_ - bytes_.get());
  }

  static constexpr std::size_t kCapacity = 256 << 10;
  static constexpr std::size_t kRoom = 8 << 10;

 private:
  const ByteSink& sink_;
  std::unique_ptr<char[]> bytes_;
  char* at_;
  std::uint64_t flushed_ = 0;
  bool good_ = true;
};

}  // namespace orrery::report::wire
