// SPDX-License-Identifier: Apache-2.0
//
// The file of a space to search: a job and a cluster with names in them, and what these may be.
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
      config::field("name", &AxisFile::name, "what expressions call it").required(),
      config::field("values", &AxisFile::values, "what it may be; of a mapping `name` is shown"),
      config::field("from", &AxisFile::from, "instead of values: the least of a range"),
      config::field("to", &AxisFile::to, "the most"),
      config::field("points", &AxisFile::points, "how many values the range has",
                    config::between(2, static_cast<double>(limits::kValues)))
          .by_default("with no `step` either: any value, to a 4,096th of the range"),
      config::field("step", &AxisFile::step, "instead: from one to the next", config::positive()),
      config::field("scale", &AxisFile::scale, "by the same difference, or the same factor")};
};

struct Prices {
  Term device, energy;

  static constexpr auto fields =
      std::tuple{config::field("device", &Prices::device, "of a device for an hour, in any money")
                     .by_default("1: costs are device hours"),
                 config::field("energy", &Prices::energy, "of a kWh").by_default("0")};
};

struct Power {
  Term device, per_device_extra, overhead;

  static constexpr auto fields =
      std::tuple{config::field("device", &Power::device, "what a device draws, W")
                     .by_default("the most that its maker states, from the catalogue"),
                 config::field("beside", &Power::per_device_extra,
                               "what hosts and network draw for each device, W")
                     .by_default("0"),
                 config::field("overhead", &Power::overhead,
                               "all that the building draws, over what it is for (PUE)")
                     .by_default("1")};
};

/// Which points are looked at.
enum class SampleMethod : std::uint8_t { all, random, latin, evolve };

struct Sample {
  SampleMethod how = SampleMethod::all;
  std::int64_t points = 1000, seed = 1;

  static constexpr auto fields = std::tuple{
      config::field("how", &Sample::how,
                    "every point; `random` ones; a Latin hypercube; or generations of points that "
                    "`evolve` towards the front (NSGA-II)"),
      config::field("points", &Sample::points, "how many, if not all",
                    config::between(1, static_cast<double>(limits::kPoints))),
      config::field("seed", &Sample::seed, "of the draw", config::at_least(0))};
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
      config::field("version", &SpaceFile::version, "of this format", config::between(1, 1)),
      config::field("title", &SpaceFile::title, "what to call it"),
      config::field("about", &SpaceFile::about, "what it is about, in a sentence or two"),
      config::field("cluster", &SpaceFile::cluster,
                    "a cluster file's keys, such a file, or a name of the catalogue "
                    "(`h100-sxm:64`)")
          .required(),
      config::field("job", &SpaceFile::job, "a workload specification's keys, or such a file")
          .required(),
      config::field("axes", &SpaceFile::axes, "what differs from point to point",
                    config::between(1, static_cast<double>(limits::kAxes)))
          .required(),
      config::field("recompute", &SpaceFile::recompute,
                    "tried in this order until a plan fits: `none`, `selective`, `full`",
                    config::between(1, 3))
          .by_default("as the job says"),
      config::field("constraints", &SpaceFile::constraints,
                    "what has to hold, as expressions over axes and figures",
                    config::between(0, limits::kConstraints)),
      config::field("objectives", &SpaceFile::objectives, "figures to be best in, the first first",
                    config::between(1, static_cast<double>(kFigures)))
          .by_default("`step`, `cost`"),
      config::field("prices", &SpaceFile::prices, "what devices and energy cost"),
      config::field("power", &SpaceFile::power, "what is drawn"),
      config::field("sample", &SpaceFile::sample, "which points are looked at")};
};

/// Something that differs.
struct Axis {
  std::string name;
  std::vector<Json> values;
  std::vector<std::string> labels;  ///< of values; each once
  bool ordered = false;             ///< numbers, ascending
  /// Of a continuous axis, whose values are close to each other: samples of all combinations have
  /// every so manieth of them. 1: it has those values and no others.
  std::uint32_t coarse = 1;
};

/// A place in the space: of each axis the number of a value.
using Coordinates = std::vector<std::uint32_t>;

struct Constraint {
  Expression holds;
  bool axes_only = true;  ///< of axes alone, so that nothing has to be known
};

struct SearchSpace {
  std::string where;
  SpaceFile file;
  std::vector<Axis> axes;
  Template cluster, job, prices;  ///< the last: {prices, power}
  std::vector<Constraint> constraints;
  std::vector<Figure> objectives;
  std::vector<workload::RecomputeKind> recompute;  ///< empty: as the job says

  [[nodiscard]] double combinations() const;
  /// … with the coarse values of continuous axes alone, and the number of the ith of these.
  [[nodiscard]] double coarse_combinations() const;
  [[nodiscard]] std::uint64_t coarse_number(std::uint64_t i) const;
  /// A number for each place and back: the last axis counts fastest.
  [[nodiscard]] std::uint64_t number(const Coordinates& at) const;
  [[nodiscard]] Coordinates at(std::uint64_t number) const;
  /// What names stand for there.
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
