// SPDX-License-Identifier: Apache-2.0
//
// Collectives in which each piece spreads from one device, or comes together at one: searched for
// several times in other ways, and the quickest kept.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "orrery/synthesis/schedules/schedule.h"

namespace orrery::synthesis {

inline constexpr std::uint64_t kQuickSends = 2'000'000;  ///< up to which others are tried, too
inline constexpr std::int64_t kSmallPiece = 4096;        ///< bytes; no others are so small

/// How hard to look.
struct SynthesisEffort {
  std::int64_t chunks = 0;  ///< pieces of each shard (or of a broadcast's buffer); 0: several tried
  std::uint64_t seed = 1;
  bool relays = true;   ///< devices that are no members of a group may hand on
  bool streams = true;  ///< also all pieces at once, at rates that links have room for
  Time stop_at{};       ///< nothing better is looked for than this
};

struct SearchResult {
  Schedule schedule;
  std::string method;  ///< "4 pieces of each shard, seed 3, into each host once"
};

/// Splits groups' buffers: each member's shard (all-gather, reduce-scatter, all-reduce) or the
/// whole (broadcast, reduce) into `chunks`. Pieces of no bytes are left out. Where they are to be
/// reduced first, that is not yet said: from one, to everyone.
[[nodiscard]] std::vector<Piece> pieces_of(std::span<const Group> groups, std::int64_t chunks);

/// Groups of all-gathers, or of broadcasts, all at once; they may share devices and links. Where
/// members do not reach each other over switches alone, other devices relay. `against`: over the
/// links' other directions, for what is turned round afterwards.
/// Errc: config_conflict (no way from one to another), limit_exceeded (too large).
[[nodiscard]] Result<SearchResult> gather(const FabricState& fabric, std::span<const Group> groups,
                                          const SynthesisEffort& effort, bool against);

/// Time the other way round: what was spread comes together and is reduced; what came last comes
/// first. Of a schedule found with `against`, over links as they are.
[[nodiscard]] Schedule time_reversed(const Schedule& schedule);

}  // namespace orrery::synthesis
