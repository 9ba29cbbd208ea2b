// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/xplane/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <protozero/exception.hpp>
#include <set>
#include <utility>

#include "orrery/core/check.h"
#include "orrery/core/text/text.h"
#include "orrery/trace/xplane/event_import.h"
#include "orrery/trace/xplane/event_stats.h"
#include "orrery/trace/xplane/planes.h"

namespace orrery::trace::xplane {
namespace {

/// Timestamps are relative to the start of the profile. Those of old files are absolute: later than
/// 1973 as times of the system's clock.
constexpr std::int64_t kAbsolute = 100'000'000'000'000'000;

class Reader {
 public:
  Reader(const OpenSource& open, const ReadOptions& options, Findings& findings)
      : open_(open), options_(options), findings_(findings) {
    profile_.strings = options.strings;
    profile_.format = "xplane";
    profile_.where = options.where;
  }

  Result<profile::Profile> run() {
    auto source = open_();
    if (!source) return tl::unexpected(std::move(source.error()));
    auto planes = read_names(**source, options_.where, *profile_.strings);
    if (!planes) return tl::unexpected(std::move(planes.error()));
    if (planes->damaged_programs > 0)
      findings_.add(FindingCode::corrupt_record_dropped,
                    fmt::format("{}: HLO programs", options_.where), planes->damaged_programs);
    report(FindingCode::profiler_error, planes->errors, planes->error_count);
    report(FindingCode::profiler_warning, planes->warnings, planes->warning_count);
    try {
      for (const Plane& plane : planes->planes) describe(plane);
    } catch (const protozero::exception&) {
      return fail(Errc::input_corrupt, options_.where, "the statistics of a plane are damaged",
                  "record again, or copy the file again");
    }
    source = open_();
    if (!source) return tl::unexpected(std::move(source.error()));
    const auto rank =
        options_.rank.value_or(static_cast<std::uint32_t>(options_.device.value_or(first_device_)));
    EventImport events(*planes, options_.device, rank, profile_, findings_);
    if (auto read = events.read(**source); !read) return tl::unexpected(std::move(read.error()));
    if (profile_.events.empty())
      return fail(Errc::input_empty, options_.where, "contains no event of a host or a device",
                  "record with jax.profiler.trace around some steps");
    const std::int64_t first = events.finish();
    profile_.origin_ns = first;
    if (first < kAbsolute && __builtin_add_overflow(first, start_, &profile_.origin_ns))
      profile_.origin_ns = first;
    profile_.index(findings_);
    return std::move(profile_);
  }

 private:
  /// What the profiler reported while it recorded.
  void report(FindingCode code, const std::vector<std::string>& texts, std::uint64_t count) {
    for (const std::string& text : texts)
      findings_.add(code, fmt::format("{}: {}", options_.where, printable(text, kShownBytes)));
    if (count > texts.size()) findings_.add(code, {}, count - texts.size());
  }

  /// Reads the properties of a plane's device, or those of the recording.
  void describe(const Plane& plane) {
    EventStats stats;
    stats.add_all(plane.own_stats, plane, *profile_.strings);
    if (plane.kind == PlaneKind::environment) start_ = stats.number(Stat::start_time).value_or(0);
    if (plane.kind != PlaneKind::gpu && plane.kind != PlaneKind::tpu) return;
    // A device that was not used has no names of events.
    if (options_.device ? *options_.device != plane.device : plane.event_names.empty()) return;
    if (profile_.devices.empty()) first_device_ = plane.device;
    profile::Device& device = profile_.devices.emplace_back();
    device.id = plane.device;
    const std::string_view kind = plane.kind == PlaneKind::gpu ? "GPU" : "TPU";
    const std::string_view vendor = stats.text(Stat::vendor), type = stats.text(Stat::device_type);
    device.name = fmt::format("{}{}{}", vendor, vendor.empty() ? "" : " ", kind);
    if (!type.empty()) device.name = std::string(type.substr(0, 256));
    const auto positive = [&](Stat stat) {
      return std::max<std::int64_t>(stats.number(stat).value_or(0), 0);
    };
    device.memory_bytes = positive(Stat::memory_size);
    device.processors = positive(Stat::core_count);
  }

  const OpenSource& open_;
  const ReadOptions& options_;
  Findings& findings_;
  profile::Profile profile_;
  std::int64_t start_ = 0;  // of the recording, in ns
  std::int64_t first_device_ = 0;
};

}  // namespace

Result<profile::Profile> read(const OpenSource& open, const ReadOptions& options,
                              Findings& findings) {
  ORRERY_CHECK(options.strings != nullptr);
  return Reader(open, options, findings).run();
}

Result<std::vector<std::int64_t>> devices_in(const OpenSource& open, const std::string& where) {
  auto source = open();
  if (!source) return tl::unexpected(std::move(source.error()));
  const auto planes = find_work(**source, where);
  if (!planes) return tl::unexpected(planes.error());
  std::set<std::int64_t> devices;
  for (const Plane& plane : planes->planes)
    if (plane.has_work) devices.insert(plane.device);
  return std::vector<std::int64_t>(devices.begin(), devices.end());
}

}  // namespace orrery::trace::xplane
