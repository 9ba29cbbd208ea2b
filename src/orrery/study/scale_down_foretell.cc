// SPDX-License-Identifier: Apache-2.0
//
// What a larger job's step is, by steps of smaller ones.
#include <optional>

#include "orrery/study/scale_down_internal.h"

namespace orrery::study {
namespace {

/// One thing that was made fewer, and a number of it between what it is and what it was.
struct SecondSize {
  std::uint32_t number = 0;
  double far = 0;  ///< to what it was, as so many times the way to `number`
};

/// It was made fewer; `size`: empty where there is nothing between.
struct MadeFewer {
  bool fewer = false;
  std::optional<SecondSize> size;
};

MadeFewer made_fewer(const std::optional<std::uint32_t>& asked,
                     const std::optional<std::uint32_t>& found, std::uint32_t unit) {
  if (!asked || !found || *asked >= *found) return {};
  if (*asked + unit >= *found) return {true, std::nullopt};
  const std::uint32_t number = 2 * *asked < *found ? 2 * *asked : *asked + unit;
  const double way = *found - *asked;
  return {true, SecondSize{number, way / (number - *asked)}};
}

}  // namespace

std::optional<double> by_second_sizes(const graph::Shape& asked, const graph::Shape& found,
                                      std::uint32_t stages, double step, const StepOf& step_of) {
  const MadeFewer layers = made_fewer(asked.layers, found.layers, stages);
  const MadeFewer microbatches = made_fewer(asked.microbatches, found.microbatches, 1);
  if (!layers.fewer && !microbatches.fewer) return std::nullopt;
  if (layers.fewer != layers.size.has_value() ||
      microbatches.fewer != microbatches.size.has_value())
    return std::nullopt;
  graph::Shape with_layers = asked, with_microbatches = asked;
  std::optional<double> more_layers = step, more_microbatches = step;
  if (layers.size) {
    with_layers.layers = layers.size->number;
    more_layers = step_of(with_layers);
  }
  if (microbatches.size) {
    with_microbatches.microbatches = microbatches.size->number;
    more_microbatches = step_of(with_microbatches);
  }
  if (!more_layers || !more_microbatches) return std::nullopt;
  const double x = layers.size ? layers.size->far : 0;
  const double y = microbatches.size ? microbatches.size->far : 0;
  const double whole = step + x * (*more_layers - step) + y * (*more_microbatches - step);
  if (!layers.size || !microbatches.size) return whole;
  const auto more_of_both = step_of({with_layers.layers, with_microbatches.microbatches});
  if (!more_of_both) return std::nullopt;
  return whole + x * y * (*more_of_both - *more_layers - *more_microbatches + step);
}

}  // namespace orrery::study
