// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/compute/device_ratios.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "orrery/core/check.h"
#include "orrery/core/text/csv.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/model/kernels/heuristic/heuristic_model.h"

namespace orrery::model {

extern const std::string_view kDeviceRatiosText;  // data/kernels/device_ratios.csv

namespace {

using graph::Kernel;
using graph::Operation;

constexpr std::string_view kAnyDevice = "*", kOfKernels = "kernel";
constexpr std::string_view kRatioHeader = "class,device,ratio,error,recordings,kernels";

/// A device of reference, so that the class of a kernel does not depend on its device: round
/// figures of devices for data centers (16 bits, HBM3).
constexpr double kReferenceRate = 1e15, kReferenceMemory = 3e12;
/// Below the first bound, a kernel has less work than a launch lasts. From the second one on, it
/// fills the device.
constexpr double kSmallWork = 1e-6, kLargeWork = 10e-6;
/// Products whose shorter side is below one tile of matrix units.
constexpr std::int64_t kThinSide = 16;
/// Images with fewer channels than one step of a convolution.
constexpr std::int64_t kFewChannels = 32;
constexpr double kLongHostWork = 1e-3;  // seconds
constexpr std::string_view kHost = "host", kLongHost = "long host", kHostWord = "host ";

std::string_view work_size(const Kernel& kernel, bool three) {
  const int bits = std::max(16, graph::bits_of(kernel.a));
  const double work =
      std::max(flops_of(kernel) * bits / 16 / kReferenceRate, bytes_of(kernel) / kReferenceMemory);
  if (work < kSmallWork) return " small";
  return three && work < kLargeWork ? " medium" : " large";
}

/// Whether rows of 16-bit operands begin at other than multiples of 16 bytes.
bool has_unaligned_rows(std::int64_t n, std::int64_t k) { return n % 8 != 0 || k % 8 != 0; }

std::string class_of_product(const Kernel& kernel) {
  const bool batched = kernel.operation == Operation::batched_gemm;
  const std::size_t first = batched ? 1 : 0;
  const std::int64_t m = kernel.sizes[first], n = kernel.sizes[first + 1],
                     k = kernel.sizes[first + 2];
  if (graph::bits_of(kernel.a) > 16) return fmt::format("{} wide", graph::name(kernel.operation));
  if (batched && std::min(m, n) < kThinSide) return "batched_gemm thin";
  if (graph::bits_of(kernel.a) == 16 && has_unaligned_rows(n, k)) return "gemm unaligned";
  return fmt::format("{}{}", graph::name(kernel.operation), work_size(kernel, true));
}

bool cuts_into_patches(const Kernel& kernel) {
  const auto& at = kernel.sizes;
  return kernel.pass == graph::Pass::forward && at[1] > 0 && at[1] < kFewChannels && at[7] > 1 &&
         at[5] == at[7] && at[6] == at[7];
}

std::string class_of_operation(const Kernel& kernel) {
  switch (kernel.operation) {
    case Operation::gemm:
    case Operation::batched_gemm:
      return class_of_product(kernel);
    case Operation::convolution:
      return cuts_into_patches(kernel) ? "convolution patches" : "convolution";
    case Operation::unsaid:
    case Operation::attention:
    case Operation::layer_norm:
    case Operation::rms_norm:
    case Operation::batch_norm:
    case Operation::softmax:
    case Operation::embedding:
    case Operation::embedding_bag:
      return std::string(graph::name(kernel.operation));
    default:
      return fmt::format("{}{}", graph::name(kernel.operation), work_size(kernel, false));
  }
}

}  // namespace

std::string ratio_class(const Kernel& kernel) {
  const std::string of = class_of_operation(kernel);
  return kernel.pass == graph::Pass::forward ? of : of + " backward";
}

Result<DeviceRatios> DeviceRatios::parse(std::string_view text, const std::string& file) {
  DeviceRatios made;
  TrimmedLineReader lines(text, file);
  std::vector<std::string_view> cells;
  std::vector<std::string> retained;
  std::string_view line;
  bool has_header = false;
  while (lines.next(line)) {
    if (line.empty() || line.front() == '#') continue;
    if (!has_header && line != kRatioHeader)
      return fail(Errc::input_corrupt, lines.place(),
                  in_quotes(line) + " is not the header of a table of device ratios",
                  fmt::format("begin with {}", kRatioHeader));
    if (!std::exchange(has_header, true)) continue;
    if (!split_csv_row(line, cells, retained) || cells.size() != 6 || cells[0].empty() ||
        cells[1].empty())
      return fail(Errc::input_corrupt, lines.place(), in_quotes(line) + " is not a row",
                  fmt::format("write a row as {}", kRatioHeader));
    const auto ratio = parse_number(cells[2], lines.place());
    if (!ratio) return tl::unexpected(ratio.error());
    const auto error = parse_number(cells[3], lines.place());
    if (!error) return tl::unexpected(error.error());
    if (!(*ratio > 0) || *error < 0)
      return fail(Errc::input_range, lines.place(),
                  "a ratio must be above 0, and an error at least 0");
    if (!made.rows_[std::string(cells[0])]
             .try_emplace(std::string(cells[1]), DeviceRatio{*ratio, *error})
             .second)
      return fail(Errc::input_corrupt, lines.place(),
                  fmt::format("{} on {} appears twice", in_quotes(cells[0]), in_quotes(cells[1])));
  }
  if (made.rows_.empty())
    return fail(Errc::input_empty, file, "contains no device ratios",
                fmt::format("write rows below a header, {}", kRatioHeader));
  return made;
}

const DeviceRatios& DeviceRatios::built_in() {
  static const DeviceRatios ratios = [] {
    auto read = parse(kDeviceRatiosText, "data/kernels/device_ratios.csv");
    ORRERY_CHECK(read.has_value());
    return *std::move(read);
  }();
  return ratios;
}

std::string_view DeviceRatios::host_class(std::string_view name, double seconds) const {
  if (seconds >= kLongHostWork) return kLongHost;
  for (auto at = rows_.lower_bound(kHostWord);
       at != rows_.end() && at->first.starts_with(kHostWord); ++at)
    if (name.find(at->first.substr(kHostWord.size())) != std::string_view::npos) return at->first;
  return kHost;
}

std::optional<DeviceRatio> DeviceRatios::find(std::string_view of, std::string_view device) const {
  const auto rows = rows_.find(of);
  if (rows == rows_.end()) return std::nullopt;
  const auto row = rows->second.find(device);
  if (row == rows->second.end()) return std::nullopt;
  return row->second;
}

double DeviceRatios::unknown_error(std::string_view of) const {
  if (const auto row = find(of, kAnyDevice)) return row->error;
  const auto row = find(kAnyDevice, kAnyDevice);
  return row ? row->error : 0;
}

double DeviceRatios::kernel_error() const {
  const auto row = find(kOfKernels, kAnyDevice);
  return row ? row->error : 0;
}

std::optional<DeviceRatio> DeviceRatios::between(std::string_view of, std::string_view from,
                                                 std::string_view to) const {
  const auto here = find(of, from), there = find(of, to);
  if (!here || !there) return std::nullopt;
  return DeviceRatio{there->ratio / here->ratio, std::hypot(here->error, there->error)};
}

}  // namespace orrery::model
