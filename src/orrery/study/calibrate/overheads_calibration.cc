// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/calibrate/overheads_calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "orrery/calibrate/measurements/benchmark_run.h"
#include "orrery/config/parameters.h"
#include "orrery/config/yaml_writer.h"
#include "orrery/core/text/text.h"
#include "orrery/intake/job/job.h"
#include "orrery/platform/catalog/catalog.h"
#include "orrery/study/kernels/kernel_estimates.h"
#include "orrery/study/questions/inputs/recorded_traces.h"

namespace orrery::study {
namespace {

using config::field;
using profile::TimeSpread;

/// Rounded to a nanosecond, the resolution of recordings.
Time time_of(double us) { return Time(std::llround(us * 1e3) * 1000); }

struct FileLine {
  std::string file, sha256;
  static constexpr auto fields =
      std::tuple{field("file", &FileLine::file, "its name"),
                 field("sha256", &FileLine::sha256, "hash of its bytes")};
};

struct SpreadLine {
  std::string of;
  std::int64_t count = 0;
  Time least{}, median{}, most{};
  double held_back = 0;
  static constexpr auto fields =
      std::tuple{field("of", &SpreadLine::of, "what"),
                 field("count", &SpreadLine::count, "times"),
                 field("least", &SpreadLine::least, "10 % are below"),
                 field("median", &SpreadLine::median, "of all"),
                 field("most", &SpreadLine::most, "10 % are above"),
                 field("held_back", &SpreadLine::held_back,
                       "relative error of the median of every second value against the others")};
};

struct OverheadLine {
  std::string overhead, of;
  std::int64_t count = 0, dropped = 0, below_zero = 0;
  Time mean{};
  static constexpr auto fields =
      std::tuple{field("overhead", &OverheadLine::overhead, "T1 to T5"),
                 field("of", &OverheadLine::of, "operator or function, or all"),
                 field("mean", &OverheadLine::mean, "without outliers and the profiler's own time"),
                 field("count", &OverheadLine::count, "measured"),
                 field("dropped", &OverheadLine::dropped, "outliers"),
                 field("below_zero", &OverheadLine::below_zero, "negative values, counted as 0")};
};

struct KernelsLine {
  Time launch{};
  static constexpr auto fields =
      std::tuple{field("launch", &KernelsLine::launch, "of one kernel, by the host")};
};
struct JobLine {
  std::optional<KernelsLine> kernels;
  static constexpr auto fields = std::tuple{field("kernels", &JobLine::kernels, "of a job")};
};
struct GapLine {
  Time gap{};
  static constexpr auto fields = std::tuple{field("gap", &GapLine::gap, "between kernels")};
};
struct DeviceLine {
  std::optional<GapLine> in_step;
  static constexpr auto fields = std::tuple{field("in_step", &DeviceLine::in_step, "of a device")};
};
struct ClusterLine {
  std::optional<DeviceLine> device;
  static constexpr auto fields = std::tuple{field("device", &ClusterLine::device, "of a cluster")};
};

struct OverheadsFile {
  std::int64_t version = 1;
  std::string made_by = "orrery calibrate overheads";
  std::optional<std::string> made_on;
  std::vector<FileLine> made_from;
  std::optional<std::string> device, driver;
  std::optional<JobLine> job;
  std::optional<ClusterLine> cluster;
  std::vector<SpreadLine> times;
  std::vector<OverheadLine> overheads;

  static constexpr auto fields =
      std::tuple{field("version", &OverheadsFile::version, "format version"),
                 field("made_by", &OverheadsFile::made_by, "command"),
                 field("made_on", &OverheadsFile::made_on, "when it was recorded"),
                 field("made_from", &OverheadsFile::made_from, "files that were read"),
                 field("device", &OverheadsFile::device, "device of the catalog"),
                 field("driver", &OverheadsFile::driver, "device name in the recordings"),
                 field("job", &OverheadsFile::job, "for the job's file"),
                 field("cluster", &OverheadsFile::cluster, "for the cluster's file"),
                 field("times", &OverheadsFile::times, "launches, latency, gap"),
                 field("overheads", &OverheadsFile::overheads, "T1 to T5")};
};

std::optional<std::string> unless_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

std::string yaml_of(const OverheadsCalibration& answer) {
  OverheadsFile file;
  file.made_on = unless_empty(answer.date);
  for (const SourceFile& one : answer.files) file.made_from.push_back({one.name, one.sha256});
  file.device = unless_empty(answer.device);
  file.driver = unless_empty(answer.driver);
  if (answer.launch.count > 0) file.job = JobLine{KernelsLine{time_of(answer.launch.median)}};
  if (answer.gap.count > 0)
    file.cluster = ClusterLine{DeviceLine{GapLine{time_of(answer.gap.median)}}};
  const auto add = [&](const char* of, const TimeSpread& spread) {
    if (spread.count > 0)
      file.times.push_back({of, static_cast<std::int64_t>(spread.count), time_of(spread.p10),
                            time_of(spread.median), time_of(spread.p90),
                            std::round(spread.holdout_error * 1e4) / 1e4});
  };
  add("launch, forward", answer.forward);
  add("launch, backward", answer.backward);
  add("launch, optimizer", answer.optimizer);
  add("latency of a launch", answer.latency);
  add("gap between kernels", answer.gap);
  for (const profile::OverheadRow& row : answer.rows)
    file.overheads.push_back(
        {std::string(name(row.overhead)), row.of.empty() ? "all" : printable(row.of, 120),
         static_cast<std::int64_t>(row.count), static_cast<std::int64_t>(row.dropped),
         static_cast<std::int64_t>(row.below_zero), time_of(row.mean_us)});
  return config::to_yaml(config::write_value(file), 3);
}

/// Sets the device name from the recordings or the question.
Result<void> name_device(const OverheadsCalibrationQuestion& question,
                         const std::set<std::string>& drivers, OverheadsCalibration& answer) {
  if (drivers.size() > 1)
    return fail(Errc::input_mismatch, question.files.front(),
                fmt::format("recordings of {} and {} are mixed", in_quotes(*drivers.begin()),
                            in_quotes(*std::next(drivers.begin()))),
                "calibrate each kind of machine separately");
  if (!drivers.empty()) answer.driver = printable(*drivers.begin(), 120);
  const auto stated = catalog_device(question.device);
  if (!stated) return tl::unexpected(stated.error());
  const platform::DeviceEntry* entry =
      *stated != nullptr ? *stated : platform::find_device_by_driver(answer.driver);
  answer.device = entry == nullptr ? answer.driver : entry->name;
  return {};
}

}  // namespace

Result<OverheadsCalibration> calibrate_overheads(const OverheadsCalibrationQuestion& question,
                                                 Findings& findings) {
  if (auto fine = check_date(question.date); !fine) return tl::unexpected(fine.error());
  RecordedTraces recorded;
  recorded.traces = question.files;
  profile::OverheadBuilder builder;
  OverheadsCalibration answer;
  std::set<std::string> drivers;
  std::vector<std::string> files;
  const auto use = [&](const intake::RankTrace& rank) {
    builder.add(rank.profile);
    ++answer.ranks;
    for (const profile::Device& device : rank.profile.devices)
      if (!device.name.empty()) drivers.insert(device.name);
    answer.date = std::max(answer.date, calibrate::date_of(rank.profile.origin_ns / 1000));
    for (const auto& input : {rank.files.device, rank.files.host})
      if (input && std::find(files.begin(), files.end(), input->path) == files.end())
        files.push_back(input->path);
  };
  const auto job = read_ranks(recorded, question.progress, findings, use);
  if (!job) return tl::unexpected(job.error());
  if (auto named = name_device(question, drivers, answer); !named)
    return tl::unexpected(named.error());
  answer.operators = builder.operators();
  answer.waiting = builder.waiting();
  answer.launch = builder.launches();
  answer.forward = builder.launches(profile::LaunchPass::forward);
  answer.backward = builder.launches(profile::LaunchPass::backward);
  answer.optimizer = builder.launches(profile::LaunchPass::optimizer);
  answer.latency = builder.latency();
  answer.gap = builder.gap();
  answer.rows = builder.rows();
  const auto is_launch = [](const profile::OverheadRow& row) {
    return row.overhead == profile::Overhead::launch_call;
  };
  if (std::none_of(answer.rows.begin(), answer.rows.end(), is_launch))
    return fail(Errc::input_empty, question.files.front(), "no operator launches device work",
                "record host and device (ProfilerActivity.CPU and CUDA)");
  auto hashed = hash_files(files);
  if (!hashed) return tl::unexpected(std::move(hashed.error()));
  answer.files = *std::move(hashed);
  if (!question.date.empty()) answer.date = question.date;
  answer.file = yaml_of(answer);
  answer.findings = findings;
  return answer;
}

}  // namespace orrery::study
