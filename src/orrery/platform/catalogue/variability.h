// SPDX-License-Identifier: Apache-2.0
//
// How much machines that are to be alike differ, and one step from the next: a file of one's own,
// or a name of data/catalogue/variability.yaml.
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

/// How a factor around 1 is distributed.
enum class DistributionKind : std::uint8_t {
  none,       ///< it is 1
  lognormal,  ///< median 1; `sigma` of its natural logarithm
  uniform     ///< from `least` to `most`
};

}  // namespace orrery::platform

namespace orrery::config {

template <>
struct EnumNames<platform::DistributionKind> {
  using Word = EnumName<platform::DistributionKind>;
  static constexpr std::array names = {Word{"none", platform::DistributionKind::none},
                                       Word{"lognormal", platform::DistributionKind::lognormal},
                                       Word{"uniform", platform::DistributionKind::uniform}};
};

}  // namespace orrery::config

namespace orrery::platform {

/// A factor that times are multiplied by.
struct FactorDistribution {
  DistributionKind distribution = DistributionKind::none;
  double sigma = 0;
  double lower = 1, upper = 1;

  static constexpr auto fields = std::tuple{
      config::field("distribution", &FactorDistribution::distribution, "of the factor"),
      config::field("sigma", &FactorDistribution::sigma,
                    "lognormal: standard deviation of the factor's natural logarithm, 0.02 is "
                    "about 2 %; its median is 1",
                    config::between(0, 1)),
      config::field("least", &FactorDistribution::lower, "uniform: from here",
                    config::between(0.01, 100)),
      config::field("most", &FactorDistribution::upper, "uniform: to here",
                    config::between(0.01, 100))};
};

/// Some ranks are slow altogether.
struct SlowRanks {
  double share = 0;
  double factor = 1;

  static constexpr auto fields =
      std::tuple{config::field("share", &SlowRanks::share, "of all ranks; 0.001 is one in 1,000",
                               config::between(0, 1)),
                 config::field("factor", &SlowRanks::factor,
                               "they take so many times as long, besides `speed`",
                               config::between(0.01, 100))};
};

/// Now and then a rank stands still.
struct Stalls {
  double rate = 0;
  Time mean{};

  static constexpr auto fields = std::tuple{
      config::field("rate", &Stalls::rate, "how often a rank does, per step",
                    config::between(0, 1)),
      config::field("mean", &Stalls::mean, "for how long in the mean; exponentially distributed")};
};

/// What is drawn anew for each rank and each step. What a rank computes in a step takes
/// speed × slow × jitter times what it takes without, and a stall on top; what messages and
/// collectives take once all are there takes `network` times as long, all of them in the step.
struct Variability {
  std::string name;          ///< as --variability takes it
  std::string about;         ///< in a sentence
  std::string source;        ///< who measured it
  std::string assumed;       ///< what the source leaves open and how it was taken
  FactorDistribution speed;  ///< a rank's, the same in all of its steps
  SlowRanks slow;
  FactorDistribution jitter;  ///< a rank's, in one step
  Stalls stalls;
  FactorDistribution network;  ///< everybody's, in one step

  static constexpr auto fields = std::tuple{
      config::field("name", &Variability::name, "what to call it"),
      config::field("about", &Variability::about, "what it is, in a sentence"),
      config::field("source", &Variability::source, "who measured it"),
      config::field("assumed", &Variability::assumed,
                    "what the source leaves open, and how it was taken here"),
      config::field("speed", &Variability::speed,
                    "what a rank computes takes this many times as long in all of its steps"),
      config::field("slow", &Variability::slow, "ranks that are slow altogether"),
      config::field("jitter", &Variability::jitter, "… besides, in one step"),
      config::field("stalls", &Variability::stalls, "how often and for how long ranks stand still"),
      config::field("network", &Variability::network,
                    "messages and collectives of everybody take this many times as long in one "
                    "step")};
};

/// In the order of their file.
[[nodiscard]] std::span<const Variability> variabilities();
[[nodiscard]] const Variability* find_variability(std::string_view name);
/// The first thing that is wrong with the catalogue's, which would be our mistake.
[[nodiscard]] Result<void> check_variabilities();

/// A name of the catalogue, or a YAML file with the same keys. Errc: config_*, and
/// config_not_found with the nearest name.
[[nodiscard]] Result<Variability> read_variability(const std::string& name_or_path);
/// Errc: config_*.
[[nodiscard]] Result<Variability> parse_variability(std::string_view text,
                                                    const std::string& where);

/// The JSON Schema of such a file, and the page docs/reference/variability.md, generated.
[[nodiscard]] std::string variability_schema();
[[nodiscard]] std::string variability_reference();

}  // namespace orrery::platform
