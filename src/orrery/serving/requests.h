// SPDX-License-Identifier: Apache-2.0
//
// Requests to a server: when they arrive, how many tokens they have, and what they share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/quantity.h"

namespace orrery::serving {

/// Leading tokens that are equal in all requests with the same chain of contents up to here.
struct PrefixRun {
  std::uint64_t content = 0;
  std::int64_t tokens = 0;

  friend bool operator==(const PrefixRun&, const PrefixRun&) = default;
};

struct Request {
  Time arrival{};
  std::int64_t input = 1;         ///< tokens of the prompt; at least 1
  std::int64_t output = 1;        ///< tokens that are generated; at least 1
  std::vector<PrefixRun> prefix;  ///< the first tokens of the prompt; the others are unique

  friend bool operator==(const Request&, const Request&) = default;
};

/// Requests in the order of their arrival. With `clients`, arrivals are ignored: each client sends
/// the next request when its last one has ended (closed loop).
struct RequestStream {
  std::vector<Request> requests;
  std::int64_t clients = 0;

  /// Tokens of all prompts, or of all outputs.
  [[nodiscard]] std::int64_t input_tokens() const;
  [[nodiscard]] std::int64_t output_tokens() const;
  /// The longest request, prompt and output.
  [[nodiscard]] std::int64_t longest() const;
};

/// Largest number of tokens of a prompt or of an output in files and options.
inline constexpr std::int64_t kMaxRequestTokens = 1 << 24;
/// Latest arrival, in seconds after the first (46 days): a simulated time has 63 bits of
/// picoseconds.
inline constexpr double kMaxArrivalSeconds = 4e6;
/// Largest number of requests.
inline constexpr std::int64_t kMaxRequests = 1 << 24;

}  // namespace orrery::serving
