// SPDX-License-Identifier: Apache-2.0
//
// Finds the setups of a server that meet limits with the fewest devices or at the least cost:
// estimates all in closed form, and simulates the best.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "orrery/config/question_table.h"
#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/study/serving/infer.h"

namespace orrery::explore {

/// What a search minimizes.
enum class ServiceObjective : std::uint8_t {
  automatic,  ///< cost with prices, else devices
  devices,
  cost,  ///< per hour
};

}  // namespace orrery::explore

namespace orrery::config {
template <>
struct EnumNames<explore::ServiceObjective> {
  static constexpr auto names =
      names_in_order<explore::ServiceObjective::cost>("auto", "devices", "cost");
};
}  // namespace orrery::config

namespace orrery::explore {

struct ServiceQuestion {
  study::InferQuestion service;  ///< sizes that it states are not searched
  bool search = false;
  ServiceObjective objective = ServiceObjective::automatic;
  std::size_t best = 10, simulated = 20;
  std::uint32_t threads = 0;

  /// Whether it asks for a search, not for one setup.
  [[nodiscard]] bool searches() const {
    return search || service.gpu.find(',') != std::string::npos;
  }

  static constexpr auto fields = std::tuple{
      config::QuestionStruct{"service", &ServiceQuestion::service},
      config::QuestionGroup{"Service"},
      config::QuestionField{"search", &ServiceQuestion::search, "--search", "", config::kAnswer,
                            "true",
                            "Finds what options leave open to meet --slo; so do several --gpu"},
      config::QuestionField{"objective", &ServiceQuestion::objective, "--objective", "NAME",
                            config::kAnswer, "cost",
                            "What the search minimizes: devices, or cost per hour; auto: cost if "
                            "there are prices"}
          .shows_default()
          .advanced(),
      config::QuestionField{"best", &ServiceQuestion::best, "--top", "N", config::kAnswer, "1",
                            "Number of setups to show"}
          .between(1, 1000)
          .shows_default()
          .advanced(),
      config::QuestionField{"simulated", &ServiceQuestion::simulated, "--simulated", "N",
                            config::kAnswer, "1",
                            "Number of setups with the best estimates to simulate"}
          .between(1, 100'000)
          .shows_default()
          .advanced(),
      config::QuestionField{"threads", &ServiceQuestion::threads, "--threads", "N",
                            config::kNothing, "2", "Number of threads; 0: all cores"}
          .between(0, 1024)
          .advanced()};
};

/// One setup.
struct ServicePoint {
  study::InferQuestion question;  ///< with all sizes and limits: infer() serves the same
  std::int64_t devices = 0;
  double price = 1;                   ///< of a device hour; 1 without prices
  serving::ServiceMetrics estimate;   ///< see SteadyState::metrics
  serving::ServiceMetrics simulated;  ///< what infer() measures
  double ratio = 0;                   ///< the largest, of a statistic to its limit (simulated)
  bool meets = false;
  bool front = false;  ///< on the front of its device

  /// Price of an hour.
  [[nodiscard]] double cost() const { return price * static_cast<double>(devices); }
  /// Tokens per second that a user sees: 1 / mean time per output token. 0: outputs of one token.
  [[nodiscard]] double user_rate() const;
  /// Output tokens per second and device.
  [[nodiscard]] double device_rate() const;
};

struct ServiceSearch {
  serving::ServiceLimits limits;
  ServiceObjective objective = ServiceObjective::devices;
  std::string load;  ///< how requests arrive, in words
  bool priced = false;
  /// Simulated setups, each with its fewest instances. Those that meet the limits come first, by
  /// objective, then by ratio; then the others by ratio.
  std::vector<ServicePoint> best;
  /// Of each device, the Pareto front of user_rate() and device_rate() of simulated setups, by
  /// device and user_rate().
  std::vector<ServicePoint> front;
  std::uint64_t setups = 0;       ///< without the number of instances
  std::uint64_t estimated = 0;    ///< setups with a number of instances
  std::uint64_t simulations = 0;  ///< the same
  std::uint64_t overloaded = 0;   ///< estimated ones whose queues grow without end
  std::uint64_t missed = 0;       ///< setups that miss the limits with any number of instances
  std::map<std::string, std::uint64_t> refused;  ///< setups, by reason
  /// Largest relative error of an estimated mean time per output token to its simulation, of setups
  /// that meet the limits.
  double max_estimate_error = 0;
  Findings findings;

  [[nodiscard]] bool any_meets() const { return !best.empty() && best.front().meets; }
};

/// Searches. The result does not depend on the number of threads. Errc: usage, config_*, input_*;
/// limit_exceeded if no setup can serve the requests.
[[nodiscard]] Result<ServiceSearch> search_services(const ServiceQuestion& question);

}  // namespace orrery::explore
