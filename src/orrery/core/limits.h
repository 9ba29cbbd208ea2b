// SPDX-License-Identifier: Apache-2.0
//
// Every limit on untrusted input, by name. A file that exceeds one ends in Errc::limit_exceeded.
#pragma once

#include <cstdint>

namespace orrery::limits {

inline constexpr std::uint64_t kRecordBytes = 64ull << 20;  ///< one Chakra record
inline constexpr std::uint64_t kListItems =
    1ull << 20;  ///< one node's dependencies, or one list among its attributes
inline constexpr std::uint64_t kNodesPerRank = 1ull << 31;  ///< node indices are 32-bit
inline constexpr std::uint64_t kConfigBytes = 16ull << 20;  ///< one configuration file
inline constexpr std::uint64_t kConfigNodes =
    1'000'000;                           ///< values in one configuration, aliases expanded
inline constexpr int kConfigDepth = 64;  ///< nesting in one configuration
inline constexpr std::uint64_t kInflatedBytes = 64ull
                                                << 30;  ///< what one compressed file may grow to
inline constexpr std::uint64_t kInflateRatio =
    200;  ///< … or this many times its own size (see gzip reader)
inline constexpr std::uint64_t kInflateFloor = 64ull
                                               << 20;  ///< the ratio counts only beyond this size
inline constexpr std::uint64_t kJsonElementBytes =
    16ull << 20;                       ///< one event, node or member of a JSON trace
inline constexpr int kJsonDepth = 64;  ///< nesting inside one of them
inline constexpr std::uint64_t kEventNameBytes = 1ull << 20;  ///< one string of an event; cut there
inline constexpr std::uint64_t kEventsPerRank = 1ull << 31;   ///< event indices are 32-bit
inline constexpr std::uint64_t kZstdWindowBytes = 128ull << 20;  ///< what a zstd frame may ask for
inline constexpr std::uint64_t kJobResidentBytes =
    2ull << 30;  ///< profiles kept at a time; ranks beyond are read twice
inline constexpr std::uint64_t kRanks = 1ull << 24;
inline constexpr std::uint64_t kFabricNodes = 1ull << 24;  ///< nodes of a network drawn as a graph
inline constexpr std::uint64_t kFabricLinks = 1ull << 26;  ///< its links, each direction
inline constexpr std::uint64_t kFabricBytes = 256ull << 20;  ///< one fabric's file, unpacked
inline constexpr std::uint64_t kFabricFloor =
    1ull << 18;  ///< nodes and cables that any file may stand for …
inline constexpr std::uint64_t kFabricPerByte = 512;  ///< … so many more for each of its bytes …
inline constexpr std::uint64_t kFabricClaim = 1ull << 23;    ///< … and never more than these
inline constexpr std::uint64_t kScheduleSlots = 1ull << 24;  ///< passes of a pipeline schedule
inline constexpr std::uint64_t kTableShares =
    1ull << 24;  ///< ranks × (tables + 1024) of a recommendation model whose ranks differ
inline constexpr std::uint64_t kChunksPerCollective = 1ull << 20;
inline constexpr std::uint64_t kDatabaseValueBytes = 64ull << 20;  ///< one value in a database
inline constexpr std::uint64_t kDatabaseSchemaBytes =
    16ull << 20;  ///< what the definitions of a database's tables take in memory
inline constexpr std::uint64_t kDatabaseWork =
    16;  ///< SQLite's instructions per byte of a database …
inline constexpr std::uint64_t kDatabaseWorkFloor = 16ull << 20;  ///< … and so many on top
inline constexpr std::uint64_t kMeasuredBytes = 256ull << 20;     ///< one table of measured kernels
inline constexpr std::uint64_t kMeasuredKernels = 4ull << 20;     ///< rows of it
inline constexpr std::uint64_t kMeasuredCollectives = 1ull << 20;  ///< rows of measured collectives
inline constexpr std::uint64_t kInspectorOperations =
    1ull << 24;  ///< operations in the logs of NCCL Inspector, of all ranks
inline constexpr std::uint64_t kRunFilePeers =
    1ull << 28;  ///< (rank, distance) pairs of a run file's messages

}  // namespace orrery::limits
