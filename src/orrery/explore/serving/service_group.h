// SPDX-License-Identifier: Apache-2.0
//
// The setups of one instance size: estimates and simulations that share the times of steps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "orrery/explore/serving/service_search.h"
#include "orrery/explore/serving/service_space.h"
#include "orrery/explore/serving/steady_state.h"
#include "orrery/study/serving/engine_setup.h"

namespace orrery::explore {

/// What all groups of a search share.
struct SearchedLoad {
  serving::RequestStream stream;
  StreamMoments moments;
  serving::ServiceLimits limits;
  std::int64_t instances = 0;  ///< stated by the question; 0: searched

  /// More instances than requests, or than --instances accepts, change nothing.
  [[nodiscard]] std::int64_t most_instances() const {
    return std::min<std::int64_t>(static_cast<std::int64_t>(stream.requests.size()), 1 << 16);
  }
};

/// A setup with the number of instances that its estimate suggests.
struct EstimatedSetup {
  std::size_t limits = 0;      ///< index in the group's limits of a step
  std::int64_t instances = 0;  ///< the fewest that meet the limits; see `meets`
  double ratio = 0;            ///< the estimated largest_ratio()
  bool meets = false;          ///< else the fewest with nearly the lowest ratio
};

/// An estimated setup for the front.
struct EstimatedRates {
  std::size_t limits = 0;
  std::int64_t instances = 0;
  double user_rate = 0, device_rate = 0;
};

/// Used by one thread at a time.
class ServiceGroup {
 public:
  ServiceGroup(InstanceSize size, const SearchedLoad& load)
      : size_(std::move(size)), load_(&load) {}

  [[nodiscard]] const InstanceSize& size() const { return size_; }
  /// Estimates all limits of a step. Errc: those of set_up_engine() that concern all setups.
  [[nodiscard]] Result<void> estimate();
  /// Finds the fewest instances of a setup that meet the limits, by simulations, starting from the
  /// estimated number; without success the one with the lowest ratio.
  [[nodiscard]] Result<ServicePoint> search(const EstimatedSetup& setup);
  /// Simulates one setup.
  [[nodiscard]] Result<ServicePoint> simulate(std::size_t limits, std::int64_t instances);

  // What estimate() found.
  std::vector<EstimatedSetup> setups;
  std::vector<EstimatedRates> rates;
  std::map<std::string, std::uint64_t> refused;
  std::vector<Error> errors;  ///< the first of each reason
  std::uint64_t tried = 0, estimated = 0, overloaded = 0, simulations = 0;

 private:
  struct Ready {
    study::InferQuestion question;
    serving::ServingSetup setup;  ///< of one instance
    const serving::StepCost* cost = nullptr;
  };
  [[nodiscard]] Result<Ready> make_ready(const StepLimits& limits);
  [[nodiscard]] serving::ServingSetup with_instances(const Ready& ready,
                                                     std::int64_t instances) const;
  [[nodiscard]] SteadyState estimate_at(const Ready& ready, std::int64_t instances);
  void estimate(std::size_t limits, const Ready& ready);
  void add_rates(std::size_t limits, const Ready& ready);
  void refuse(const Error& error);

  InstanceSize size_;
  const SearchedLoad* load_;
  study::SharedPasses passes_;
  std::map<const serving::ForwardPass*, std::unique_ptr<serving::StepCost>> costs_;
  std::vector<Ready> ready_;
  std::map<std::pair<std::size_t, std::int64_t>, ServicePoint> simulated_;
};

}  // namespace orrery::explore
