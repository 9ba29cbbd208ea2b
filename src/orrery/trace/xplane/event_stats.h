// SPDX-License-Identifier: Apache-2.0
//
// The statistics of an event.
#pragma once

#include <cstdint>
#include <optional>
#include <protozero/pbf_reader.hpp>
#include <string_view>

#include "orrery/trace/xplane/planes.h"
#include "orrery/trace/xplane/proto_fields.h"

namespace orrery::trace::xplane {

/// Texts are views of the message or of the pool.
struct EventStats {
  std::optional<std::uint64_t> correlation, program;
  std::optional<std::int64_t> step, flops, bytes_accessed, memory_size, core_count, start_time;
  std::string_view kernel_details, memcpy_details, memset_details, hlo_op, hlo_module, hlo_category,
      vendor, device_type;

  /// Adds a statistic. Throws protozero's exceptions.
  void add(protozero::pbf_reader stat, const Plane& plane, const StringPool& strings) {
    std::uint64_t id = 0;
    std::int64_t number = 0;
    std::string_view text;
    while (stat.next()) {
      const auto type = stat.wire_type();
      if (type == protozero::pbf_wire_type::varint) {
        const std::uint64_t value = stat.get_uint64();
        if (stat.tag() == kStatMetadataOf) id = value;
        if (stat.tag() == kUint || stat.tag() == kInt) number = static_cast<std::int64_t>(value);
        if (stat.tag() == kReference) text = strings.view(plane.stat_names.find(value));
      } else if (stat.tag() == kText && type == protozero::pbf_wire_type::length_delimited) {
        const auto view = stat.get_view();
        text = {view.data(), view.size()};
      } else {
        stat.skip();
      }
    }
    set(plane.stats.find(id), number, text);
  }

  /// Adds messages with their tags.
  void add_all(std::string_view messages, const Plane& plane, const StringPool& strings) {
    protozero::pbf_reader all(messages.data(), messages.size());
    while (all.next()) add(all.get_message(), plane, strings);
  }

 private:
  void set(Stat stat, std::int64_t number, std::string_view text) {
    switch (stat) {
      case Stat::correlation:
        correlation = static_cast<std::uint64_t>(number);
        return;
      case Stat::program_id:
        program = static_cast<std::uint64_t>(number);
        return;
      case Stat::step_number:
        step = number;
        return;
      case Stat::flops:
        flops = number;
        return;
      case Stat::bytes_accessed:
        bytes_accessed = number;
        return;
      case Stat::memory_size:
        memory_size = number;
        return;
      case Stat::core_count:
        core_count = number;
        return;
      case Stat::start_time:
        start_time = number;
        return;
      case Stat::kernel_details:
        kernel_details = text;
        return;
      case Stat::memcpy_details:
        memcpy_details = text;
        return;
      case Stat::memset_details:
        memset_details = text;
        return;
      case Stat::hlo_op:
        hlo_op = text;
        return;
      case Stat::hlo_module:
        hlo_module = text;
        return;
      case Stat::hlo_category:
        hlo_category = text;
        return;
      case Stat::vendor:
        vendor = text;
        return;
      case Stat::device_type:
        device_type = text;
        return;
      case Stat::other:
        return;
    }
  }
};

}  // namespace orrery::trace::xplane
