// SPDX-License-Identifier: Apache-2.0
//
// The network models as lists and sentences for help and documentation.
#pragma once

#include <string_view>
#include <vector>

#include "orrery/core/models/network_names.h"
#include "orrery/core/text/fixed_text.h"

namespace orrery {

/// "analytical", "message" …
[[nodiscard]] std::vector<std::string_view> network_names();

struct NetworkSentences {
  template <class Put>
  static constexpr void write(Put put) {
    for (const NetworkModelEntry& one : kNetworkModels) {
      put(&one == kNetworkModels.data() ? "`" : "; `");
      put(one.name);
      put("`: ");
      put(one.sentence);
    }
  }
};
/// "`analytical`: messages do not slow each other; `message`: they queue at each link"
inline constexpr std::string_view kNetworkSentences = FixedText<NetworkSentences>::kView;

struct NetworkChoices {
  template <class Put>
  static constexpr void write(Put put) {
    for (const NetworkModelEntry& one : kNetworkModels) {
      if (&one != kNetworkModels.data()) put(&one == &kNetworkModels.back() ? " or " : ", ");
      put(one.name);
      put(" (");
      put(one.brief);
      put(")");
    }
  }
};
/// "analytical (no congestion) or message (congestion)"
inline constexpr std::string_view kNetworkChoices = FixedText<NetworkChoices>::kView;

}  // namespace orrery
