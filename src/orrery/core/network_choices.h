// SPDX-License-Identifier: Apache-2.0
//
// The network models as lists and sentences.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/fixed_text.h"
#include "orrery/core/network_models.h"

namespace orrery {

/// "analytical", "message" …
[[nodiscard]] std::vector<std::string_view> network_names();
/// "analytical (no congestion) or message (congestion)"
[[nodiscard]] std::string network_choices();

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

}  // namespace orrery
