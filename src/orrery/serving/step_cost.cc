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

template <class Layers, class Head, class Decode, class Chunk>
double StepCost::sum(const StepShape& shape, const Layers& layers, const Head& head,
                     const Decode& decode, const Chunk& chunk) const {
  const double floor = shape.chunks.empty() ? parts_.attention_floor : parts_.prompt_floor;
  const bool eager = is_eager(shape);
  double time =
      layers(parts_.padded && !eager ? parts_.padded(shape.tokens) : shape.tokens) + floor;
  if (shape.samples > 0) time += head(shape.samples);
  if (shape.decodes > 0) time += std::max(decode(shape.decodes, mean_keys(shape)) - floor, 0.0);
  for (const PromptChunk& one : shape.chunks)
    time += std::max(chunk(one.queries, one.past) - floor, 0.0);
  return eager ? std::max(time, parts_.launch) : time;
}

Time StepCost::operator()(const StepShape& shape) const {
  const bool mixed = is_mixed(shape);
  const auto of = [this](auto& table, const auto& part) {
    return [this, &table, &part](auto... sizes) { return this->at(table, part, sizes...); };
  };
  const bool eager = parts_.eager_layers != nullptr && is_eager(shape);
  return time_of(sum(shape,
                     of(eager ? eager_ : layers_, eager ? parts_.eager_layers : parts_.layers),
                     of(head_, parts_.head),
                     of(mixed ? mixed_ : decode_, mixed ? parts_.mixed_decode : parts_.decode),
                     of(chunk_, parts_.chunk)));
}

Time StepCost::exact(const StepShape& shape) const {
  const bool eager = parts_.eager_layers != nullptr && is_eager(shape);
  return time_of(sum(shape, eager ? parts_.eager_layers : parts_.layers, parts_.head,
                     is_mixed(shape) ? parts_.mixed_decode : parts_.decode, parts_.chunk));
}

}  // namespace orrery::serving
