// SPDX-License-Identifier: Apache-2.0
//
// For tests: XPlane files, plane by plane, with HLO protos.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/trace/hlo_proto/fields.h"
#include "orrery/trace/xplane/proto_fields.h"
#include "orrery/trace/xplane/reader.h"

namespace orrery::trace::xplane::testing {

/// A statistic: its name, and its value as text or number.
struct StatValue {
  std::string name;
  std::string text{};
  std::uint64_t number = 0;
  bool by_reference = false;  ///< the text is the name of another statistic
};
using StatValues = std::vector<StatValue>;

inline StatValue number(std::string name, std::uint64_t value) {
  return {std::move(name), {}, value};
}
inline StatValue text(std::string name, std::string value) {
  return {std::move(name), std::move(value)};
}
inline StatValue reference(std::string name, std::string value) {
  return {std::move(name), std::move(value), 0, true};
}

/// Builds a plane. Names follow lines, as in files of the profiler.
class PlaneBuilder {
 public:
  explicit PlaneBuilder(std::string name) : name_(std::move(name)) {}

  /// Begins a line; the following events are its.
  PlaneBuilder& line(std::uint64_t id, std::string_view name, std::int64_t timestamp_ns) {
    end_line();
    protozero::pbf_writer writer(line_);
    writer.add_uint64(kLineId, id);
    writer.add_string(kLineName, name.data(), name.size());
    writer.add_int64(kLineTimestamp, timestamp_ns);
    return *this;
  }
  /// Times in ns, from the line's timestamp on.
  PlaneBuilder& event(std::string_view name, std::int64_t at, std::int64_t lasts,
                      const StatValues& values = {}) {
    std::string message;
    protozero::pbf_writer writer(message);
    writer.add_int64(kEventMetadataOf, id_of(std::string(name), events_));
    writer.add_int64(kOffset, at * 1000);
    if (lasts > 0) writer.add_int64(kDuration, lasts * 1000);
    for (const StatValue& value : values) writer.add_message(kEventStats, stat(value));
    return event_message(message);
  }
  PlaneBuilder& event_message(const std::string& message) {
    protozero::pbf_writer(line_).add_message(kEvents, message);
    return *this;
  }
  /// A statistic that all events with this name share.
  PlaneBuilder& shared(const std::string& event, const StatValue& value) {
    protozero::pbf_writer(shared_[event]).add_message(kMetadataStats, stat(value));
    return *this;
  }
  PlaneBuilder& display_name(const std::string& event, std::string_view name) {
    protozero::pbf_writer(shared_[event]).add_string(kDisplayName, name.data(), name.size());
    return *this;
  }
  /// A statistic of the plane.
  PlaneBuilder& property(const StatValue& value) {
    protozero::pbf_writer(own_).add_message(kPlaneStats, stat(value));
    return *this;
  }
  /// A program, in the plane "/host:metadata".
  PlaneBuilder& program(std::uint64_t id, const std::string& hlo) {
    std::string value, metadata, entry;
    protozero::pbf_writer writer(value);
    writer.add_int64(kStatMetadataOf, id_of("Hlo Proto", stats_));
    writer.add_bytes(kBytes, hlo.data(), hlo.size());
    protozero::pbf_writer about(metadata);
    about.add_uint64(kEventMetadataId, id);
    about.add_string(kEventName, "program");
    about.add_message(kMetadataStats, value);
    protozero::pbf_writer map(entry);
    map.add_uint64(kMapKey, id);
    map.add_message(kMapValue, metadata);
    protozero::pbf_writer(own_).add_message(kEventMetadata, entry);
    return *this;
  }

  [[nodiscard]] std::string bytes() {
    end_line();
    std::string out;
    protozero::pbf_writer writer(out);
    writer.add_string(kPlaneName, name_.data(), name_.size());
    out += lines_;
    for (const auto& [name, id] : events_)
      writer.add_message(kEventMetadata, entry(name, id, kEventName, shared_[name]));
    for (const auto& [name, id] : stats_)
      writer.add_message(kStatMetadata, entry(name, id, kStatName, ""));
    return out + own_;
  }

 private:
  using Ids = std::map<std::string, std::int64_t>;

  static std::int64_t id_of(const std::string& name, Ids& ids) {
    return ids.try_emplace(name, static_cast<std::int64_t>(ids.size()) + 1).first->second;
  }
  std::string stat(const StatValue& value) {
    std::string message;
    protozero::pbf_writer writer(message);
    writer.add_int64(kStatMetadataOf, id_of(value.name, stats_));
    if (value.by_reference) {
      writer.add_int64(kReference, id_of(value.text, stats_));
    } else if (!value.text.empty()) {
      writer.add_string(kText, value.text.data(), value.text.size());
    } else {
      writer.add_uint64(kUint, value.number);
    }
    return message;
  }
  static std::string entry(const std::string& name, std::int64_t id, std::uint32_t field,
                           const std::string& more) {
    std::string value, map;
    protozero::pbf_writer about(value);
    about.add_int64(1, id);
    about.add_string(field, name.data(), name.size());
    value += more;
    protozero::pbf_writer writer(map);
    writer.add_int64(kMapKey, id);
    writer.add_message(kMapValue, value);
    return map;
  }
  void end_line() {
    if (!line_.empty()) protozero::pbf_writer(lines_).add_message(kLines, line_);
    line_.clear();
  }

  std::string name_, line_, lines_, own_;
  Ids events_, stats_;
  std::map<std::string, std::string> shared_;
};

inline std::string file(std::vector<PlaneBuilder> planes) {
  std::string out;
  for (PlaneBuilder& plane : planes) protozero::pbf_writer(out).add_message(kPlanes, plane.bytes());
  return out;
}

/// An instruction of an HLO proto with an array of bf16.
struct HloOp {
  std::string name, opcode;
  std::int64_t id = 0;
  std::vector<std::int64_t> dims{};
  std::vector<std::int64_t> operands{};
  std::vector<std::pair<std::uint32_t, std::string>> messages{};  ///< further fields
  std::vector<std::pair<std::uint32_t, std::int64_t>> numbers{};
};

inline std::string hlo_program(const std::vector<HloOp>& operations, std::int64_t partitions = 1) {
  using namespace hlo_proto;
  std::string computation, module, proto, assignment;
  protozero::pbf_writer writer(computation);
  writer.add_string(kComputationName, "main");
  for (const HloOp& op : operations) {
    std::string shape, instruction;
    protozero::pbf_writer array(shape);
    array.add_int64(kElementType, 16);  // bf16
    array.add_packed_int64(kShapeDimensions, op.dims.begin(), op.dims.end());
    protozero::pbf_writer is(instruction);
    is.add_string(kInstructionName, op.name);
    is.add_string(kOpcode, op.opcode);
    is.add_message(kShape, shape);
    is.add_int64(kInstructionId, op.id);
    is.add_packed_int64(kOperandIds, op.operands.begin(), op.operands.end());
    for (const auto& [field, message] : op.messages) is.add_message(field, message);
    for (const auto& [field, value] : op.numbers) is.add_int64(field, value);
    writer.add_message(kInstructions, instruction);
  }
  writer.add_int64(kComputationId, 7);
  protozero::pbf_writer devices(assignment);
  devices.add_int64(kReplicaCount, 1);
  devices.add_int64(kComputationCount, partitions);
  protozero::pbf_writer about(module);
  about.add_string(kModuleName, "jit_step");
  about.add_message(kComputations, computation);
  about.add_int64(kEntryComputationId, 7);
  about.add_message(kDeviceAssignment, assignment);
  protozero::pbf_writer(proto).add_message(kModule, module);
  return proto;
}

/// A product of 256 × 512 by 512 × 128, and an all-reduce of its result over two partitions.
inline std::string product_and_sum() {
  using namespace hlo_proto;
  std::string dot, group;
  protozero::pbf_writer dims(dot);
  const std::vector<std::int64_t> one{1}, zero{0}, both{0, 1};
  dims.add_packed_int64(kLhsContracting, one.begin(), one.end());
  dims.add_packed_int64(kRhsContracting, zero.begin(), zero.end());
  protozero::pbf_writer(group).add_packed_int64(kReplicaIds, both.begin(), both.end());
  return hlo_program({{"p0", "parameter", 1, {256, 512}},
                      {"p1", "parameter", 2, {512, 128}},
                      {"dot.1", "dot", 3, {256, 128}, {1, 2}, {{kDotDimensions, dot}}},
                      {"all-reduce.1",
                       "all-reduce",
                       4,
                       {256, 128},
                       {3},
                       {{kReplicaGroups, group}},
                       {{kChannelId, 1}, {kUseGlobalDeviceIds, 1}}}},
                     2);
}

/// Two GPUs that each run a product in two kernels, a collective and a copy, in two steps.
inline std::string two_devices() {
  std::vector<PlaneBuilder> planes;
  planes.emplace_back("/host:metadata").program(15, product_and_sum());
  PlaneBuilder host("/host:CPU");
  host.line(71, "Host Threads/71", 1000);
  for (std::uint64_t step = 0; step < 2; ++step) {
    for (std::uint64_t device = 0; device < 2; ++device) {
      const std::uint64_t first = 1 + 10 * step + 4 * device;
      const auto at = static_cast<std::int64_t>(step * 100'000 + device * 4'000);
      host.event("hipModuleLaunchKernel", at + 2'000, 500, {number("correlation_id", first)});
      host.event("hipModuleLaunchKernel", at + 3'000, 500, {number("correlation_id", first + 1)});
      host.event("hipModuleLaunchKernel", at + 4'000, 500, {number("correlation_id", first + 2)});
      host.event("hipMemcpyAsync", at + 5'000, 500, {number("correlation_id", first + 3)});
    }
  }
  host.line(72, "python", 1000);
  for (std::uint64_t step = 0; step < 2; ++step) {
    const auto at = static_cast<std::int64_t>(step * 100'000);
    host.event("train", at, 90'000, {number("step_num", step + 5)});
    host.event("$train.py:12 step", at + 100, 80'000);
    host.event("instant", at + 50, 0);
  }
  for (std::uint64_t device = 0; device < 2; ++device) {
    PlaneBuilder plane("/device:GPU:" + std::to_string(device));
    plane.property(text("device_vendor", "AMD")).property(number("core_count", 304));
    plane.line(17, "Stream #17(Kernel)", 1000);
    for (std::uint64_t step = 0; step < 2; ++step) {
      const std::uint64_t first = 1 + 10 * step + 4 * device;
      const auto at = static_cast<std::int64_t>(step * 100'000);
      const auto op = [&](std::uint64_t correlation, const char* hlo) {
        return StatValues{number("correlation_id", correlation),
                          text("kernel_details", " grid:64,2,1 block:256,1,1 group_mem:2112"),
                          reference("hlo_op", hlo), number("program_id", 15)};
      };
      plane.event("layout_kernel.kd", at + 10'000, 1'000, op(first, "dot.1"));
      plane.event("Cijk_Ailk_BBS.kd", at + 11'000, 20'000, op(first + 1, "dot.1"));
      plane.event("ncclDevKernel_Generic.kd", at + 32'000, 5'000, op(first + 2, "all-reduce.1"));
      plane.event(
          "MemcpyD2H", at + 40'000, 2'000,
          {number("correlation_id", first + 3), text("memcpy_details", "size:4096 dest:0")});
    }
    plane.line(100'000'001, "XLA Modules", 1000).event("jit_step", 10'000, 32'000);
    planes.push_back(plane);
  }
  planes.push_back(host);
  planes.emplace_back("Task Environment")
      .property(number("profile_start_time", 1'700'000'000'000'000'000));
  return file(std::move(planes));
}

/// What became of a file.
struct Outcome {
  Findings findings;
  Result<profile::Profile> profile;

  /// The first event with this name.
  [[nodiscard]] profile::EventId event(std::string_view name) const {
    for (profile::EventId e = 0; e < profile->events.size(); ++e)
      if (profile->name(e) == name) return e;
    return profile::kNoEvent;
  }
};

/// Bytes that a reader opens several times.
inline OpenSource source_of(const std::string& bytes) {
  return [&bytes]() -> Result<std::unique_ptr<ByteSource>> {
    return std::make_unique<MemorySource>(std::as_bytes(std::span(bytes)));
  };
}

inline Outcome read(const std::string& bytes, std::optional<std::int64_t> device = {},
                    std::optional<std::uint32_t> rank = {}) {
  Findings findings;
  auto profile = xplane::read(
      source_of(bytes), {"x.xplane.pb", std::make_shared<StringPool>(), device, rank}, findings);
  return {std::move(findings), std::move(profile)};
}

}  // namespace orrery::trace::xplane::testing
