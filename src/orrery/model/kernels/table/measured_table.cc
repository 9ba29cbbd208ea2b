// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/table/measured_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "orrery/core/fnv.h"

namespace orrery::model {
namespace {

using graph::Kernel;

constexpr double kRepeats = 1.05;  // maximum ratio of repeated times that counts as noise

char folded_letter(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
  return c == '_' ? '-' : c;
}

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return folded_letter(x) == folded_letter(y); });
}

std::uint64_t hash_of_name(std::string_view name) {
  std::uint64_t hash = kFnvOffsetBasis;
  for (const char c : name) hash = fnv1a(hash, static_cast<unsigned char>(folded_letter(c)));
  return hash;
}

struct PlacedRow {
  TablePoint point;
  std::uint32_t line = 0;
};

/// One point for each place, with the median of its times.
std::vector<TablePoint> distinct(std::vector<PlacedRow>& rows, const std::string& where,
                                 Findings& findings) {
  std::sort(rows.begin(), rows.end(), [](const PlacedRow& a, const PlacedRow& b) {
    if (a.point.place != b.point.place) return a.point.place < b.point.place;
    return a.point.seconds != b.point.seconds ? a.point.seconds < b.point.seconds : a.line < b.line;
  });
  std::vector<TablePoint> points;
  for (std::size_t first = 0, last = 0; first < rows.size(); first = last) {
    while (last < rows.size() && rows[last].point.place == rows[first].point.place) ++last;
    points.push_back(rows[(first + last) / 2].point);
    if (rows[last - 1].point.seconds > kRepeats * rows[first].point.seconds)
      findings.add(FindingCode::measured_again,
                   fmt::format("{}:{} and {}: {:.5g} and {:.5g} us", where, rows[first].line,
                               rows[last - 1].line, rows[first].point.seconds * 1e6,
                               rows[last - 1].point.seconds * 1e6));
  }
  return points;
}

/// The common properties and the ranges of sizes of `rows`, which belong to one class.
MeasuredKernelClass class_of(const std::vector<const MeasuredKernel*>& rows) {
  MeasuredKernelClass found;
  found.lower = canonical(rows.front()->kernel);
  found.rows = rows.size();
  std::array<std::vector<std::int64_t>, graph::kKernelSizes> values;
  for (const MeasuredKernel* row : rows) {
    const Kernel kernel = canonical(row->kernel);
    for (std::size_t i = 0; i < values.size(); ++i) values[i].push_back(kernel.sizes[i]);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::sort(values[i].begin(), values[i].end());
    found.lower.sizes[i] = values[i].front();
    found.upper[i] = values[i].back();
    found.different[i] = static_cast<std::size_t>(std::unique(values[i].begin(), values[i].end()) -
                                                  values[i].begin());
  }
  return found;
}

}  // namespace

std::uint64_t MeasuredTable::class_key_of(const Kernel& kernel) {
  std::uint64_t zeros = 0;
  for (std::size_t i = 0; i < kernel.sizes.size(); ++i)
    zeros |= std::uint64_t{kernel.sizes[i] == 0} << i;
  return static_cast<std::uint64_t>(kernel.operation) |
         static_cast<std::uint64_t>(kernel.pass) << 8 | static_cast<std::uint64_t>(kernel.a) << 16 |
         static_cast<std::uint64_t>(kernel.b) << 24 | static_cast<std::uint64_t>(kernel.out) << 32 |
         zeros << 40 | std::uint64_t{kernel.traits} << 48;
}

std::optional<std::uint32_t> MeasuredTable::device_of(std::string_view name) const {
  const auto found = by_name_.find(hash_of_name(name));
  if (found == by_name_.end() || !same_name(devices_[found->second], name)) return std::nullopt;
  return found->second;
}

bool MeasuredTable::knows(std::string_view device) const { return device_of(device).has_value(); }

MeasuredTable MeasuredTable::make(const MeasuredRows& measured, Findings& findings) {
  MeasuredTable table;
  std::vector<std::uint32_t> device_ids;
  for (const std::string& name : measured.devices) {
    const auto [at, is_new] = table.by_name_.try_emplace(
        hash_of_name(name), static_cast<std::uint32_t>(table.devices_.size()));
    if (is_new) table.devices_.push_back(name);
    device_ids.push_back(at->second);
  }
  std::map<Key, std::vector<const MeasuredKernel*>> by_class;
  for (const MeasuredKernel& row : measured.rows) {
    if (row.others > 0) {
      findings.add(FindingCode::key_without_effect,
                   fmt::format("{}:{}: one time for several kernels", measured.where, row.line));
      continue;
    }
    by_class[{device_ids[row.device], class_key_of(canonical(row.kernel))}].push_back(&row);
  }
  for (const auto& [key, rows] : by_class) table.add(key, rows, measured.where, findings);
  std::stable_sort(table.overview_.begin(), table.overview_.end(),
                   [](const MeasuredKernelClass& a, const MeasuredKernelClass& b) {
                     return std::tie(a.device, a.lower.operation, a.lower.pass) <
                            std::tie(b.device, b.lower.operation, b.lower.pass);
                   });
  return table;
}

void MeasuredTable::add(const Key& key, const std::vector<const MeasuredKernel*>& rows,
                        const std::string& where, Findings& findings) {
  std::vector<PlacedRow> placed;
  placed.reserve(rows.size());
  for (const MeasuredKernel* row : rows)
    placed.push_back({{place_of(canonical(row->kernel)),
                       row->seconds / std::max<std::uint32_t>(row->kernel.launches, 1)},
                      row->line});
  const std::vector<TablePoint> points = distinct(placed, where, findings);
  size_ += points.size();
  const TableScale scale(canonical(rows.front()->kernel), points);
  TableAxes axes(points);
  MeasuredKernelClass known = class_of(rows);
  known.device = key.device;
  known.kernels = points.size();
  known.grid = TableGrid::is_suitable(axes, points, remaining_cells_);
  const auto keep = [&](auto made) {
    known.left_out = made.spread().left_out();
    known.median_error = made.spread().median_error();
    known.band = made.spread().overall();
    classes_.emplace(key, std::move(made));
  };
  if (known.grid) {
    remaining_cells_ -= axes.cells();
    keep(TableGrid(std::move(axes), scale, points));
  } else {
    keep(TableCloud(std::move(axes), scale, points));
  }
  overview_.push_back(known);
}

std::optional<KernelTime> MeasuredTable::time(const Kernel& kernel, const Silicon& silicon) const {
  const std::optional<std::uint32_t> device = device_of(silicon.name);
  if (!device) return std::nullopt;
  Kernel one = canonical(kernel);
  auto found = classes_.find({*device, class_key_of(one)});
  if (found == classes_.end()) {
    // The table may lack refining sizes.
    const std::size_t defining = graph::defining_sizes(one.operation);
    std::fill(one.sizes.begin() + static_cast<std::ptrdiff_t>(defining), one.sizes.end(), 0);
    found = classes_.find({*device, class_key_of(one)});
  }
  if (found == classes_.end()) return std::nullopt;
  const auto answer = [&](const auto& points) {
    const TableValue value = points.value(place_of(one));
    KernelTime time;
    time.seconds = value.seconds * std::max<std::uint32_t>(kernel.launches, 1);
    time.source = TimeSource::table;
    time.extrapolated = value.extrapolated;
    if (value.extrapolated)
      time.band = points.spread().extrapolated(value.log_seconds, value.log_step);
    else if (!value.measured)
      time.band = points.spread().inside(value.log_seconds);
    return time;
  };
  const KernelTime time = std::visit(answer, found->second);
  if (!(time.seconds > 0) || !std::isfinite(time.seconds)) return std::nullopt;
  return time;
}

}  // namespace orrery::model
