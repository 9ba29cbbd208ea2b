// SPDX-License-Identifier: Apache-2.0
//
// The transfer of tokens to experts and back by specialized kernels or by switches.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace orrery::graph {

/// What transfers tokens to experts and back.
enum class ExpertTransport : std::uint8_t {
  none,    ///< a plain collective of its type
  deepep,  ///< DeepEP's normal kernels: send a token once to each rank that has one of its experts,
           ///< and once to each node
  deepep_low_latency,  ///< DeepEP's low-latency kernels: send one copy per expert directly to its
                       ///< rank
  hybridep,  ///< HybridEP: sends a token once to each rank that has one of its experts, and once to
             ///< each other NVLink domain
  in_network,  ///< switches: a rank sends a token once and receives one sum
};

/// Parameters of an all-to-all that such kernels run. The size of the collective counts all copies
/// that one rank sends: tokens × top_k × token_bytes.
struct ExpertExchange {
  std::uint16_t experts = 0;          ///< on all ranks together
  std::uint16_t token_bytes = 0;      ///< bytes of one token
  std::uint8_t top_k = 0;             ///< experts per token
  std::uint8_t packed_transport = 0;  ///< transport and direction; see set()

  [[nodiscard]] ExpertTransport transport() const {
    return static_cast<ExpertTransport>(packed_transport >> 1);
  }
  /// True: sums return from the experts. False: tokens go to the experts.
  [[nodiscard]] bool is_combine() const { return (packed_transport & 1) != 0; }
  void set(ExpertTransport transport, bool combine) {
    packed_transport =
        static_cast<std::uint8_t>(static_cast<unsigned>(transport) << 1 | (combine ? 1U : 0U));
  }
  /// Whether a separate library (DeepEP, HybridEP) runs it on platforms where libraries run
  /// collectives.
  [[nodiscard]] bool uses_library() const {
    return *this && transport() != ExpertTransport::in_network;
  }
  [[nodiscard]] explicit operator bool() const { return transport() != ExpertTransport::none; }
  /// All fields in one number; 0 without an exchange.
  [[nodiscard]] std::uint64_t bits() const {
    return std::uint64_t{experts} << 32 | std::uint64_t{token_bytes} << 16 |
           std::uint64_t{top_k} << 8 | std::uint64_t{packed_transport};
  }
  friend auto operator<=>(const ExpertExchange&, const ExpertExchange&) = default;
};

/// Probability that a token reaches at least one of `there` of the model's experts. The token goes
/// to top_k different experts, which are all equally likely. 1 - C(experts - there, top_k) /
/// C(experts, top_k): sampling without replacement. O(top_k).
[[nodiscard]] double probability_any_expert_reached(double there, int top_k, int experts);

/// "deepep", "deepep_low_latency", "hybridep", "in_network".
[[nodiscard]] std::string_view name(ExpertTransport transport);
/// "dispatch deepep experts=256 top_k=8 row=7168": the trace attribute `experts`.
[[nodiscard]] std::string to_text(const ExpertExchange& exchange);
/// Parses the result of to_text(); nullopt for any other text.
[[nodiscard]] std::optional<ExpertExchange> parse_expert_exchange(std::string_view text);

}  // namespace orrery::graph
