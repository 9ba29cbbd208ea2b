// SPDX-License-Identifier: Apache-2.0
//
// orrery calibrate: what was measured on one's own machine, as files that simulations take.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "session.h"

namespace orrery::app {

/// As it was typed; what each kind takes of it says check_options() there.
struct CalibrateOptions {
  std::vector<std::string> words;  ///< network, compute, overheads or variability, then files
  std::string device, date, plot;
  std::string devices, model;         // compute
  std::string collective, tuner;      // network
  std::int64_t ranks = 0, nodes = 0;  // network
  std::int64_t steps = 0;             // variability

  [[nodiscard]] std::vector<std::string> files() const { return {words.begin() + 1, words.end()}; }
};

/// Where the result goes: --output, which is no JSON here; empty: nowhere.
[[nodiscard]] Result<std::string> take_result_path(Session& session);

int calibrate_network(const CalibrateOptions& options, Session& session);
int calibrate_compute(const CalibrateOptions& options, Session& session);
int calibrate_overheads(const CalibrateOptions& options, Session& session);
int calibrate_variability(const CalibrateOptions& options, Session& session);

}  // namespace orrery::app
