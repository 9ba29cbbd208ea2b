// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "orrery/core/state/state_reader.h"
#include "orrery/core/state/state_writer.h"
#include "orrery/core/system/sha256.h"
#include "orrery/generative/learning/learned_traces.h"

namespace orrery::generative {
namespace {

constexpr std::string_view kFormat = "orrery learned traces ";
constexpr std::string_view kVersion = "1";
constexpr std::size_t kHashSize = 64;

template <class State, class Learned>
void all_fields(State& state, Learned& learned) {
  state(learned.symbols.forms, learned.symbols.formulas, learned.symbols.symbols,
        learned.conditions, learned.ranges, learned.trees.segments, learned.trees.after,
        learned.jobs, learned.passes, learned.distinct, learned.explained, learned.training_loss,
        learned.validation_loss, learned.corpus_hash);
}

bool is_valid(const LearnedTraces& learned) {
  for (const auto& [path, range] : learned.ranges)
    if (!std::isfinite(range.least) || !std::isfinite(range.most)) return false;
  return std::isfinite(learned.training_loss) && std::isfinite(learned.validation_loss) &&
         learned.symbols.is_valid() && learned.trees.is_valid();
}

}  // namespace

std::string to_bytes(const LearnedTraces& learned) {
  std::string rest;
  StateWriter writer([&](std::string_view piece) { rest.append(piece); });
  all_fields(writer, learned);
  writer.flush();
  return with_checksum(rest);
}

std::string with_checksum(std::string_view rest) {
  return fmt::format("{}{}\n{}\n{}", kFormat, kVersion, sha256_of(rest), rest);
}

Result<LearnedTraces> parse_learned(std::string_view bytes, const std::string& where) {
  const std::string_view whole = bytes;
  if (bytes.substr(0, kFormat.size()) != kFormat)
    return fail(Errc::input_unsupported, where, "is no file of learned traces");
  bytes.remove_prefix(kFormat.size());
  const std::size_t line = bytes.find('\n');
  const std::string_view version = bytes.substr(0, std::min<std::size_t>(line, 20));
  if (version != kVersion)
    return fail(Errc::input_unsupported, where,
                fmt::format("has version {} of learned traces, not {}", version, kVersion),
                "learn again with this release");
  bytes.remove_prefix(line + 1);
  if (bytes.size() < kHashSize + 1)
    return fail(Errc::input_truncated, where, fmt::format("ends after {} bytes", whole.size()),
                "copy or learn it again");
  const std::string_view hash = bytes.substr(0, kHashSize);
  const std::string_view rest = bytes.substr(kHashSize + 1);
  if (bytes[kHashSize] != '\n' || sha256_of(rest) != hash)
    return fail(Errc::input_corrupt, where, "does not have the SHA-256 that its second line states",
                "copy or learn it again");
  LearnedTraces learned;
  StateReader reader(rest);
  all_fields(reader, learned);
  if (reader.failed() || !reader.at_end() || !is_valid(learned))
    return fail(Errc::input_corrupt, where, "has values out of range", "learn it again");
  return learned;
}

}  // namespace orrery::generative
