// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/table_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "orrery/config/document.h"
#include "orrery/core/limits.h"
#include "orrery/core/text.h"
#include "orrery/core/units.h"
#include "orrery/model/kernels/kernel_mistake.h"
#include "orrery/model/kernels/lines.h"

namespace orrery::model {
namespace {

using std::string_view;

constexpr string_view kHeaders =
    "\"device,kernel,us\" or \"device,operation,pass,a,b,out,traits,<sizes>,us\"";
constexpr std::array<string_view, 7> kFirstColumns = {"device", "operation", "pass",  "a",
                                                      "b",      "out",       "traits"};
constexpr std::size_t kTogether = 16;     // kernels in one row
constexpr string_view kBetween = " + ";   // … and what stands between them
constexpr double kShortestKernel = 1e-6;  // us: one picosecond
constexpr double kLongestKernel = 1e9;    // us; what takes a quarter of an hour is no kernel

Result<double> seconds_of(string_view cell, const std::string& place) {
  const Result<double> us = parse_number(cell, place);
  if (!us)
    return fail(Errc::input_corrupt, place, in_quotes(cell) + " is no time in microseconds",
                "leave out rows of kernels that were not measured");
  if (!(*us >= kShortestKernel) || !(*us < kLongestKernel))
    return fail(Errc::input_range, place,
                fmt::format("a time of {} us; times are {:g} or more and below {:g}",
                            trimmed_cell(cell), kShortestKernel, kLongestKernel),
                "leave out rows of kernels that were not measured");
  return *us * 1e-6;
}

/// Reads rows once the header is known.
class MeasuredReader {
 public:
  MeasuredReader(string_view text, const std::string& where) : lines_(text, where) {
    measured_.where = where;
  }

  Result<MeasuredRows> read() {
    string_view line;
    bool has_header = false;
    while (lines_.next(line)) {
      if (line.empty() || line.front() == '#') continue;
      const Result<void> done = has_header ? row(line) : header(line);
      if (!done) return tl::unexpected(done.error());
      has_header = true;
    }
    if (measured_.rows.empty())
      return fail(Errc::input_empty, measured_.where, "has no measured kernels",
                  fmt::format("rows stand below a header, {}", kHeaders));
    return std::move(measured_);
  }

 private:
  Result<void> header(string_view line) {
    if (!split_row(line, cells_, kept_))
      return fail(Errc::input_corrupt, lines_.place(), "has quotes that do not close a cell");
    if (cells_ == std::vector<string_view>{"device", "kernel", "us"}) return {};
    in_columns_ = cells_.size() > kFirstColumns.size() &&
                  std::equal(kFirstColumns.begin(), kFirstColumns.end(), cells_.begin()) &&
                  cells_.back() == "us";
    if (!in_columns_)
      return fail(Errc::input_corrupt, lines_.place(),
                  in_quotes(line) + " is not the header of a table of kernels",
                  fmt::format("begin with {}", kHeaders));
    for (std::size_t i = kFirstColumns.size(); i + 1 < cells_.size(); ++i) {
      size_columns_.emplace_back(cells_[i]);
      if (std::count(size_columns_.begin(), size_columns_.end(), cells_[i]) > 1)
        return fail(Errc::input_corrupt, lines_.place(),
                    fmt::format("column {} stands there twice", in_quotes(cells_[i])));
    }
    return {};
  }

  Result<void> row(string_view line) {
    if (measured_.rows.size() >= limits::kMeasuredKernels)
      return fail(Errc::limit_exceeded, lines_.place(),
                  fmt::format("more than {} rows", limits::kMeasuredKernels));
    return in_columns_ ? row_in_columns(line) : row_of_text(line);
  }

  /// device,kernel,us: the kernel holds a comma and may be without quotes.
  Result<void> row_of_text(string_view line) {
    const std::size_t first = line.find(','), last = line.rfind(',');
    if (first == string_view::npos || first == last)
      return fail(Errc::input_corrupt, lines_.place(), in_quotes(line) + " is no row",
                  "a row is device,\"kernel\",us");
    string_view kernel = trimmed_cell(line.substr(first + 1, last - first - 1));
    if (kernel.size() > 1 && kernel.front() == '"' && kernel.back() == '"')
      kernel = trimmed_cell(kernel.substr(1, kernel.size() - 2));
    string_view device = trimmed_cell(line.substr(0, first));
    if (device.size() > 1 && device.front() == '"' && device.back() == '"')
      device = device.substr(1, device.size() - 2);
    return add(device, kernel, line.substr(last + 1));
  }

  Result<void> row_in_columns(string_view line) {
    if (!split_row(line, cells_, kept_))
      return fail(Errc::input_corrupt, lines_.place(), "has quotes that do not close a cell");
    const std::size_t wanted = kFirstColumns.size() + size_columns_.size() + 1;
    if (cells_.size() != wanted)
      return fail(Errc::input_corrupt, lines_.place(),
                  fmt::format("{} cells where the header has {}", cells_.size(), wanted));
    text_.clear();
    fmt::format_to(std::back_inserter(text_), "{} {} {},{}>{}", cells_[1], cells_[2], cells_[3],
                   cells_[4], cells_[5]);
    for (std::size_t i = 0; i < size_columns_.size(); ++i) {
      const string_view value = cells_[kFirstColumns.size() + i];
      if (value.empty() || value == "0" || (size_columns_[i] == "launches" && value == "1"))
        continue;
      fmt::format_to(std::back_inserter(text_), " {}={}", size_columns_[i], value);
    }
    std::string traits(cells_[6]);
    std::replace(traits.begin(), traits.end(), '+', ' ');
    if (!traits.empty()) text_ += " " + traits;
    return add(cells_[0], text_, cells_.back());
  }

  Result<void> add(string_view device, string_view text, string_view us) {
    MeasuredKernel row;
    if (auto taken = take_kernels(text, row); !taken) return taken;
    const Result<double> seconds = seconds_of(us, lines_.place());
    if (!seconds) return tl::unexpected(seconds.error());
    if (device.empty())
      return fail(Errc::input_corrupt, lines_.place(), "names no device",
                  "write what the cluster file calls it");
    if (!is_plain(device))
      return fail(Errc::input_corrupt, lines_.place(),
                  in_quotes(device) + " is not the name of a device");
    const auto found = devices_.find(device);
    row.device = found != devices_.end() ? found->second : new_device(device);
    row.seconds = *seconds;
    row.line = static_cast<std::uint32_t>(lines_.number());
    measured_.rows.push_back(row);
    return {};
  }

  /// One kernel, or several that were measured together.
  Result<void> take_kernels(string_view text, MeasuredKernel& row) {
    row.first_other = static_cast<std::uint32_t>(measured_.others.size());
    for (std::size_t taken = 0;; ++taken) {
      if (taken == kTogether)
        return fail(Errc::limit_exceeded, lines_.place(),
                    fmt::format("more than {} kernels measured together", kTogether));
      const std::size_t end = text.find(kBetween);
      const auto kernel = graph::parse_kernel(text.substr(0, end));
      if (!kernel) return tl::unexpected(kernel_mistake(text.substr(0, end), lines_.place()));
      if (taken == 0)
        row.kernel = *kernel;
      else
        measured_.others.push_back(*kernel);
      if (end == string_view::npos) break;
      text.remove_prefix(end + kBetween.size());
    }
    row.others = static_cast<std::uint32_t>(measured_.others.size()) - row.first_other;
    return {};
  }

  static bool is_plain(string_view device) {
    return device.size() <= kShownBytes && printable(device) == device;
  }
  std::uint32_t new_device(string_view device) {
    const auto id = static_cast<std::uint32_t>(measured_.devices.size());
    measured_.devices.emplace_back(device);
    devices_.emplace(std::string(device), id);
    return id;
  }

  Lines lines_;
  MeasuredRows measured_;
  std::map<std::string, std::uint32_t, std::less<>> devices_;
  bool in_columns_ = false;
  std::vector<std::string> size_columns_;
  std::vector<string_view> cells_;
  std::vector<std::string> kept_;
  std::string text_;
};

}  // namespace

Result<MeasuredRows> parse_measured(string_view text, const std::string& where) {
  if (text.size() > limits::kMeasuredBytes)
    return fail(Errc::limit_exceeded, where, "larger than a table of kernels may be");
  return MeasuredReader(text, where).read();
}

Result<MeasuredRows> read_measured(const std::string& path) {
  const Result<std::string> text = config::read_text(path, limits::kMeasuredBytes);
  if (!text) return tl::unexpected(text.error());
  return parse_measured(*text, path);
}

}  // namespace orrery::model
