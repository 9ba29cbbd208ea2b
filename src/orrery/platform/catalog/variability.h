// SPDX-License-Identifier: Apache-2.0
//
// Variability between nominally identical machines, and from step to step: a custom file, or a name
// of data/catalog/variability.yaml.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

#include "orrery/config/field.h"
#include "orrery/core/error.h"
#include "orrery/core/quantity.h"

namespace orrery::platform {

/// Distribution of a factor around 1.
enum class DistributionKind : std::uint8_t {
  none,       ///< it is 1
  lognormal,  ///< median 1; `sigma` of its natural logarithm
  uniform     ///< from `least` to `most`
};

}  // namespace orrery::platform

namespace orrery::config {

template <>
struct EnumNames<platform::DistributionKind> {
  using enum platform::DistributionKind;
  using Word = EnumName<platform::DistributionKind>;
  static constexpr std::array names = {Word{"none", none}, Word{"lognormal", lognormal},
                                       Word{"uniform", uniform}};
};

}  // namespace orrery::config

namespace orrery::platform {

/// A factor that times are multiplied by.
struct FactorDistribution {
  DistributionKind distribution = DistributionKind::none;
  double sigma = 0;
  double lower = 1, upper = 1;

  static constexpr auto fields =
      std::tuple{config::field("distribution", &FactorDistribution::distribution,
                               "distribution of the factor"),
                 config::field("sigma", &FactorDistribution::sigma,
                               "lognormal: standard deviation of the factor's natural logarithm "
                               "(0.02 is about 2 %); the median is 1",
                               config::between(0, 1)),
                 config::field("least", &FactorDistribution::lower, "uniform: lower bound",
                               config::between(0.01, 100)),
                 config::field("most", &FactorDistribution::upper, "uniform: upper bound",
                               config::between(0.01, 100))};
};

/// Ranks that are slow in all steps.
struct SlowRanks {
  double share = 0;
  double factor = 1;

  static constexpr auto fields =
      std::tuple{config::field("share", &SlowRanks::share,
                               "share of slow ranks; 0.001 is one in 1,000", config::between(0, 1)),
                 config::field("factor", &SlowRanks::factor,
                               "factor of their compute times, multiplied with `speed`",
                               config::between(0.01, 100))};
};

/// Occasional stalls of a rank.
struct Stalls {
  double rate = 0;
  Time mean{};

  static constexpr auto fields = std::tuple{
      config::field("rate", &Stalls::rate, "stalls per rank and step", config::between(0, 1)),
      config::field("mean", &Stalls::mean, "mean duration, exponentially distributed")};
};

/// Sampled per rank and step. The compute times of a rank in a step are multiplied by speed × slow
/// × jitter, and a stall is added. The times of messages and collectives after the arrival of all
/// members are multiplied by `network`, the same factor for the complete step.
struct Variability {
  std::string name;          ///< in --variability
  std::string about;         ///< one sentence
  std::string source;        ///< of the measurement
  std::string assumed;       ///< what the source does not state, and the assumption
  FactorDistribution speed;  ///< of a rank, the same in all steps
  SlowRanks slow;
  FactorDistribution jitter;  ///< of a rank, in one step
  Stalls stalls;
  FactorDistribution network;  ///< of all ranks, in one step

  static constexpr auto fields = std::tuple{
      config::field("name", &Variability::name, "name of the preset"),
      config::field("about", &Variability::about, "description in one sentence"),
      config::field("source", &Variability::source, "source of the measurement"),
      config::field("assumed", &Variability::assumed,
                    "what the source does not specify, and what is assumed instead"),
      config::field("speed", &Variability::speed,
                    "factor of a rank's compute times, the same in all of its steps"),
      config::field("slow", &Variability::slow, "ranks that are slow in all steps"),
      config::field("jitter", &Variability::jitter,
                    "additional factor of a rank's compute times, sampled per step"),
      config::field("stalls", &Variability::stalls, "frequency and duration of stalls of ranks"),
      config::field("network", &Variability::network,
                    "factor of the times of all messages and collectives, sampled per step")};
};

/// In the order of their file.
[[nodiscard]] std::span<const Variability> variabilities();
[[nodiscard]] const Variability* find_variability(std::string_view name);
/// Checks the presets of the catalog.
[[nodiscard]] Result<void> check_variabilities();

/// A name of the catalog, or a YAML file with the same keys. Errc: config_*, and
/// config_not_found with the nearest name.
[[nodiscard]] Result<Variability> read_variability(const std::string& name_or_path);
/// Errc: config_*.
[[nodiscard]] Result<Variability> parse_variability(std::string_view text,
                                                    const std::string& where);

/// The JSON Schema of such a file, and the page docs/reference/variability.md, generated.
[[nodiscard]] std::string variability_schema();
[[nodiscard]] std::string variability_reference();

}  // namespace orrery::platform
