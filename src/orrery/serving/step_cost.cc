// SPDX-License-Identifier: Apache-2.0
#include "orrery/serving/step_cost.h"

#include <algorithm>
#include <utility>

namespace orrery::serving {
namespace {

constexpr double kUnset = -1;  // times are not negative

double between(double low, double high, std::int64_t value, const Grid::Place& place) {
  return low + (high - low) * static_cast<double>(value - place.low) /
                   static_cast<double>(place.high - place.low);
}

}  // namespace

StepCost::StepCost(StepParts parts) : parts_(std::move(parts)) {}

double StepCost::point(std::vector<double>& table, const One& part, std::size_t at) const {
  if (at >= table.size()) table.resize(at + 1, kUnset);
  if (table[at] == kUnset) {
    table[at] = part(kTokenGrid.value(at));
    ++points_;
  }
  return table[at];
}

double StepCost::point(std::vector<std::vector<double>>& table, const Two& part, std::size_t x,
                       std::size_t y) const {
  if (x >= table.size()) table.resize(x + 1);
  if (y >= table[x].size()) table[x].resize(y + 1, kUnset);
  if (table[x][y] == kUnset) {
    table[x][y] = part(kAttentionGrid.value(x), kAttentionGrid.value(y));
    ++points_;
  }
  return table[x][y];
}

double StepCost::at(std::vector<double>& table, const One& part, std::int64_t value) const {
  const Grid::Place place = kTokenGrid.place(value);
  const double low = point(table, part, place.point);
  if (value == place.low) return low;
  return between(low, point(table, part, place.point + 1), value, place);
}

double StepCost::at(std::vector<std::vector<double>>& table, const Two& part, std::int64_t x,
                    std::int64_t y) const {
  const Grid::Place row = kAttentionGrid.place(x), column = kAttentionGrid.place(y);
  const auto of_row = [&](std::size_t at) {
    const double low = point(table, part, at, column.point);
    if (y == column.low) return low;
    return between(low, point(table, part, at, column.point + 1), y, column);
  };
  const double low = of_row(row.point);
  if (x == row.low) return low;
  return between(low, of_row(row.point + 1), x, row);
}

double StepCost::seconds(const StepShape& shape) const {
  const std::int64_t tokens = parts_.padded == nullptr ? shape.tokens : parts_.padded(shape.tokens);
  double time = at(layers_, parts_.layers, tokens);
  if (shape.samples > 0) time += at(head_, parts_.head, shape.samples);
  const double floor = parts_.attention_floor;
  time += floor;
  if (shape.decodes > 0) {
    const bool mixed = is_mixed(shape);
    const double decodes = at(mixed ? mixed_ : decode_, mixed ? parts_.mixed_decode : parts_.decode,
                              shape.decodes, mean_keys(shape));
    time += std::max(decodes - floor, 0.0);
  }
  for (const PromptChunk& one : shape.chunks)
    time += std::max(at(chunk_, parts_.chunk, one.queries, one.past) - floor, 0.0);
  return time;
}

Time StepCost::exact(const StepShape& shape) const {
  const std::int64_t tokens = parts_.padded == nullptr ? shape.tokens : parts_.padded(shape.tokens);
  const double floor = parts_.attention_floor;
  double time = parts_.layers(tokens) + floor;
  if (shape.samples > 0) time += parts_.head(shape.samples);
  if (shape.decodes > 0) {
    const auto& decode = is_mixed(shape) ? parts_.mixed_decode : parts_.decode;
    time += std::max(decode(shape.decodes, mean_keys(shape)) - floor, 0.0);
  }
  for (const PromptChunk& one : shape.chunks)
    time += std::max(parts_.chunk(one.queries, one.past) - floor, 0.0);
  return time_of(time);
}

}  // namespace orrery::serving
