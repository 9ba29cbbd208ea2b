// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/table/table_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "orrery/config/document.h"
#include "orrery/core/limits.h"
#include "orrery/core/statistics/statistics.h"
#include "orrery/core/text/csv.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/model/kernels/kernel_parse_error.h"

namespace orrery::model {

namespace {

using std::string_view;

constexpr string_view kHeaders =
    "\"device,kernel,us\" or \"device,operation,pass,a,b,out,traits,<sizes>,us\"";
constexpr std::array<string_view, 7> kFirstColumns = {"device", "operation", "pass",  "a",
                                                      "b",      "out",       "traits"};
constexpr std::size_t kTogether = 16;     // maximum number of kernels in one row
constexpr string_view kBetween = " + ";   // … and their separator
constexpr double kShortestKernel = 1e-6;  // us: one picosecond
constexpr double kLongestKernel = 1e9;    // us: 1000 s, longer than any kernel

Result<double> seconds_of(string_view cell, const std::string& place) {
  const Result<double> us = parse_number(cell, place);
  if (!us)
    return fail(Errc::input_corrupt, place, in_quotes(cell) + " is not a time in microseconds",
                "remove rows of kernels that were not measured");
  if (!(*us >= kShortestKernel) || !(*us < kLongestKernel))
    return fail(Errc::input_range, place,
                fmt::format("a time of {} us, but times must be at least {:g} and below {:g}",
                            trim_cell(cell), kShortestKernel, kLongestKernel),
                "remove rows of kernels that were not measured");
  return *us * 1e-6;
}

/// Reads the header, then the rows.
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
      return fail(Errc::input_empty, measured_.where, "contains no measured kernels",
                  fmt::format("write rows below a header, {}", kHeaders));
    return std::move(measured_);
  }

 private:
  Result<void> header(string_view line) {
    if (!split_csv_row(line, cells_, kept_))
      return fail(Errc::input_corrupt, lines_.place(), "has an unclosed quote");
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
                    fmt::format("column {} appears twice", in_quotes(cells_[i])));
    }
    return {};
  }

  Result<void> row(string_view line) {
    if (measured_.rows.size() >= limits::kMeasuredKernels)
      return fail(Errc::limit_exceeded, lines_.place(),
                  fmt::format("more than {} rows", limits::kMeasuredKernels));
    return in_columns_ ? row_in_columns(line) : row_of_text(line);
  }

  /// Reads "device,kernel,us"; the kernel contains a comma and may have no quotes.
  Result<void> row_of_text(string_view line) {
    const std::size_t first = line.find(','), last = line.rfind(',');
    if (first == string_view::npos || first == last)
      return fail(Errc::input_corrupt, lines_.place(), in_quotes(line) + " is not a row",
                  "write a row as device,\"kernel\",us");
    string_view kernel = trim_cell(line.substr(first + 1, last - first - 1));
    if (kernel.size() > 1 && kernel.front() == '"' && kernel.back() == '"')
      kernel = trim_cell(kernel.substr(1, kernel.size() - 2));
    string_view device = trim_cell(line.substr(0, first));
    if (device.size() > 1 && device.front() == '"' && device.back() == '"')
      device = device.substr(1, device.size() - 2);
    return add(device, kernel, line.substr(last + 1));
  }

  Result<void> row_in_columns(string_view line) {
    if (!split_csv_row(line, cells_, kept_))
      return fail(Errc::input_corrupt, lines_.place(), "has an unclosed quote");
    const std::size_t wanted = kFirstColumns.size() + size_columns_.size() + 1;
    if (cells_.size() != wanted)
      return fail(Errc::input_corrupt, lines_.place(),
                  fmt::format("{} cells, but the header has {}", cells_.size(), wanted));
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
    if (auto taken = read_kernel_table(text, row); !taken) return taken;
    const Result<double> seconds = seconds_of(us, lines_.place());
    if (!seconds) return tl::unexpected(seconds.error());
    if (device.empty())
      return fail(Errc::input_corrupt, lines_.place(), "names no device",
                  "write the device name of the cluster file");
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

  /// Reads one kernel, or several that were measured together.
  Result<void> read_kernel_table(string_view text, MeasuredKernel& row) {
    row.first_other = static_cast<std::uint32_t>(measured_.others.size());
    for (std::size_t taken = 0;; ++taken) {
      if (taken == kTogether)
        return fail(Errc::limit_exceeded, lines_.place(),
                    fmt::format("more than {} kernels measured together", kTogether));
      const std::size_t end = text.find(kBetween);
      const auto kernel = graph::parse_kernel(text.substr(0, end));
      if (!kernel) return tl::unexpected(kernel_parse_error(text.substr(0, end), lines_.place()));
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

  TrimmedLineReader lines_;
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
    return fail(Errc::limit_exceeded, where, "larger than the limit for a kernel table");
  return MeasuredReader(text, where).read();
}

Result<MeasuredRows> read_measured(const std::string& path) {
  const Result<std::string> text = config::read_text(path, limits::kMeasuredBytes);
  if (!text) return tl::unexpected(text.error());
  return parse_measured(*text, path);
}

// Comparison of tables of kernels with data sheets.

namespace {

constexpr double kTooShort = 0.1;    // median time / limit of the larger half: wrong unit below it
constexpr double kTooLong = 100;     // … and above it, relative to the limit plus …
constexpr double kOverhead = 20e-6;  // … this launch overhead, in seconds
constexpr double kOneTooShort = 1.0 / 3;
constexpr double kManyTooShort = 0.2;  // share of all rows

/// The minimum time of a kernel on a device. Matrix products run at the peak. Other kernels move at
/// least their bytes, unless these fit into the cache, which is many times as fast.
double limit_of(const graph::Kernel& kernel, const Silicon& silicon) {
  const MinimumWork work = minimum_work(canonical(kernel));
  const bool products = kernel.operation == graph::Operation::gemm ||
                        kernel.operation == graph::Operation::batched_gemm ||
                        kernel.operation == graph::Operation::grouped_gemm ||
                        kernel.operation == graph::Operation::attention ||
                        kernel.operation == graph::Operation::convolution;
  const double rate = silicon.rate(kernel.a);
  const double computing = products && rate > 0 ? work.flops / rate : 0;
  const bool cached = silicon.l2_bytes > 0 && work.bytes < silicon.l2_bytes;
  const double moving = silicon.memory > 0 && !cached ? work.bytes / silicon.memory : 0;
  return kernel.launches * std::max(computing, moving);
}

struct LimitedRow {
  double limit = 0;
  double seconds = 0;
  std::uint32_t line = 0;
};

/// The median of `value` over rows.
template <class Value>
double median_over(std::span<const LimitedRow> rows, Value value) {
  std::vector<double> values;
  for (const LimitedRow& row : rows) values.push_back(value(row));
  return quantile_nearest(values, 0.5);
}

bool is_called(std::string_view name, std::string_view other) {
  return std::equal(name.begin(), name.end(), other.begin(), other.end(), [](char a, char b) {
    const auto fold = [](char c) {
      return c == '_' ? '-' : (c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
    };
    return fold(a) == fold(b);
  });
}

}  // namespace

Result<void> check_measured(const MeasuredRows& measured, const Silicon& silicon,
                            Findings& findings) {
  std::vector<LimitedRow> rows;
  for (const MeasuredKernel& row : measured.rows) {
    if (!is_called(measured.devices[row.device], silicon.name)) continue;
    double limit = limit_of(row.kernel, silicon);
    for (const graph::Kernel& other : measured.others_of(row)) limit += limit_of(other, silicon);
    if (limit > 0) rows.push_back({limit, row.seconds, row.line});
  }
  if (rows.empty()) return {};
  std::sort(rows.begin(), rows.end(), [](const LimitedRow& a, const LimitedRow& b) {
    return a.limit != b.limit ? a.limit > b.limit : a.line < b.line;
  });
  const std::span<const LimitedRow> larger = std::span(rows).first((rows.size() + 1) / 2);
  const double share = median_over(larger, [](const LimitedRow& r) { return r.seconds / r.limit; });
  const auto below = std::count_if(rows.begin(), rows.end(), [](const LimitedRow& row) {
    return row.seconds < kOneTooShort * row.limit;
  });
  const bool many = static_cast<double>(below) > kManyTooShort * static_cast<double>(rows.size());
  if (share < kTooShort || many)
    return fail(Errc::config_unit, measured.where,
                share < kTooShort ? fmt::format("the larger kernels take {:.2g} of the minimum "
                                                "time on {} according to its data sheet",
                                                share, silicon.name)
                                  : fmt::format("{} of {} rows take less than a third of the "
                                                "minimum time on {} according to its data sheet",
                                                below, rows.size(), silicon.name),
                "times must be in microseconds: check the unit (milliseconds?) and the device");
  const double times =
      median_over(larger, [](const LimitedRow& r) { return r.seconds / (r.limit + kOverhead); });
  if (times > kTooLong)
    return fail(Errc::config_unit, measured.where,
                fmt::format("the larger kernels take {:.0f} times the minimum time on {} according "
                            "to its data sheet",
                            times, silicon.name),
                "times must be in microseconds: check the unit (nanoseconds?)");
  for (const LimitedRow& row : rows)
    if (row.seconds < kOneTooShort * row.limit)
      findings.add(FindingCode::time_below_limit,
                   fmt::format("{}:{}: {:.4g} us, at least {:.4g}", measured.where, row.line,
                               row.seconds * 1e6, row.limit * 1e6));
  return {};
}

}  // namespace orrery::model
