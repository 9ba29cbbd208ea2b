// SPDX-License-Identifier: Apache-2.0
//
// The numbers among the settings of routers, declared once for cluster files, the command line and
// the simulation.
#pragma once

#include <array>
#include <string_view>

#include "orrery/core/check.h"
#include "orrery/platform/noc_settings.h"

namespace orrery::platform {

struct NocNumber {
  std::string_view key;
  std::int64_t NocSettings::*member = nullptr;
  std::int64_t least = 0, most = 0;
  std::string_view about;
};

inline constexpr auto kNocNumbers = std::to_array<NocNumber>(
    {{"packet", &NocSettings::packet, 1, 65536, "most flits of a packet, with its head"},
     {"head", &NocSettings::head, 0, 65535, "flits of a packet that carry no payload"},
     {"channels", &NocSettings::channels, 1, 32, "virtual channels of a link"},
     {"buffer", &NocSettings::buffer, 1, 32768, "flits of a channel's buffer"},
     {"stages", &NocSettings::stages, 1, 4, "stages of a router's pipeline"},
     {"credit", &NocSettings::credit, 0, 1024,
      "cycles until a router uses a credit that has arrived"},
     {"speedup", &NocSettings::speedup, 1, 32, "inputs into the switch for each port"},
     {"iterations", &NocSettings::iterations, 1, 64, "rounds of `islip` per cycle"}});

/// The row of a number.
constexpr const NocNumber& noc_number(std::int64_t NocSettings::*member) {
  for (const NocNumber& one : kNocNumbers)
    if (one.member == member) return one;
  ORRERY_CHECK(false);
  return kNocNumbers[0];
}

}  // namespace orrery::platform
