// SPDX-License-Identifier: Apache-2.0
//
// Reads ASTRA-sim 2.x's own configuration files without conversion.
#pragma once

#include <cstdint>
#include <string>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/platform/platform.h"

namespace orrery::platform {

/// The files and flags of one ASTRA-sim command line.
struct AstraInputs {
  std::string system;   ///< JSON
  std::string network;  ///< YAML
  std::string memory;   ///< JSON; empty = no remote memory
  NetworkModelKind model =
      NetworkModelKind::analytical;  ///< congestion-unaware or congestion-aware binary
  std::int64_t queues_per_dim = 1;
  double injection_scale = 1.0;
  double compute_scale = 1.0;  ///< read and never used by the reference: a finding when not 1
  double comm_scale = 1.0;     ///< likewise
  bool rendezvous = false;
};

/// The platform these files describe, under Rules::astra. Also understands the keys
/// inter-dimension-scheduling (baseline, roundRobin, themis | offlineGreedy, offlineGreedyFlex) and
/// intra-dimension-scheduling (FIFO, RG, smallestFirst, lessRemainingPhasesFirst) that
/// ASTRA-sim 1.0 had. Errors name file and key.
[[nodiscard]] Result<Platform> read_astra(const AstraInputs& inputs, Findings& findings);

}  // namespace orrery::platform
