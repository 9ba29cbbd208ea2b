// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/catalog/variability.h"

#include <fmt/format.h>

#include <filesystem>
#include <vector>

#include "orrery/config/built_in_list.h"
#include "orrery/config/parameters.h"
#include "orrery/core/text/suggest.h"
#include "orrery/core/text/units.h"

namespace orrery::platform {

extern const std::string_view kVariabilityText;  // cmake/OrreryEmbed.cmake

namespace {

constexpr Time kLongestStall(1'000'000 * kPsPerSecond);

config::BuiltInList<Variability>& variability_list() {
  static config::BuiltInList<Variability> list(config::split_entries(kVariabilityText));
  return list;
}

/// What goes beyond single values.
void check_values(const Variability& read, config::Reading& reading) {
  const auto check = [&](const char* path, const FactorDistribution& spread) {
    if (spread.distribution == DistributionKind::uniform && spread.lower > spread.upper)
      reading.fail(Errc::config_range, path, "`least` is more than `most`");
    if (spread.distribution == DistributionKind::none &&
        (spread.sigma != 0 || spread.lower != 1 || spread.upper != 1))
      reading.fail(Errc::config_conflict, path, "has values, but no distribution",
                   "set distribution to lognormal or uniform");
  };
  check("/speed", read.speed);
  check("/jitter", read.jitter);
  check("/network", read.network);
  if (read.stalls.mean < Time{} || read.stalls.mean > kLongestStall)
    reading.fail(Errc::config_range, "/stalls/mean", "is not between 0 s and 1000000 s");
}

std::string words_of_spread(const FactorDistribution& spread) {
  if (spread.distribution == DistributionKind::lognormal)
    return fmt::format("lognormal, sigma {:.3g} %", 100 * spread.sigma);
  if (spread.distribution == DistributionKind::uniform)
    return fmt::format("uniform, {:g} to {:g}", spread.lower, spread.upper);
  return "–";
}

}  // namespace

std::span<const Variability> variabilities() { return variability_list().all(); }
const Variability* find_variability(std::string_view name) { return variability_list().find(name); }
Result<void> check_variabilities() { return variability_list().check(); }

Result<Variability> parse_variability(std::string_view text, const std::string& where) {
  const Result<config::Json> tree = config::parse_yaml(text, where);
  if (!tree) return tl::unexpected(tree.error());
  config::Reading reading{where};
  Variability read;
  config::read_value(*tree, "", {}, read, reading);
  if (!reading.error) check_values(read, reading);
  if (reading.error) return tl::unexpected(*reading.error);
  return read;
}

Result<Variability> read_variability(const std::string& name_or_path) {
  std::error_code ignored;
  if (!std::filesystem::exists(name_or_path, ignored)) {
    if (const Variability* known = find_variability(name_or_path)) return *known;
    std::vector<std::string_view> names;
    for (const Variability& each : variabilities()) names.push_back(each.name);
    const std::string near = did_you_mean(name_or_path, names);
    return fail(
        Errc::config_not_found, "--variability",
        fmt::format("'{}' is not a file or a variability preset of the catalog", name_or_path),
        near.empty() ? "the catalog has " + join(names, ", ") : near);
  }
  const Result<std::string> text = config::read_text(name_or_path);
  if (!text) return tl::unexpected(text.error());
  auto read = parse_variability(*text, name_or_path);
  if (read && read->name.empty())
    read->name = std::filesystem::path(name_or_path).filename().string();
  return read;
}

std::string variability_schema() {
  config::OrderedJson schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                             {"title", "Orrery variability"}};
  schema.update(config::schema_of(config::Kind<Variability>{}, {}));
  return schema.dump(2) + "\n";
}

std::string variability_reference() {
  std::string text =
      "# Variability: the file and the presets\n"
      "\n"
      "<!-- Generated from src/orrery/platform/catalog/variability.h and "
      "data/catalog/variability.yaml. To renew it, run the platform tests with "
      "ORRERY_UPDATE_DOCS=1. -->\n"
      "\n"
      "`orrery run --variability FILE` reads a YAML file with these keys; FILE can also be the "
      "name of a preset. [variability.md](../variability.md) describes what is sampled and how.\n"
      "\n" +
      config::reference_table<Variability>() + "\n## speed, jitter, network\n\n" +
      config::reference_table<FactorDistribution>() + "\n## slow\n\n" +
      config::reference_table<SlowRanks>() + "\n## stalls\n\n" + config::reference_table<Stalls>() +
      "\n"
      "## Presets\n"
      "\n"
      "| name | speed | slow ranks | jitter | stalls | network | source | assumptions |\n"
      "|---|---|---|---|---|---|---|---|\n";
  for (const Variability& each : variabilities())
    text += fmt::format(
        "| `{}` | {} | {} | {} | {} | {} | {}: {} | {} |\n", each.name, words_of_spread(each.speed),
        each.slow.share > 0 ? fmt::format("{:g} %, × {:g}", 100 * each.slow.share, each.slow.factor)
                            : "–",
        words_of_spread(each.jitter),
        each.stalls.rate > 0
            ? fmt::format("{:g} per step, {}", each.stalls.rate, format_time(each.stalls.mean))
            : "–",
        words_of_spread(each.network), each.source, each.about, each.assumed);
  return text;
}

}  // namespace orrery::platform
