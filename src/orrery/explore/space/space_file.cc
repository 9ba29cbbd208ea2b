// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/space/space_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "orrery/core/text/suggest.h"
#include "orrery/core/text/text.h"

namespace orrery::explore {

namespace {

std::string label_of(const Json& value) {
  if (value.is_object())
    if (const auto name = value.find("name"); name != value.end()) return plain_text(*name);
  return plain_text(value);
}

/// Rounds to `to` significant digits.
double rounded(double value, int to) {
  if (value == 0) return 0;
  const double digits = std::pow(10, to - 1 - std::floor(std::log10(std::abs(value))));
  return std::round(value * digits) / digits;
}

/// A continuous axis has kClose + 1 values; every 512th is a coarse one.
constexpr std::int64_t kClose = 4096;
constexpr std::uint32_t kCoarse = 512;

Result<std::vector<Json>> range_of(const AxisFile& axis, const std::string& where) {
  if (!axis.from || !axis.to)
    return fail(Errc::config_missing_key, where, "has neither values nor a range",
                "give values: [1, 2, 4], or from: 25, to: 400, points: 5, scale: log");
  const double from = *axis.from, to = *axis.to;
  if (!(from < to)) return fail(Errc::config_range, where + "/to", "must be above `from`");
  if (axis.points && axis.step)
    return fail(Errc::config_conflict, where, "has both `points` and `step`",
                "give only one of them");
  const bool log = axis.scale == Scale::log;
  if (log && (axis.step || from <= 0))
    return fail(Errc::config_conflict, where + "/scale",
                axis.step ? "`log` does not support `step`" : "`log` needs a range above 0",
                axis.step ? "give `points`" : "set `from` above 0");
  const double steps = axis.step ? std::floor((to - from) / *axis.step * (1 + 1e-12))
                                 : static_cast<double>(axis.points.value_or(kClose + 1) - 1);
  if (steps >= static_cast<double>(limits::kValues))
    return fail(
        Errc::limit_exceeded, where + "/step",
        fmt::format("there are {:.0f} values; the limit is {}", steps + 1, limits::kValues));
  std::vector<Json> values;
  for (double i = 0; i <= steps; ++i) {
    // Values between the ends are rounded to six digits; steps are exact.
    const double value = axis.step ? rounded(from + *axis.step * i, 12)
                         : log     ? rounded(from * std::pow(to / from, i / steps), 6)
                                   : rounded(from + (to - from) * (i / steps), 6);
    values.push_back(number_json(i == 0 ? from : i == steps && !axis.step ? to : value));
  }
  return values;
}

Result<Axis> axis_of(const AxisFile& file, const std::string& where) {
  Axis axis{file.name, file.values.list, {}, false, 1};
  if (!may_be_name(file.name))
    return fail(Errc::config_range, where + "/name",
                in_quotes(file.name) + " cannot be a name in an expression",
                "use letters, digits and _, not starting with a digit");
  if (figure_named(file.name))
    return fail(Errc::config_range, where + "/name",
                in_quotes(file.name) + " is the name of a figure", "choose another name");
  if (!axis.values.empty() && (file.from || file.to || file.points || file.step))
    return fail(Errc::config_conflict, where, "has both values and a range",
                "give only one of them");
  if (axis.values.empty()) {
    auto range = range_of(file, where);
    if (!range) return tl::unexpected(range.error());
    axis.values = *std::move(range);
    if (!file.points && !file.step) axis.coarse = kCoarse;
  }
  axis.ordered = true;
  for (std::size_t i = 0; i < axis.values.size(); ++i) {
    const Json& value = axis.values[i];
    axis.ordered = axis.ordered && value.is_number() &&
                   (i == 0 || axis.values[i - 1].get<double>() < value.get<double>());
    axis.labels.push_back(label_of(value));
  }
  std::vector<std::string_view> labels(axis.labels.begin(), axis.labels.end());
  std::sort(labels.begin(), labels.end());
  if (const auto twice = std::adjacent_find(labels.begin(), labels.end()); twice != labels.end())
    return fail(
        Errc::config_range, where + "/values", in_quotes(*twice) + " is listed twice",
        axis.coarse > 1 ? "the range is too narrow for a continuous axis: give `points`" : "");
  return axis;
}

Result<void> read_axes(SearchSpace& space) {
  for (std::size_t i = 0; i < space.file.axes.size(); ++i) {
    const std::string where = fmt::format("{}:/axes/{}", space.where, i);
    auto axis = axis_of(space.file.axes[i], where);
    if (!axis) return tl::unexpected(axis.error());
    for (const Axis& other : space.axes)
      if (other.name == axis->name)
        return fail(Errc::config_range, where + "/name",
                    "another axis is also called " + in_quotes(axis->name));
    space.axes.push_back(*std::move(axis));
  }
  if (space.combinations() > limits::kSpace)
    return fail(Errc::limit_exceeded, space.where + ":/axes",
                fmt::format("there are {:.3g} combinations; the limit is {:.3g}",
                            space.combinations(), limits::kSpace));
  return {};
}

/// Checks that every name is an axis, or a figure if these are known.
Result<void> check_names(const SearchSpace& space, const std::vector<std::string>& names,
                         const std::string& where, bool figures_too) {
  std::vector<std::string_view> known;
  for (const Axis& axis : space.axes) known.emplace_back(axis.name);
  if (figures_too)
    for (const FigureDescription& one : figures()) known.emplace_back(one.name);
  for (const std::string& name : names)
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      const std::string meant = did_you_mean(name, known);
      return fail(Errc::config_range, where, "there is no axis " + in_quotes(name),
                  meant.empty() ? "the axes are: " + join(known) : meant);
    }
  return {};
}

/// The fragment itself, or the content of the file that it names.
Result<Json> document_of(const FileFragment& tree, const SearchSpace& space, const char* key) {
  if (!tree.value.is_string()) return tree.value;
  const auto text = tree.value.get<std::string>();
  if (text.find_first_of("{=") != std::string::npos || !is_file_path(text)) return tree.value;
  const std::string path = (std::filesystem::path(space.where).parent_path() / text).string();
  auto read = config::read_text(path);
  if (!read) {
    Error error = read.error();
    error.hint =
        fmt::format("{}:/{} names it, relative to the folder of that file", space.where, key);
    return tl::unexpected(std::move(error));
  }
  return config::parse_yaml(*read, path);
}

Result<Template> template_of(const SearchSpace& space, const Json& document,
                             const std::string& key) {
  const std::string where = space.where + ":" + key;
  auto made = Template::compile(document, where);
  if (!made) return made;
  if (auto fine = check_names(space, made->names(), where, false); !fine)
    return tl::unexpected(fine.error());
  return made;
}

Result<void> read_templates(SearchSpace& space) {
  for (const auto& [tree, key, into] : {std::tuple{&space.file.cluster, "cluster", &space.cluster},
                                        std::tuple{&space.file.job, "job", &space.job}}) {
    const auto document = document_of(*tree, space, key);
    if (!document) return tl::unexpected(document.error());
    auto made = template_of(space, *document, std::string("/") + key);
    if (!made) return tl::unexpected(made.error());
    *into = *std::move(made);
  }
  const SpaceFile& file = space.file;
  const Json rates{
      {"prices", {{"device", file.prices.device.value}, {"energy", file.prices.energy.value}}},
      {"power",
       {{"device", file.power.device.value},
        {"extra", file.power.per_device_extra.value},
        {"overhead", file.power.overhead.value}}}};
  auto made = template_of(space, rates, "");
  if (!made) return tl::unexpected(made.error());
  space.prices = *std::move(made);
  return {};
}

Result<void> read_constraints(SearchSpace& space) {
  for (std::size_t i = 0; i < space.file.constraints.size(); ++i) {
    const std::string where = fmt::format("{}:/constraints/{}", space.where, i);
    auto read = Expression::parse(space.file.constraints[i], where);
    if (!read) return tl::unexpected(read.error());
    if (auto fine = check_names(space, read->names(), where, true); !fine) return fine;
    const bool axes_only = std::none_of(read->names().begin(), read->names().end(),
                                        [](const std::string& name) { return figure_named(name); });
    space.constraints.push_back({*std::move(read), axes_only});
  }
  return {};
}

Result<void> read_words(SearchSpace& space) {
  std::vector<std::string_view> known;
  for (const FigureDescription& one : figures()) known.emplace_back(one.name);
  for (const std::string& word : space.file.objectives) {
    const auto figure = figure_named(word);
    const std::string meant = did_you_mean(word, known);
    if (!figure)
      return fail(Errc::config_range, space.where + ":/objectives",
                  "there is no figure " + in_quotes(word),
                  meant.empty() ? "the figures are: " + join(known) : meant);
    if (std::find(space.objectives.begin(), space.objectives.end(), *figure) !=
        space.objectives.end())
      return fail(Errc::config_range, space.where + ":/objectives",
                  in_quotes(word) + " is listed twice");
    space.objectives.push_back(*figure);
  }
  if (space.objectives.empty()) space.objectives = {Figure::step, Figure::cost};
  for (std::size_t i = 0; i < space.file.recompute.size(); ++i) {
    workload::RecomputeKind kind{};
    config::Reading reading{space.where};
    config::read_value(Json(space.file.recompute[i]), fmt::format("/recompute/{}", i), {}, kind,
                       reading);
    if (reading.error) return tl::unexpected(*std::move(reading.error));
    space.recompute.push_back(kind);
  }
  return {};
}

}  // namespace

double SearchSpace::combinations() const {
  double all = 1;
  for (const Axis& axis : axes) all *= static_cast<double>(axis.values.size());
  return all;
}

double SearchSpace::coarse_combinations() const {
  double all = 1;
  for (const Axis& axis : axes)
    all *= static_cast<double>((axis.values.size() - 1) / axis.coarse + 1);
  return all;
}

std::uint64_t SearchSpace::coarse_number(std::uint64_t i) const {
  Coordinates at(axes.size());
  for (std::size_t a = axes.size(); a-- > 0;) {
    const std::uint64_t values = (axes[a].values.size() - 1) / axes[a].coarse + 1;
    at[a] = static_cast<std::uint32_t>(i % values) * axes[a].coarse;
    i /= values;
  }
  return number(at);
}

std::uint64_t SearchSpace::number(const Coordinates& at) const {
  std::uint64_t number = 0;
  for (std::size_t a = 0; a < axes.size(); ++a) number = number * axes[a].values.size() + at[a];
  return number;
}

Coordinates SearchSpace::at(std::uint64_t number) const {
  Coordinates at(axes.size());
  for (std::size_t a = axes.size(); a-- > 0;) {
    at[a] = static_cast<std::uint32_t>(number % axes[a].values.size());
    number /= axes[a].values.size();
  }
  return at;
}

Expression::Lookup SearchSpace::lookup(const Coordinates& at) const {
  return [this, at](std::string_view name) -> const Json* {
    for (std::size_t a = 0; a < axes.size(); ++a)
      if (axes[a].name == name) return &axes[a].values[at[a]];
    return nullptr;
  };
}

std::string SearchSpace::words(const Coordinates& at) const {
  std::string text;
  for (std::size_t a = 0; a < axes.size(); ++a)
    text += fmt::format("{}{} {}", a == 0 ? "" : ", ", axes[a].name, axes[a].labels[at[a]]);
  return text;
}

Result<SearchSpace> parse_space(std::string_view text, const std::string& where) {
  auto tree = config::parse_yaml(text, where);
  if (!tree) return tl::unexpected(tree.error());
  SearchSpace space;
  space.where = where;
  config::Reading reading{where};
  config::read_value(*tree, "", {}, space.file, reading);
  if (reading.error) return tl::unexpected(*std::move(reading.error));
  for (const auto step : {read_axes, read_templates, read_constraints, read_words})
    if (auto done = step(space); !done) return tl::unexpected(done.error());
  return space;
}

Result<SearchSpace> read_space(const std::string& path) {
  auto text = config::read_text(path);
  if (!text) return tl::unexpected(text.error());
  return parse_space(*text, path);
}

std::string space_schema() {
  config::OrderedJson schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                             {"title", "Orrery search space"}};
  schema.update(config::schema_of(config::Kind<SpaceFile>{}, {}));
  return schema.dump(2) + "\n";
}

std::string space_reference() {
  std::string text =
      "# The search space file\n\n<!-- Generated from "
      "src/orrery/explore/space/space_file.h. To "
      "renew it, run the explore tests with ORRERY_UPDATE_DOCS=1. -->\n\nOne YAML or JSON "
      "document: a job and a cluster with variables, and the values of the variables. `orrery "
      "search space.yaml` finds the best combinations ([details](../search-space.md)); `orrery "
      "schema "
      "space` prints the JSON Schema of this page.\n\n## Top level\n\n" +
      config::reference_table<SpaceFile>() +
      "\n`cluster` has the keys of [the cluster file](cluster.md), `job` those of [the workload "
      "specification](workload.md).\n\n## axes\n\n" +
      config::reference_table<AxisFile>() +
      "\n## Expressions\n\nIn `cluster`, `job`, `prices` and `power`, text that begins with `=` is "
      "the value of an expression over axes (`tp: \"=tp\"`, `dp: \"=n / (tp * pp)\"`), and "
      "`{expression}` within text is replaced by its value (`\"{gpu}:{n}\"`, `bandwidth: \"{nic} "
      "GB/s\"`; write a "
      "literal brace twice). Access a key of a mapping with a dot (`gpu.price`). "
      "Constraints are also expressions, and may use figures.\n\nOperators by ascending "
      "precedence: `or`; "
      "`and`; `not`; `==` `!=` `<` `<=` `>` `>=`; `+` `-`; `*` `/` `%`; unary `-`; `^`. Functions: "
      "`abs`, `ceil`, `floor`, `if(what, then, else)`, `log2`, `max`, `min`, `round`, `sqrt`. A "
      "number may have a unit, which multiplies it: B, kB … PB, KiB … TiB; ns, us, ms, s; W, kW, "
      "MW. Text constants are quoted.\n\n## Figures\n\n| figure | better | unit | meaning "
      "|\n|---|---|---|---|\n";
  for (const FigureDescription& one : figures()) {
    const analysis::MetricInfo& metric = metric_of(one.figure);
    text += fmt::format("| `{}` | {} | {} | {} |\n", one.name,
                        metric.more_is_better ? "more" : "less", metric.unit, metric.meaning);
  }
  text += "\nModels without tokens count samples in `rate`.\n";
  return text + "\n## prices\n\n" + config::reference_table<Prices>() + "\n## power\n\n" +
         config::reference_table<Power>() + "\n## sample\n\n" + config::reference_table<Sample>();
}

}  // namespace orrery::explore
