// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/calibrate/compute_calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "orrery/calibrate/measurements/benchmark_run.h"
#include "orrery/core/statistics/statistics.h"
#include "orrery/core/text/csv.h"
#include "orrery/core/text/text.h"
#include "orrery/intake/job/job.h"
#include "orrery/model/kernels/silicon_of.h"
#include "orrery/study/calibrate/recorded_kernel_rows.h"
#include "orrery/study/kernels/kernel_estimates.h"
#include "orrery/study/questions/inputs/recorded_traces.h"

namespace orrery::study {
namespace {

std::string text_of(const model::MeasuredRows& rows, const model::MeasuredKernel& row) {
  std::string text;
  for (graph::Kernel kernel : rows.kernels_of(row)) {
    kernel.flops = kernel.bytes = 0;
    text += (text.empty() ? "" : " + ") + graph::to_text(kernel);
  }
  return text;
}

/// Merges rows of equal kernels of a device; the time is the median.
model::MeasuredRows merged(const model::MeasuredRows& rows) {
  struct Same {
    const model::MeasuredKernel* first = nullptr;
    std::vector<double> seconds;
  };
  std::map<std::pair<std::string, std::string>, Same> all;
  for (const model::MeasuredKernel& row : rows.rows) {
    Same& same = all[{rows.devices[row.device], text_of(rows, row)}];
    if (same.first == nullptr) same.first = &row;
    same.seconds.push_back(row.seconds);
  }
  model::MeasuredRows made;
  for (auto& [key, same] : all) {
    if (made.devices.empty() || made.devices.back() != key.first) made.devices.push_back(key.first);
    model::MeasuredKernel row = *same.first;
    row.device = static_cast<std::uint32_t>(made.devices.size() - 1);
    row.seconds = median(std::move(same.seconds));
    row.line = static_cast<std::uint32_t>(made.rows.size() + 1);
    row.first_other = static_cast<std::uint32_t>(made.others.size());
    for (const graph::Kernel& other : rows.others_of(*same.first)) made.others.push_back(other);
    made.rows.push_back(row);
  }
  return made;
}

std::string class_text(const model::MeasuredKernelClass& known) {
  graph::Kernel kernel = known.lower;
  kernel.sizes = {};
  return graph::to_text(kernel);
}

/// The header of the table, and of models that are fitted to it.
std::string head_of(const ComputeCalibration& answer) {
  std::string text = "made by orrery calibrate compute\n";
  if (!answer.date.empty()) text += "measured on " + answer.date + "\n";
  for (const SourceFile& file : answer.files)
    text += fmt::format("from {} sha256 {}\n", file.name, file.sha256);
  return text;
}

std::string table_text(const ComputeCalibration& answer, const model::MeasuredRows& rows) {
  std::string text;
  const auto remark = [&](std::string_view lines) {
    while (!lines.empty()) {
      const std::size_t end = lines.find('\n');
      text += "# " + std::string(lines.substr(0, end)) + '\n';
      lines.remove_prefix(end + 1);
    }
  };
  remark(answer.notes);
  for (const KernelTableReport::Device& device : answer.report.devices)
    for (const model::MeasuredKernelClass& known : device.classes)
      if (known.left_out > 0)
        remark(
            fmt::format("held out: {} {}: {} of {} predicted from the others, median error {:.1f} "
                        "%, 80 % interval {:+.1f} to {:+.1f} %\n",
                        device.name, class_text(known), known.left_out, known.kernels,
                        100 * known.median_error, 100 * known.band.lower, 100 * known.band.upper));
  text += "device,kernel,us\n";
  for (const model::MeasuredKernel& row : rows.rows)
    text += fmt::format("{},{},{:.6g}\n", rows.devices[row.device], csv_cell(text_of(rows, row)),
                        row.seconds * 1e6);
  return text;
}

class ComputeModel {
 public:
  ComputeModel(const ComputeCalibrationQuestion& question, Findings& findings)
      : question_(question), findings_(findings) {}

  Result<ComputeCalibration> answer() {
    if (auto fine = check_date(question_.date); !fine) return tl::unexpected(fine.error());
    std::vector<std::string> tables, recordings;
    for (const std::string& file : question_.files)
      (is_recorded_traces({file}) ? recordings : tables).push_back(file);
    if (tables.empty() && !question_.devices.empty())
      return fail(Errc::usage, "--device-sheets",
                  "describes devices of tables, but all files are recordings", "omit it");
    if (!tables.empty()) {
      auto read = read_kernel_tables(tables, question_.devices, findings_);
      if (!read) return tl::unexpected(std::move(read.error()));
      all_ = *std::move(read);
    }
    files_ = tables;
    if (!recordings.empty())
      if (auto read = read_recordings(recordings); !read) return tl::unexpected(read.error());
    if (auto named = name_files(); !named) return tl::unexpected(named.error());
    return finish();
  }

 private:
  Result<void> read_recordings(const std::vector<std::string>& recordings) {
    const auto device = catalog_device(question_.device);
    if (!device) return tl::unexpected(device.error());
    RecordedTraces recorded;
    recorded.traces = recordings;
    RecordedKernelRows rows(*device);
    const auto use = [&](const intake::RankTrace& rank) {
      rows.add(rank.profile);
      const std::string date = calibrate::date_of(rank.profile.origin_ns / 1000);
      answer_.date = std::max(answer_.date, date);
      for (const auto& input : {rank.files.device, rank.files.host})
        if (input) files_.push_back(input->path);
    };
    const auto job = study::read_ranks(recorded, question_.progress, findings_, use);
    if (!job) return tl::unexpected(job.error());
    answer_.recorded = rows.kernels();
    answer_.known = rows.known();
    answer_.overlapped = rows.overlapped();
    answer_.unknown_devices = rows.unknown_devices();
    const model::MeasuredRows found = rows.rows();
    for (const std::string& name : found.devices) {
      const auto is = [&](const model::Silicon& one) { return one.name == name; };
      if (std::none_of(all_.silicons.begin(), all_.silicons.end(), is))
        all_.silicons.push_back(model::silicon_of(*platform::find_device(name)));
    }
    model::append(all_.rows, found);
    return {};
  }

  Result<void> name_files() {
    std::vector<std::string> each;
    for (const std::string& file : files_)
      if (std::find(each.begin(), each.end(), file) == each.end()) each.push_back(file);
    auto hashed = hash_files(each);
    if (!hashed) return tl::unexpected(std::move(hashed.error()));
    answer_.files = *std::move(hashed);
    if (!question_.date.empty()) answer_.date = question_.date;
    return {};
  }

  Result<ComputeCalibration> finish() {
    const std::string& where = question_.files.front();
    if (all_.rows.rows.empty() && !answer_.unknown_devices.empty())
      return fail(Errc::usage, where,
                  in_quotes(*answer_.unknown_devices.begin()) + " is not in the catalog",
                  "specify it with --device");
    if (all_.rows.rows.empty())
      return fail(Errc::input_empty, where,
                  answer_.recorded == 0 ? "contains no device kernels"
                                        : "no operator of a kernel states its shapes",
                  answer_.recorded == 0 ? "also record device activity (ProfilerActivity.CUDA)"
                                        : "also record shapes (record_shapes=True)");
    model::MeasuredRows rows = merged(all_.rows);
    rows.where = where;
    auto report = report_kernel_rows(rows, {});
    if (!report) return tl::unexpected(std::move(report.error()));
    if (!report->errors.empty()) return tl::unexpected(report->errors.front());
    answer_.report = *std::move(report);
    findings_.merge(answer_.report.findings);
    answer_.notes = head_of(answer_);
    answer_.table = table_text(answer_, rows);
    answer_.kernels = {std::move(rows), std::move(all_.silicons)};
    answer_.findings = findings_;
    return std::move(answer_);
  }

  const ComputeCalibrationQuestion& question_;
  Findings& findings_;
  KernelTables all_;
  std::vector<std::string> files_;
  ComputeCalibration answer_;
};

}  // namespace

Result<ComputeCalibration> calibrate_compute(const ComputeCalibrationQuestion& question,
                                             Findings& findings) {
  return ComputeModel(question, findings).answer();
}

}  // namespace orrery::study
