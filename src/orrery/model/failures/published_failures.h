// SPDX-License-Identifier: Apache-2.0
//
// Published rates of failures that stop a training job, each with its source.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace orrery::model {

/// Counted interruptions of one job or cluster.
struct PublishedFailures {
  std::string_view name;   ///< "llama-3-405b"
  std::string_view about;  ///< "16,384 H100, 54 days in 2024"
  double device_days = 0;  ///< of all devices together; 0: failures are counted by node
  double device_failures = 0;
  double node_days = 0;
  double node_failures = 0;
  std::string_view source;

  /// Mean time between failures of one device in seconds; infinite where none is counted.
  [[nodiscard]] double device_mtbf() const;
  /// Of one node, for all causes outside its devices: host, network, software.
  [[nodiscard]] double node_mtbf() const;
};

/// The first is the default.
[[nodiscard]] std::span<const PublishedFailures> published_failures();
/// Null: there is none of this name.
[[nodiscard]] const PublishedFailures* find_published_failures(std::string_view name);
[[nodiscard]] std::vector<std::string_view> published_failure_names();

}  // namespace orrery::model
