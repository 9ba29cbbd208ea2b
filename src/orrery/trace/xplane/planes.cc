// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/xplane/planes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>
#include <utility>

#include "orrery/core/limits.h"
#include "orrery/trace/hlo_proto/program_reader.h"
#include "orrery/trace/xplane/proto_fields.h"

namespace orrery::trace::xplane {
namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;

constexpr std::pair<std::string_view, Stat> kStatNames[] = {
    {"correlation_id", Stat::correlation},
    {"kernel_details", Stat::kernel_details},
    {"memcpy_details", Stat::memcpy_details},
    {"memset_details", Stat::memset_details},
    {"hlo_op", Stat::hlo_op},
    {"program_id", Stat::program_id},
    {"step_num", Stat::step_number},
    {"device_vendor", Stat::vendor},
    {"memory_size", Stat::memory_size},
    {"core_count", Stat::core_count},
    {"profile_start_time", Stat::start_time},
    {"device_type_string", Stat::device_type},
};

Stat stat_of(std::string_view name) {
  for (const auto& [known, stat] : kStatNames)
    if (known == name) return stat;
  return Stat::other;
}

std::string_view short_text(pbf_reader& field) {
  const auto view = field.get_view();
  return std::string_view(view.data(), view.size()).substr(0, limits::kEventNameBytes);
}

/// Names of Python's functions begin with "$"; the profiler writes those of runtime calls as they
/// are.
HostName host_name(std::string_view name) {
  if (name.starts_with('$')) return HostName::python;
  for (const std::string_view prefix : {"hip", "cuda", "cu", "hsa_"})
    if (name.starts_with(prefix) && name.size() > prefix.size() &&
        (prefix == "hsa_" || (name[prefix.size()] >= 'A' && name[prefix.size()] <= 'Z')))
      return HostName::call;
  return HostName::range;
}

/// Names of copies as other profilers write them. Source: rocm_tracer and cupti_collector of XLA,
/// GetRocmTracerEventTypeName and GetTraceEventTypeName.
std::string_view work_name(std::string_view name) {
  constexpr std::pair<std::string_view, std::string_view> kCopies[] = {
      {"MemcpyH2D", "Memcpy HtoD"},
      {"MemcpyD2H", "Memcpy DtoH"},
      {"MemcpyD2D", "Memcpy DtoD"},
      {"MemcpyP2P", "Memcpy PtoP"}};
  for (const auto& [theirs, plain] : kCopies)
    if (name == theirs) return plain;
  // The names of kernels of AMD's devices are those of their descriptors.
  if (name.ends_with(".kd")) name.remove_suffix(3);
  return name;
}

class PlanesReader {
 public:
  /// Null: reads no names, but lines.
  PlanesReader(ByteSource& source, const std::string& where, StringPool* strings)
      : stream_(source, where), strings_(strings) {}

  Result<Planes> run() {
    for (;;) {
      const auto field = stream_.next(FieldStream::kToEndOfFile);
      if (!field) return tl::unexpected(field.error());
      if (!*field) break;
      Result<void> done;
      if ((*field)->is_message(kPlanes)) {
        done = read_plane(**field);
      } else if ((*field)->is_message(kHostnames)) {
        const auto host = stream_.view(**field);
        if (!host) return tl::unexpected(host.error());
        out_.hosts.emplace_back(host->substr(0, 256));
      } else if ((*field)->is_message(kErrors)) {
        done = read_report(**field, out_.errors, out_.error_count);
      } else if ((*field)->is_message(kWarnings)) {
        done = read_report(**field, out_.warnings, out_.warning_count);
      } else {
        done = stream_.skip(**field);
      }
      if (!done) return tl::unexpected(done.error());
    }
    if (out_.planes.empty())
      return fail(Errc::input_empty, stream_.place(), "the file has no plane",
                  "record with jax.profiler.trace or tf.profiler.experimental.start");
    return std::move(out_);
  }

 private:
  /// An error or a warning of the profiler.
  Result<void> read_report(const Field& field, std::vector<std::string>& texts,
                           std::uint64_t& count) {
    ++count;
    if (texts.size() == Findings::kPlaces) return stream_.skip(field);
    const auto text = stream_.view(field);
    if (!text) return tl::unexpected(text.error());
    texts.emplace_back(text->substr(0, 256));
    return {};
  }

  Result<void> read_plane(const Field& whole) {
    constexpr std::size_t kMostPlanes = 1 << 14;
    if (out_.planes.size() == kMostPlanes)
      return fail(Errc::limit_exceeded, stream_.place(),
                  fmt::format("the file has more than {} planes", kMostPlanes), "record again");
    Plane& plane = out_.planes.emplace_back();
    for (;;) {
      const auto next = stream_.next(whole.end);
      if (!next) return tl::unexpected(next.error());
      if (!*next) return {};
      const Field& field = **next;
      Result<void> done;
      if (field.is_message(kPlaneName)) {
        const auto name = stream_.view(field);
        if (!name) return tl::unexpected(name.error());
        plane.name = std::string(name->substr(0, 256));
        plane.kind = plane_kind(plane.name, plane.device);
      } else if (field.is_message(kLines)) {
        done = strings_ != nullptr ? stream_.skip(field) : read_line(field, plane);
      } else if (strings_ != nullptr &&
                 (field.is_message(kEventMetadata) || field.is_message(kStatMetadata) ||
                  field.is_message(kPlaneStats))) {
        const auto bytes = stream_.view(field);
        if (!bytes) return tl::unexpected(bytes.error());
        try {
          if (field.number == kEventMetadata) {
            add_event_name(*bytes, plane);
          } else if (field.number == kStatMetadata) {
            add_stat_name(*bytes, plane);
          } else {
            protozero::pbf_writer(plane.own_stats)
                .add_message(kMetadataStats, bytes->data(), bytes->size());
          }
        } catch (const protozero::exception&) {
          return fail(Errc::input_corrupt, stream_.place(), "the names of events are damaged",
                      "record again, or copy the file again");
        }
      } else {
        done = stream_.skip(field);
      }
      if (!done) return done;
    }
  }

  /// Looks for an event in a line of a device.
  Result<void> read_line(const Field& line, Plane& plane) {
    const bool is_device = plane.kind == PlaneKind::gpu || plane.kind == PlaneKind::tpu;
    LineKind kind = LineKind::derived;
    while (is_device && !plane.has_work) {
      const auto field = stream_.next(line.end);
      if (!field) return tl::unexpected(field.error());
      if (!*field) return {};
      if ((*field)->is_message(kLineName)) {
        const auto name = stream_.view(**field);
        if (!name) return tl::unexpected(name.error());
        kind = line_kind(plane.kind, *name);
        continue;
      }
      if ((*field)->is_message(kEvents)) {
        plane.has_work = kind == LineKind::work || kind == LineKind::ops;
        if (!plane.has_work) break;
      }
      if (auto done = stream_.skip(**field); !done) return done;
    }
    return stream_.skip(line);
  }

  void add_event_name(std::string_view entry, Plane& plane) {
    std::uint64_t id = 0;
    EventName found;
    std::string_view name, display;
    pbf_reader map(entry.data(), entry.size());
    while (map.next()) {
      if (map.tag() == kMapKey && map.wire_type() == pbf_wire_type::varint) {
        id = map.get_uint64();
        continue;
      }
      if (map.tag() != kMapValue || map.wire_type() != pbf_wire_type::length_delimited) {
        map.skip();
        continue;
      }
      pbf_reader value = map.get_message();
      while (value.next()) {
        if (value.wire_type() != pbf_wire_type::length_delimited) {
          value.skip();
        } else if (value.tag() == kEventName) {
          name = short_text(value);
        } else if (value.tag() == kDisplayName) {
          display = short_text(value);
        } else if (value.tag() == kMetadataStats) {
          const auto stat = value.get_view();
          if (plane.kind == PlaneKind::programs) {
            add_program(id, stat);
          } else {
            protozero::pbf_writer(found.stats)
                .add_message(kMetadataStats, stat.data(), stat.size());
          }
        } else {
          value.skip();
        }
      }
    }
    if (!display.empty()) name = display;
    if (plane.kind == PlaneKind::gpu) name = work_name(name);
    if (plane.kind == PlaneKind::host) {
      found.host = host_name(name);
      if (found.host == HostName::python) name.remove_prefix(1);
    }
    found.name = strings_->intern(name);
    plane.event_names[id] = std::move(found);
  }

  void add_stat_name(std::string_view entry, Plane& plane) {
    std::uint64_t id = 0;
    std::string_view name;
    pbf_reader map(entry.data(), entry.size());
    while (map.next()) {
      if (map.tag() == kMapKey && map.wire_type() == pbf_wire_type::varint) {
        id = map.get_uint64();
      } else if (map.tag() == kMapValue && map.wire_type() == pbf_wire_type::length_delimited) {
        pbf_reader value = map.get_message();
        while (value.next())
          if (value.tag() == kStatName && value.wire_type() == pbf_wire_type::length_delimited) {
            name = short_text(value);
          } else {
            value.skip();
          }
      } else {
        map.skip();
      }
    }
    plane.stat_names[id] = strings_->intern(name);
    plane.stats[id] = stat_of(name);
  }

  /// A program is the only statistic with bytes in its plane; its id is that of the metadata.
  void add_program(std::uint64_t id, protozero::data_view stat) {
    pbf_reader message(stat);
    while (message.next()) {
      if (message.tag() != kBytes || message.wire_type() != pbf_wire_type::length_delimited) {
        message.skip();
        continue;
      }
      const auto bytes = message.get_view();
      auto read = hlo_proto::read_program({bytes.data(), bytes.size()});
      if (read.damaged) ++out_.damaged_programs;
      out_.programs[id] = std::move(read.program);
    }
  }

  FieldStream stream_;
  StringPool* strings_;
  Planes out_;
};

/// The number at the beginning of `text`; -1 without one.
std::int64_t number_in(std::string_view text) {
  std::int64_t number = -1;
  if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc{}) return -1;
  return number;
}

}  // namespace

PlaneKind plane_kind(std::string_view name, std::int64_t& device) {
  constexpr std::string_view kGpu = "/device:GPU:", kTpu = "/device:TPU:";
  device = -1;
  if (name.starts_with(kGpu) || name.starts_with(kTpu)) {
    device = number_in(name.substr(kGpu.size()));
    if (device < 0) return PlaneKind::other;
    return name.starts_with(kGpu) ? PlaneKind::gpu : PlaneKind::tpu;
  }
  if (name == "/host:metadata") return PlaneKind::programs;
  // The planes of single tracers, which the profiler usually merges into the first.
  for (const std::string_view host :
       {"/host:CPU", "/host:CUPTI", "/host:ROCTRACER", "/host:python-tracer"})
    if (name.starts_with(host)) return PlaneKind::host;
  return name == "Task Environment" ? PlaneKind::environment : PlaneKind::other;
}

Result<Planes> read_names(ByteSource& source, const std::string& where, StringPool& strings) {
  return PlanesReader(source, where, &strings).run();
}

Result<Planes> find_work(ByteSource& source, const std::string& where) {
  return PlanesReader(source, where, nullptr).run();
}

LineKind line_kind(PlaneKind plane, std::string_view line) {
  switch (plane) {
    case PlaneKind::host:
      return LineKind::thread;
    case PlaneKind::gpu:
      return line.starts_with("Stream ") ? LineKind::work : LineKind::derived;
    case PlaneKind::tpu:
      if (line == "Steps") return LineKind::steps;
      return line == "XLA Ops" || line == "Async XLA Ops" ? LineKind::ops : LineKind::derived;
    default:
      return LineKind::derived;
  }
}

}  // namespace orrery::trace::xplane
