// SPDX-License-Identifier: Apache-2.0
//
// Tokens on their way to experts and back by what is made for it.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace orrery::graph {

/// Which kernels carry tokens to experts and back.
enum class ExpertTransport : std::uint8_t {
  none,                ///< the collective is what its type says
  deepep,              ///< DeepEP's normal kernels: a token goes once to each rank that has one of
                       ///< its experts, and once to each node
  deepep_low_latency,  ///< DeepEP's low-latency kernels: a copy for each expert, straight there
  in_network,          ///< switches: a token leaves its rank once, and comes back as one sum
};

/// What an all-to-all is to such kernels. Its size is that of the copies that one rank sends:
/// tokens × top_k × row.
struct ExpertExchange {
  std::uint16_t experts = 0;  ///< of all ranks
  std::uint16_t row = 0;      ///< bytes of one token
  std::uint8_t top_k = 0;     ///< experts of one token
  std::uint8_t step = 0;      ///< who and which way: see set()

  [[nodiscard]] ExpertTransport way() const { return static_cast<ExpertTransport>(step >> 1); }
  /// From the experts, summed; else to them.
  [[nodiscard]] bool combine() const { return (step & 1) != 0; }
  void set(ExpertTransport way, bool combine) {
    step = static_cast<std::uint8_t>(static_cast<unsigned>(way) << 1 | (combine ? 1U : 0U));
  }
  /// Whether a library of its own does it, where libraries run collectives.
  [[nodiscard]] bool by_library() const {
    return way() == ExpertTransport::deepep || way() == ExpertTransport::deepep_low_latency;
  }
  [[nodiscard]] explicit operator bool() const { return way() != ExpertTransport::none; }
  /// All in one number; 0 for none.
  [[nodiscard]] std::uint64_t bits() const {
    return std::uint64_t{experts} << 32 | std::uint64_t{row} << 16 | std::uint64_t{top_k} << 8 |
           std::uint64_t{step};
  }
  friend auto operator<=>(const ExpertExchange&, const ExpertExchange&) = default;
};

/// How likely a token reaches at least one of `there` of its model's experts, where it goes to
/// top_k different ones and each is as likely as the other: 1 - C(experts - there, top_k) /
/// C(experts, top_k), which is drawing without replacement. O(top_k).
[[nodiscard]] double probability_any_expert_reached(double there, int top_k, int experts);

/// "deepep", "deepep_low_latency", "in_network".
[[nodiscard]] std::string_view name(ExpertTransport way);
/// "dispatch deepep experts=256 top_k=8 row=7168", as traces keep it (attribute `experts`).
[[nodiscard]] std::string to_text(const ExpertExchange& exchange);
/// The same back; nullopt for any other text.
[[nodiscard]] std::optional<ExpertExchange> parse_expert_exchange(std::string_view text);

}  // namespace orrery::graph
