// SPDX-License-Identifier: Apache-2.0
//
// The network models there are, each described once: help, completion, files, their schema and
// `doctor` follow. model/network/network.cc makes them.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/platform/platform.h"

namespace orrery::platform {

struct NetworkEntry {
  std::string_view name;
  NetworkModelKind kind;
  std::string_view brief;     ///< "congestion", for a list
  std::string_view model;     ///< "store and forward, with congestion", beside results
  std::string_view sentence;  ///< what messages do, for files
};

/// In the order of NetworkModelKind.
inline constexpr std::array kNetworks{
    NetworkEntry{"analytical", NetworkModelKind::analytical, "no congestion", "no congestion",
                 "messages do not slow each other"},
    NetworkEntry{"message", NetworkModelKind::message, "congestion",
                 "store and forward, with congestion", "they queue at each link"},
    NetworkEntry{"flow", NetworkModelKind::flow, "shared links", "max-min fair flows",
                 "they share links fairly, as fluids do"},
};

[[nodiscard]] constexpr const NetworkEntry& entry(NetworkModelKind kind) {
  return kNetworks[static_cast<std::size_t>(kind)];
}
/// Null: there is none of that name.
[[nodiscard]] constexpr const NetworkEntry* find_network(std::string_view name) {
  for (const NetworkEntry& one : kNetworks) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

/// "analytical", "message" …
[[nodiscard]] std::vector<std::string_view> network_names();
/// "analytical (no congestion) or message (congestion)"
[[nodiscard]] std::string network_choices();

namespace detail {

/// Puts together "`analytical`: messages do not slow each other; `message`: …".
constexpr std::size_t network_sentences(char* out) {
  std::size_t size = 0;
  const auto add = [&](std::string_view text) {
    for (const char c : text) {
      if (out != nullptr) out[size] = c;
      ++size;
    }
  };
  for (const NetworkEntry& one : kNetworks) {
    add(&one == kNetworks.data() ? "`" : "; `");
    add(one.name);
    add("`: ");
    add(one.sentence);
  }
  return size;
}
inline constexpr auto kNetworkText = [] {
  std::array<char, network_sentences(nullptr)> text{};
  network_sentences(text.data());
  return text;
}();

}  // namespace detail

/// "`analytical`: messages do not slow each other; `message`: they queue at each link"
inline constexpr std::string_view kNetworkSentences{detail::kNetworkText.data(),
                                                    detail::kNetworkText.size()};

}  // namespace orrery::platform
