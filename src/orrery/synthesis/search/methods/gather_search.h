// SPDX-License-Identifier: Apache-2.0
//
// Collectives in which each piece spreads from one device, or is gathered at one. The search tries
// several variants and returns the fastest.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "orrery/synthesis/schedules/schedule.h"

namespace orrery::synthesis {

inline constexpr std::uint64_t kQuickSends = 2'000'000;  ///< number of sends up to which it tries
                                                         ///< other variants
inline constexpr std::int64_t kSmallPiece = 4096;        ///< bytes; other variants have larger
                                                         ///< pieces

/// Options and limits of a search.
struct SearchOptions {
  std::int64_t chunks = 0;  ///< pieces of each shard (or of a broadcast's buffer); 0: the search
                            ///< tries several numbers
  std::uint64_t seed = 1;
  bool relays = true;   ///< devices outside a group may forward its pieces
  bool streams = true;  ///< also tries to send all pieces concurrently, each at its own rate
  Time stop_at{};       ///< stops at a schedule of this duration
};

struct SearchResult {
  Schedule schedule;
  std::string method;  ///< "4 pieces of each shard, seed 3, into each host once"
};

/// Splits groups' buffers into `chunks`: each member's shard (all-gather, reduce-scatter,
/// all-reduce) or the entire buffer (broadcast, reduce). Omits empty pieces. All pieces spread from
/// one device to all members; for reductions the caller reverses the schedule.
[[nodiscard]] std::vector<Piece> pieces_of(std::span<const Group> groups, std::int64_t chunks);

/// Generates concurrent all-gathers or broadcasts of all groups, which may share devices and links.
/// Other devices relay if members do not reach each other over switches alone. `reverse_links`:
/// uses the opposite directions of links, for a schedule that time_reversed() reverses. Errc:
/// config_conflict (no route between members), limit_exceeded (too large).
[[nodiscard]] Result<SearchResult> gather(const FabricState& fabric, std::span<const Group> groups,
                                          const SearchOptions& options, bool reverse_links);

/// Reverses a schedule in time: pieces that spread are gathered and reduced instead. A schedule
/// generated with `reverse_links` then uses links in their own direction.
[[nodiscard]] Schedule time_reversed(const Schedule& schedule);

}  // namespace orrery::synthesis
