// SPDX-License-Identifier: Apache-2.0
//
// Packets of a Perfetto trace: one sequence. Its first packet clears the interning state, and all
// later packets need that state.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/report/perfetto/span_args.h"
#include "orrery/report/perfetto/wire_format.h"
#include "orrery/result/run.h"

namespace orrery::report {

/// The uuid of a track: a hash of its path ("rank 12/lanes/compute"), identical in all runs. Always
/// eight bytes on the wire, never 0.
[[nodiscard]] std::uint64_t track_uuid(std::string_view path);

/// A track. Lanes of a process are below a plain track, because viewers show the children of a
/// plain track in the given order.
struct Track {
  std::uint64_t uuid = 0;
  std::uint64_t parent = 0;  ///< 0: none
  std::string name;
  std::uint32_t pid = 0;         ///< 0: no process
  std::uint32_t position = 0;    ///< among its siblings
  std::string description;       ///< for users; may be empty
  bool counter = false;          ///< whether it is a counter, of bytes or of `unit`
  std::string_view unit;         ///< counters: "" is bytes
  std::string_view shares_axis;  ///< counters with the same value share one scale
};

/// A slice's track, prepared for writing.
class TrackKey {
 public:
  explicit TrackKey(std::uint64_t uuid = 0) {
    wire::Cursor cursor(bytes_.data());
    cursor.natural<wire::track_event::track_uuid>(uuid);
    size_ = static_cast<std::size_t>(cursor.at() - bytes_.data());
  }
  [[nodiscard]] std::string_view bytes() const { return {bytes_.data(), size_}; }

 private:
  std::array<char, 12> bytes_{};
  std::size_t size_ = 0;
};

/// Categories of slices that are not spans, after those of the span kinds.
enum class Category : std::uint8_t { path = result::kSpanKinds, step };
inline constexpr std::size_t kCategories = result::kSpanKinds + 2;

class TracePackets {
 public:
  TracePackets(const result::Run& run, const ByteSink& sink);

  /// Writes the first packet, and that viewers sort processes by position.
  void begin();
  void describe(const Track& track);
  void count(const TrackKey& track, std::uint64_t ns, std::int64_t value);

  /// Interns a span's name, unless it is interned already.
  void intern_name(std::uint32_t name) {
    if (!name_known_[name]) write_name(name);
  }
  void intern_group(std::uint32_t group) {
    if (!group_known_[group]) write_group(group);
  }
  /// The interned id of a span's name; for a span without a name, that of its kind.
  [[nodiscard]] std::uint64_t name_iid(const result::Span& span) const {
    return span.name == 0 ? fallback_iid(static_cast<std::size_t>(span.kind)) : span.name;
  }
  /// The interned id of a cause on the critical path.
  [[nodiscard]] std::uint64_t name_iid(result::PathCause cause) const {
    return fallback_iid(result::kSpanKinds + static_cast<std::size_t>(cause));
  }
  [[nodiscard]] std::uint64_t step_iid() const {
    return fallback_iid(result::kSpanKinds + result::kPathCauses);
  }

  [[nodiscard]] wire::Output& out() { return out_; }

 private:
  [[nodiscard]] std::uint64_t fallback_iid(std::size_t i) const { return run_.names.size() + i; }
  void write_name(std::uint32_t name);
  void write_group(std::uint32_t group);
  void write_packet(std::uint32_t field, std::string_view content, std::uint32_t flags);

  const result::Run& run_;
  wire::Output out_;
  std::vector<bool> name_known_;
  std::vector<bool> group_known_;
};

/// Writes the packet of one slice. The constructor begins it; the caller adds arguments and calls
/// finish().
class SlicePacket {
 public:
  SlicePacket(TracePackets& packets, const TrackKey& track, std::uint64_t ns, std::uint8_t type)
      : out_(packets.out()), cursor_(out_.room()) {
    cursor_.tag<wire::trace::packet, wire::Kind::bytes>();
    packet_ = cursor_.begin_long();
    cursor_.natural<wire::trace_packet::timestamp>(ns);
    cursor_.natural<wire::trace_packet::trusted_packet_sequence_id>(kSequence);
    cursor_.natural<wire::trace_packet::sequence_flags>(
        wire::trace_packet::needs_incremental_state);
    cursor_.tag<wire::trace_packet::track_event, wire::Kind::bytes>();
    event_ = cursor_.begin_long();
    cursor_.natural<wire::track_event::type>(type);
    cursor_.raw(track.bytes());
  }
  void finish() {
    cursor_.end_long(event_);
    cursor_.end_long(packet_);
    out_.take(cursor_);
  }

  void title(std::size_t category, std::uint64_t name_iid) {
    cursor_.natural<wire::track_event::category_iids>(category + 1);
    cursor_.natural<wire::track_event::name_iid>(name_iid);
  }
  void correlate(std::uint64_t id) { cursor_.natural<wire::track_event::correlation_id>(id); }
  void flow(std::uint64_t id) { cursor_.fixed<wire::track_event::flow_ids>(id); }
  void end_flow(std::uint64_t id) { cursor_.fixed<wire::track_event::terminating_flow_ids>(id); }

  // The sink of visit_span_args().
  void number(SpanArg arg, std::int64_t value) {
    annotate(arg, [&] {
      cursor_.natural<wire::debug_annotation::int_value>(static_cast<std::uint64_t>(value));
    });
  }
  void real(SpanArg arg, double value) {
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    annotate(arg, [&] { cursor_.fixed<wire::debug_annotation::double_value>(bits); });
  }
  void truth(SpanArg arg) {
    annotate(arg, [&] { cursor_.natural<wire::debug_annotation::bool_value>(1); });
  }
  void model(TimeSource model) { word(SpanArg::model, model_iid(model)); }
  void release(result::Release release) { word(SpanArg::release, release_iid(release)); }
  void cause(result::PathCause cause) { word(SpanArg::cause, cause_iid(cause)); }
  void group(std::uint32_t group) { word(SpanArg::group, group_iid(group)); }
  /// For the few slices with other argument names; omitted if the buffer is full.
  void text(std::string_view name, std::string_view value);
  /// Sets the value of a counter.
  void value(std::int64_t value) {
    cursor_.natural<wire::track_event::counter_value>(static_cast<std::uint64_t>(value));
  }

  static constexpr std::uint64_t kSequence = 1;
  static constexpr std::size_t kModels = kTimeSources, kReleases = result::kReleases;
  [[nodiscard]] static std::uint64_t model_iid(TimeSource model) {
    return 1 + static_cast<std::uint64_t>(model);
  }
  [[nodiscard]] static std::uint64_t release_iid(result::Release release) {
    return 1 + kModels + static_cast<std::uint64_t>(release);
  }
  [[nodiscard]] static std::uint64_t cause_iid(result::PathCause cause) {
    return 1 + kModels + kReleases + static_cast<std::uint64_t>(cause);
  }
  [[nodiscard]] static std::uint64_t group_iid(std::uint32_t group) {
    return 1 + kModels + kReleases + result::kPathCauses + group;
  }

 private:
  template <class Value>
  void annotate(SpanArg arg, const Value& value) {
    cursor_.tag<wire::track_event::debug_annotations, wire::Kind::bytes>();
    char* const begin = cursor_.begin_short();
    cursor_.natural<wire::debug_annotation::name_iid>(1 + static_cast<std::uint64_t>(arg));
    value();
    cursor_.end_short(begin);
  }
  void word(SpanArg arg, std::uint64_t iid) {
    annotate(arg, [&] { cursor_.natural<wire::debug_annotation::string_value_iid>(iid); });
  }

  wire::Output& out_;
  wire::Cursor cursor_;
  char* packet_;
  char* event_;
};

}  // namespace orrery::report
