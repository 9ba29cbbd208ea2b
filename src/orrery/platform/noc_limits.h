// SPDX-License-Identifier: Apache-2.0
//
// The allowed values of the settings of routers, declared once for cluster files, the command line
// and the simulation.
#pragma once

#include <array>
#include <string_view>

#include "orrery/core/check.h"
#include "orrery/platform/noc_settings.h"

namespace orrery::platform {

struct NocLimit {
  std::string_view key;
  std::int64_t NocSettings::*member = nullptr;
  std::int64_t least = 0, most = 0;
};

inline constexpr auto kNocLimits =
    std::to_array<NocLimit>({{"packet", &NocSettings::packet, 1, 65536},
                             {"head", &NocSettings::head, 0, 65535},
                             {"channels", &NocSettings::channels, 1, 32},
                             {"buffer", &NocSettings::buffer, 1, 32768},
                             {"stages", &NocSettings::stages, 1, 4},
                             {"credit", &NocSettings::credit, 0, 1024},
                             {"speedup", &NocSettings::speedup, 1, 32},
                             {"iterations", &NocSettings::iterations, 1, 64}});

/// The limits of a setting that has them.
constexpr const NocLimit& noc_limit(std::int64_t NocSettings::*member) {
  for (const NocLimit& one : kNocLimits)
    if (one.member == member) return one;
  ORRERY_CHECK(false);
  return kNocLimits[0];
}

}  // namespace orrery::platform
