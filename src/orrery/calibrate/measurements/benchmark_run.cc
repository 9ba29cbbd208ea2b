// SPDX-License-Identifier: Apache-2.0
#include "orrery/calibrate/measurements/benchmark_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "orrery/core/limits.h"
#include "orrery/core/text/csv.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"

namespace orrery::calibrate {

namespace {

constexpr double kTolerance = 0.02;      // relative tolerance of consistency checks
constexpr std::size_t kNameBytes = 120;  // of a device, a data type, a version
constexpr double kBytesPerGBus = 1e3;    // bytes per GB/s times us

/// Whether the ratio of a row's bandwidths fits the collective.
bool bus_fits(const BenchmarkRow& row, const Collective& collective, std::int32_t ranks) {
  if (!row.algbw || !row.busbw) return true;
  const FactorRange factor = bus_factor(collective, ranks);
  const double lower = factor.lower * row.algbw->lower() * (1 - kTolerance);
  const double upper = factor.upper * row.algbw->upper() * (1 + kTolerance);
  return row.busbw->upper() >= lower && row.busbw->lower() <= upper;
}

/// Whether the bandwidths have enough digits to distinguish the factors of collectives.
bool distinguishes_factors(const BenchmarkRow& row) {
  const auto exact = [](const std::optional<PrintedNumber>& number) {
    return number && number->value > 0 && number->rounding_error <= kTolerance * number->value;
  };
  return exact(row.algbw) && exact(row.busbw);
}

bool matches(const BenchmarkRun& run, const Collective& collective) {
  for (const BenchmarkRow& row : run.rows) {
    if (row.reduces != collective.reduces) return false;
    if (row.rooted && *row.rooted != collective.rooted) return false;
    if (!bus_fits(row, collective, run.ranks)) return false;
  }
  return true;
}

Result<const Collective*> infer_collective(const BenchmarkRun& run, MeasurementSink& into) {
  const Collective* only = nullptr;
  std::string all;
  int count = 0;
  for (const Collective& collective : collectives()) {
    if (!matches(run, collective)) continue;
    only = &collective;
    all += (count++ == 0 ? "" : ", ") + std::string(collective.name);
  }
  if (count == 1 && std::any_of(run.rows.begin(), run.rows.end(), distinguishes_factors)) {
    into.findings.add(FindingCode::collective_inferred,
                      fmt::format("{}: {}", run.rows.front().place, only->name));
    return only;
  }
  return fail(Errc::input_missing_attr, run.rows.front().place,
              count == 0 ? "the bandwidths match no supported collective"
                         : "the collective is not given; the bandwidths match " + all,
              "specify the collective, or keep the line with the command in the file");
}

/// The collective of a run; nullptr: Orrery does not model it.
Result<const Collective*> collective_of(const BenchmarkRun& run, MeasurementSink& into) {
  const std::string& name =
      run.collective_name.empty() ? into.options.collective : run.collective_name;
  if (name.empty()) return infer_collective(run, into);
  if (const Collective* known = find_collective(name)) return known;
  if (is_unmodeled_collective(name)) return nullptr;
  if (run.collective_name.empty())
    return fail(Errc::usage, run.where, in_quotes(name) + " is not a collective");
  return infer_collective(run, into);
}

Result<void> check_bus_bandwidth(const BenchmarkRow& row, const Collective& collective,
                                 std::int32_t ranks) {
  if (bus_fits(row, collective, ranks)) return {};
  const FactorRange factor = bus_factor(collective, ranks);
  const std::string wanted = factor.lower < factor.upper
                                 ? fmt::format("{:.4g} to {:.4g} times", factor.lower, factor.upper)
                                 : fmt::format("{:.4g} times", factor.lower);
  const std::string among = ranks > 0 ? fmt::format(" among {} ranks", ranks) : "";
  return fail(Errc::config_unit, row.place,
              fmt::format("the bus bandwidth, {:.6g} GB/s, is {:.4g} times the algorithm "
                          "bandwidth; for {}{} it must be {}",
                          row.busbw->value, row.busbw->value / row.algbw->value, collective.name,
                          among, wanted),
              "check the collective and the number of ranks");
}

std::string unit_hint(double ratio) {
  const auto near = [&](double other) { return ratio > other * 0.75 && ratio < other * 1.25; };
  if (near(1e-3)) return "times must be in microseconds; these seem to be milliseconds";
  if (near(1e3)) return "times must be in microseconds; these seem to be nanoseconds";
  if (near(1e-6)) return "times must be in microseconds; these seem to be seconds";
  if (near(0.125) || near(8))
    return "bandwidths must be in bytes; these seem to mix bits and bytes";
  return "sizes must be in bytes, times in microseconds, bandwidths in GB/s (1e9 bytes)";
}

/// The time of a collective derived from its bandwidth, for rows that print the host's time. 0: the
/// bandwidth has too few digits.
double time_by_bandwidth(const BenchmarkRow& row) {
  if (!row.algbw || !(row.algbw->value > 0) ||
      row.algbw->rounding_error > kTolerance * row.algbw->value)
    return 0;
  return static_cast<double>(row.bytes) / (row.algbw->value * kBytesPerGBus);
}

Result<void> add_benchmark_row(const BenchmarkRun& run, const BenchmarkRow& row,
                               const Collective* collective, MeasurementSink& into) {
  const double time = row.host_time ? time_by_bandwidth(row) : row.time_us.value;
  if (collective == nullptr || row.bytes <= 0 || !(time > 0) || !(time < kMaxTimeUs)) {
    into.findings.add(FindingCode::measurement_left_out, row.place);
    return {};
  }
  if (!row.host_time && row.algbw) {
    const auto fits = check_bandwidth(row.place, row.bytes, row.time_us, *row.algbw);
    if (!fits) return fits;
  }
  if (auto fits = check_bus_bandwidth(row, *collective, run.ranks); !fits) return fits;
  if (row.host_time) into.findings.add(FindingCode::time_of_host, row.place);
  MeasuredCollective out;
  out.collective = collective->name;
  out.bytes = row.bytes;
  out.time_us = time;
  out.ranks = run.ranks;
  out.nodes = run.devices.nodes() > 0 ? run.devices.nodes() : run.nodes;
  out.in_place = row.in_place;
  out.dtype = row.dtype;
  out.device = run.devices.device();
  out.library = run.library;
  out.version = run.version;
  out.algorithm = run.forced.algorithm;
  out.protocol = run.forced.protocol;
  out.tool = run.tool;
  out.date = run.date;
  return add_row(std::move(out), row.place, into);
}

}  // namespace

Result<void> add_row(MeasuredCollective row, const std::string& place, MeasurementSink& into) {
  if (into.rows.size() >= limits::kMeasuredCollectives)
    return fail(Errc::limit_exceeded, place,
                fmt::format("more than {} measurements", limits::kMeasuredCollectives));
  if (row.device.empty()) row.device = into.options.device;
  if (row.ranks == 0) row.ranks = into.options.ranks;
  if (row.nodes == 0) row.nodes = into.options.nodes;
  into.rows.push_back(std::move(row));
  return {};
}

std::string name_text(std::string_view text) { return printable(trim_cell(text), kNameBytes); }

std::optional<PrintedNumber> parse_printed(std::string_view text) {
  const Result<double> number = parse_number(text);
  if (!number || !(*number >= 0)) return std::nullopt;
  const std::size_t mantissa = std::min(text.find_first_of("eE"), text.size());
  const std::size_t point = text.substr(0, mantissa).find('.');
  int digits = point == std::string_view::npos ? 0 : static_cast<int>(mantissa - point - 1);
  if (mantissa < text.size()) {
    std::string_view power = text.substr(mantissa + 1);
    if (power.starts_with('+')) power.remove_prefix(1);
    const Result<std::int64_t> exponent = parse_integer(power);
    if (!exponent || std::abs(*exponent) > 400) return std::nullopt;
    digits -= static_cast<int>(*exponent);
  }
  return PrintedNumber{*number, 0.5 * std::pow(10.0, -digits)};
}

void RunDevices::add(std::int64_t group, std::int64_t rank, std::string_view host,
                     std::string_view device) {
  if (ranks_.empty()) group_ = group;
  std::string name = name_text(device);
  if (device_.empty()) device_ = name;
  if (!name.empty() && name != device_ && conflicting_device_.empty())
    conflicting_device_ = std::move(name);
  if (group != group_) return;
  ranks_.insert(rank);
  if (hosts_.find(host) == hosts_.end()) hosts_.emplace(host);
}

std::int32_t RunDevices::ranks() const {
  return static_cast<std::int32_t>(std::min<std::size_t>(ranks_.size(), limits::kRanks));
}

std::int32_t RunDevices::nodes() const {
  return static_cast<std::int32_t>(std::min<std::size_t>(hosts_.size(), limits::kRanks));
}

Result<void> check_bandwidth(const std::string& place, std::int64_t bytes, PrintedNumber time_us,
                             PrintedNumber algbw) {
  const double lower = algbw.lower() * time_us.lower();
  const double upper = algbw.upper() * time_us.upper();
  const auto size = static_cast<double>(bytes);
  if (size >= lower * kBytesPerGBus * (1 - kTolerance) &&
      size <= upper * kBytesPerGBus * (1 + kTolerance))
    return {};
  const double moved = algbw.value * time_us.value * kBytesPerGBus;
  return fail(Errc::config_unit, place,
              fmt::format("{:.6g} GB/s for {:.6g} us is {:.6g} bytes, but the size is {}",
                          algbw.value, time_us.value, moved, bytes),
              unit_hint(moved / size));
}

Result<void> finish_benchmark(BenchmarkRun& run, MeasurementSink& into) {
  if (run.rows.empty()) return {};
  if (!run.devices.conflicting_device().empty())
    return fail(Errc::input_mismatch, run.where,
                fmt::format("one run mixes two devices: {} and {}", in_quotes(run.devices.device()),
                            in_quotes(run.devices.conflicting_device())),
                "measure each device type separately");
  if (run.ranks == 0) run.ranks = run.devices.ranks();
  if (run.ranks == 0) run.ranks = into.options.ranks;
  const Result<const Collective*> collective = collective_of(run, into);
  if (!collective) return tl::unexpected(collective.error());
  for (const BenchmarkRow& row : run.rows) {
    if (auto added = add_benchmark_row(run, row, *collective, into); !added) return added;
  }
  return {};
}

// Settings and dates in the output of runs.

namespace {

using std::string_view;

constexpr std::int64_t kDay = 86'400'000'000;  // microseconds

/// The word that a text assigns to `name`. Empty: the text assigns nothing to it.
std::optional<string_view> assigned(string_view text, string_view name) {
  const std::size_t found = text.find(name);
  if (found == string_view::npos) return std::nullopt;
  const string_view rest = text.substr(found + name.size());
  constexpr string_view kSet = " set by environment to ";
  string_view value;
  if (rest.starts_with('=')) {
    value = rest.substr(1);
  } else if (rest.starts_with(kSet)) {
    value = rest.substr(kSet.size());
  } else if (text.substr(0, found).ends_with("unset ")) {
    return string_view();
  } else {
    return std::nullopt;
  }
  value = value.substr(0, std::min(value.find_first_of(" \t\r"), value.size()));
  while (!value.empty() && (value.front() == '"' || value.front() == '\'')) value.remove_prefix(1);
  while (!value.empty() && string_view("\"'.;").find(value.back()) != string_view::npos)
    value.remove_suffix(1);
  return value;
}

}  // namespace

std::string setting_text(std::string_view text) {
  std::string word;
  for (const char c : name_text(text)) {
    if (c == '_') continue;
    word += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return word;
}

void ForcedSettings::parse(string_view text) {
  for (const auto& [name, into] :
       std::array{std::pair{"NCCL_ALGO", &algorithm}, std::pair{"NCCL_PROTO", &protocol}})
    if (const auto value = assigned(text, name)) *into = setting_text(*value);
}

std::string leading_date(std::string_view text) {
  if (text.size() < 10 || text[4] != '-' || text[7] != '-') return {};
  for (const std::size_t at : {0U, 1U, 2U, 3U, 5U, 6U, 8U, 9U})
    if (text[at] < '0' || text[at] > '9') return {};
  return std::string(text.substr(0, 10));
}

std::string date_of(std::int64_t microseconds) {
  // Counts days from 1 March of year 0, in eras of 400 years; months start with March.
  if (microseconds < 946'684'800'000'000 || microseconds > 4'102'444'800'000'000) return {};
  const std::int64_t days = microseconds / kDay + 719'468;
  const std::int64_t of_era = days % 146'097;
  const std::int64_t year = (of_era - of_era / 1460 + of_era / 36'524 - of_era / 146'096) / 365;
  const std::int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
  const std::int64_t month = (5 * of_year + 2) / 153;
  const std::int64_t day = of_year - (153 * month + 2) / 5 + 1;
  const bool next = month >= 10;
  return fmt::format("{:04}-{:02}-{:02}", year + days / 146'097 * 400 + (next ? 1 : 0),
                     next ? month - 9 : month + 3, day);
}

}  // namespace orrery::calibrate
