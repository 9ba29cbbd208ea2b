// SPDX-License-Identifier: Apache-2.0
//
// All limits on untrusted input. A file that exceeds one ends in Errc::limit_exceeded.
#pragma once

#include <cstdint>

namespace orrery::limits {

inline constexpr std::uint64_t kRecordBytes = 64ull << 20;  ///< one Chakra record
inline constexpr std::uint64_t kListItems =
    1ull << 20;  ///< dependencies of one node, or items of one list attribute
inline constexpr std::uint64_t kNodesPerRank = 1ull << 31;  ///< node indices are 32-bit
inline constexpr std::uint64_t kDroppedRecords =
    1ull << 20;  ///< records of one rank that cannot be used and are dropped
inline constexpr std::uint64_t kConfigBytes = 16ull << 20;  ///< one configuration file
inline constexpr std::uint64_t kConfigNodes =
    1'000'000;  ///< values in one configuration, after expansion of aliases
inline constexpr int kConfigDepth = 64;  ///< nesting in one configuration
inline constexpr std::uint64_t kInflatedBytes = 64ull
                                                << 30;  ///< unpacked size of one compressed file …
inline constexpr std::uint64_t kInflateRatio =
    200;  ///< … and at most this many times its packed size (see gzip reader)
inline constexpr std::uint64_t kInflateFloor =
    64ull << 20;  ///< kInflateRatio applies beyond this unpacked size
inline constexpr std::uint64_t kJsonElementBytes =
    16ull << 20;                       ///< one event, node or member of a JSON trace
inline constexpr int kJsonDepth = 64;  ///< nesting inside one of them
/// One string of an event; longer ones are cut.
inline constexpr std::uint64_t kEventNameBytes = 1ull << 20;
inline constexpr std::uint64_t kEventsPerRank = 1ull << 31;  ///< event indices are 32-bit
/// Window that a zstd frame requests.
inline constexpr std::uint64_t kZstdWindowBytes = 128ull << 20;
inline constexpr std::uint64_t kJobResidentBytes =
    2ull << 30;  ///< profiles held in memory at once; ranks beyond this are read twice
inline constexpr std::uint64_t kRanks = 1ull << 24;
inline constexpr std::uint64_t kFabricNodes = 1ull << 24;  ///< nodes of a network given as a graph
/// Links of such a network, counted per direction.
inline constexpr std::uint64_t kFabricLinks = 1ull << 26;
inline constexpr std::uint64_t kFabricBytes = 256ull << 20;  ///< one file of a fabric, unpacked
inline constexpr std::uint64_t kFabricBaseParts =
    1ull << 18;  ///< nodes and cables that a file of any size may declare …
/// … plus this many for each byte of the file …
inline constexpr std::uint64_t kFabricPartsPerByte = 512;
inline constexpr std::uint64_t kFabricMaxParts = 1ull << 23;  ///< … up to this maximum
inline constexpr std::uint64_t kScheduleSlots = 1ull << 24;   ///< passes in a pipeline schedule
inline constexpr std::uint64_t kTableShares =
    1ull << 24;  ///< ranks × (tables + 1024) of a recommendation model with different ranks
inline constexpr std::uint64_t kChunksPerCollective = 1ull << 20;
inline constexpr std::uint64_t kDatabaseValueBytes = 64ull << 20;  ///< one value in a database
inline constexpr std::uint64_t kDatabaseSchemaBytes =
    16ull << 20;  ///< memory for the table definitions of a database
inline constexpr std::uint64_t kDatabaseWork =
    16;  ///< SQLite instructions per byte of a database …
inline constexpr std::uint64_t kDatabaseWorkFloor = 16ull << 20;  ///< … plus this constant
inline constexpr std::uint64_t kMeasuredBytes = 256ull << 20;     ///< one table of measured kernels
inline constexpr std::uint64_t kMeasuredKernels = 4ull << 20;     ///< rows in it
inline constexpr std::uint64_t kMeasuredCollectives = 1ull << 20;  ///< rows of measured collectives
inline constexpr std::uint64_t kInspectorOperations =
    1ull << 24;  ///< operations in NCCL Inspector logs, all ranks together
inline constexpr std::uint64_t kRunFilePeers =
    1ull << 28;  ///< (rank, distance) pairs in the messages of a run file
inline constexpr std::uint64_t kRunFileRepetitions = 1024;  ///< of a row of a run file
inline constexpr std::uint64_t kRunFileRepeatedRows =
    1ull << 23;  ///< rows that a run file does not store, because they repeat others
inline constexpr std::uint64_t kRunFileRepeatedName = 128;  ///< bytes of a name in such a row

}  // namespace orrery::limits
