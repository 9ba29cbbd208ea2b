// SPDX-License-Identifier: Apache-2.0
//
// The search space file: a job and a cluster with variables, and the values of the variables.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/explore/points/result_columns.h"
#include "orrery/explore/space/axis_values.h"
#include "orrery/explore/space/file_fragment.h"
#include "orrery/explore/space/limits.h"
#include "orrery/explore/space/template.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::explore {

enum class Scale : std::uint8_t { linear, log };

struct AxisFile {
  std::string name;
  AxisValues values;
  std::optional<double> from, to, step;
  std::optional<std::int64_t> points;
  Scale scale = Scale::linear;

  static constexpr auto fields = std::tuple{
      config::field("name", &AxisFile::name, "its name in expressions").required(),
      config::field("values", &AxisFile::values, "its values; of a mapping, `name` is shown"),
      config::field("from", &AxisFile::from, "instead of values: the minimum of a range"),
      config::field("to", &AxisFile::to, "the maximum of the range"),
      config::field("points", &AxisFile::points, "number of values of the range",
                    config::between(2, static_cast<double>(limits::kValues)))
          .by_default("without `step`: any value, with a resolution of 1/4,096 of the range"),
      config::field("step", &AxisFile::step, "alternative: difference of neighboring values",
                    config::positive()),
      config::field("scale", &AxisFile::scale,
                    "`linear`: equal differences, or `log`: equal factors")};
};

struct Prices {
  Term device, energy;
  std::string currency;

  static constexpr auto fields =
      std::tuple{config::field("device", &Prices::device, "price of a device hour, in any currency")
                     .by_default("1: costs are device hours"),
                 config::field("energy", &Prices::energy, "price of a kWh").by_default("0"),
                 config::field("currency", &Prices::currency,
                               "name of the currency (`USD`), which the web page shows with costs")
                     .by_default("not stated")};
};

struct Power {
  Term device, per_device_extra, overhead;

  static constexpr auto fields = std::tuple{
      config::field("device", &Power::device, "power of a device, W")
          .by_default("the maximum stated by its manufacturer, from the catalog"),
      config::field("extra", &Power::per_device_extra, "power of hosts and network per device, W")
          .by_default("0"),
      config::field("overhead", &Power::overhead,
                    "total power of the building over power of devices and hosts (PUE)")
          .by_default("1")};
};

/// Which points are evaluated.
enum class SampleMethod : std::uint8_t { all, random, latin, evolve };

struct Sample {
  SampleMethod how = SampleMethod::all;
  std::int64_t points = 1000, seed = 1;

  static constexpr auto fields = std::tuple{
      config::field("how", &Sample::how,
                    "`all` points; `random` ones; `latin`: a Latin hypercube; or `evolve`: "
                    "generations that approach the front (NSGA-II)"),
      config::field("points", &Sample::points, "number of points, if not `all`",
                    config::between(1, static_cast<double>(limits::kPoints))),
      config::field("seed", &Sample::seed, "seed of the random numbers", config::at_least(0))};
};

struct SpaceFile {
  std::int64_t version = 1;
  std::string title, about;
  FileFragment cluster, job;
  std::vector<AxisFile> axes;
  std::vector<std::string> constraints, objectives, recompute;
  Prices prices;
  Power power;
  Sample sample;

  static constexpr auto fields = std::tuple{
      config::field("version", &SpaceFile::version, "format version", config::between(1, 1)),
      config::field("title", &SpaceFile::title, "title"),
      config::field("about", &SpaceFile::about, "description in one or two sentences"),
      config::field("cluster", &SpaceFile::cluster,
                    "keys of a cluster file, such a file, or a name of the catalog (`h100-sxm:64`)")
          .required(),
      config::field("job", &SpaceFile::job, "keys of a workload specification, or such a file")
          .required(),
      config::field("axes", &SpaceFile::axes, "the variables of the space",
                    config::between(1, static_cast<double>(limits::kAxes)))
          .required(),
      config::field("recompute", &SpaceFile::recompute,
                    "tried in this order until a plan fits: `none`, `selective`, `full`",
                    config::between(1, 3))
          .by_default("as in the job"),
      config::field("constraints", &SpaceFile::constraints,
                    "conditions, as expressions over axes and figures",
                    config::between(0, limits::kConstraints)),
      config::field("objectives", &SpaceFile::objectives, "figures to optimize, by priority",
                    config::between(1, static_cast<double>(kFigures)))
          .by_default("`step`, `cost`"),
      config::field("prices", &SpaceFile::prices, "prices of devices and energy"),
      config::field("power", &SpaceFile::power, "electric power"),
      config::field("sample", &SpaceFile::sample, "points to evaluate")};
};

/// A variable of the space.
struct Axis {
  std::string name;
  std::vector<Json> values;
  std::vector<std::string> labels;  ///< of values; distinct
  bool ordered = false;             ///< numbers, ascending
  /// For a continuous axis, whose values are close together: `all` samples use every `coarse`-th
  /// value. 1: the axis is not continuous.
  std::uint32_t coarse = 1;
};

/// A point of the space: for each axis the index of a value.
using Coordinates = std::vector<std::uint32_t>;

struct Constraint {
  Expression holds;
  bool axes_only = true;  ///< uses axes only and needs no results
};

struct SearchSpace {
  std::string where;
  SpaceFile file;
  std::vector<Axis> axes;
  Template cluster, job, prices;  ///< `prices`: {prices, power}
  std::vector<Constraint> constraints;
  std::vector<Figure> objectives;
  std::vector<workload::RecomputeKind> recompute;  ///< empty: as in the job

  [[nodiscard]] double combinations() const;
  /// Number of combinations with coarse values of continuous axes only, and the number of the i-th
  /// of these points.
  [[nodiscard]] double coarse_combinations() const;
  [[nodiscard]] std::uint64_t coarse_number(std::uint64_t i) const;
  /// Conversion between coordinates and numbers of points; the last axis varies fastest.
  [[nodiscard]] std::uint64_t number(const Coordinates& at) const;
  [[nodiscard]] Coordinates at(std::uint64_t number) const;
  /// Values of the variables at a point.
  [[nodiscard]] Expression::Lookup lookup(const Coordinates& at) const;
  /// "tp 8, pp 4"
  [[nodiscard]] std::string words(const Coordinates& at) const;
};

/// Errc: config_*, limit_exceeded.
[[nodiscard]] Result<SearchSpace> parse_space(std::string_view text, const std::string& where);
[[nodiscard]] Result<SearchSpace> read_space(const std::string& path);

[[nodiscard]] std::string space_reference();  ///< docs/reference/space.md
[[nodiscard]] std::string space_schema();     ///< JSON Schema

}  // namespace orrery::explore

namespace orrery::config {

template <>
struct EnumNames<explore::Scale> {
  static constexpr std::array<EnumName<explore::Scale>, 2> names{
      {{"linear", explore::Scale::linear}, {"log", explore::Scale::log}}};
};
template <>
struct EnumNames<explore::SampleMethod> {
  static constexpr std::array<EnumName<explore::SampleMethod>, 4> names{
      {{"all", explore::SampleMethod::all},
       {"random", explore::SampleMethod::random},
       {"latin", explore::SampleMethod::latin},
       {"evolve", explore::SampleMethod::evolve}}};
};

}  // namespace orrery::config
