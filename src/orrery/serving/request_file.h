// SPDX-License-Identifier: Apache-2.0
//
// Files of requests: JSON Lines and CSV of several tools. docs/serving.md lists their columns.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/serving/requests.h"

namespace orrery::serving {

/// Largest file of requests.
inline constexpr std::uint64_t kRequestFileBytes = 256ull << 20;

/// Tokens per content of Mooncake's `hash_ids` (Qin et al., FAST 2025, section 4 of the trace's
/// description).
inline constexpr std::int64_t kHashedTokens = 512;
/// Characters of a token, for conversations without token counts. OpenAI's tokenizer page: "one
/// token generally corresponds to ~4 characters of text for common English text".
inline constexpr std::int64_t kCharactersPerToken = 4;

/// The requests of a file in the order of their arrival; the first arrives at time 0. JSON Lines
/// start with '{'; everything else is CSV with a header. Known names, by what they set:
/// - arrival in seconds: arrival, arrived_at, arrival_timestamp, arrival_time, queued_ts; in
///   milliseconds: timestamp; in nanoseconds: arrival_time_ns; as a date: TIMESTAMP
/// - input: input, input_toks, input_length, prompt_len, prompt_size, num_prefill_tokens,
///   ContextTokens
/// - output: output, output_toks, output_length, output_len, token_size, num_decode_tokens,
///   GeneratedTokens
/// - prefix, prefix_tokens: an identifier, and how many tokens its requests share
/// - hash_ids: identifiers of parts of 512 tokens
/// - conversations: ShareGPT's turns; the first is the prompt, the second the output
/// The finding value_clamped counts requests without input or output, which have 1 token.
/// Errc: input_corrupt, input_missing_attr, input_range, input_empty, limit_exceeded; `where` is
/// FILE:LINE. O(bytes).
[[nodiscard]] Result<RequestStream> parse_requests(std::string_view text, const std::string& where,
                                                   Findings& findings);
/// The same of a file. Errc: also those of reading it.
[[nodiscard]] Result<RequestStream> read_requests(const std::string& path, Findings& findings);

}  // namespace orrery::serving
