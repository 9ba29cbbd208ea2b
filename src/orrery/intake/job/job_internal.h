// SPDX-License-Identifier: Apache-2.0
//
// The steps from single ranks to a job, as separate functions for tests.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/intake/job/job.h"

namespace orrery::intake {

// --- Assigning files to ranks (rank_in_name.cc, trace_origin.cc) ---

/// A rank in a file's name.
struct FileNameRank {
  std::uint32_t rank = 0;
  bool is_explicit = false;           ///< "rank3", "worker3"; false: a number at the end, "trace_3"
  std::optional<std::uint32_t> node;  ///< "node1"
  /// The name without the number at the end and with other digits replaced: "host#_" of "host4_3".
  std::string family;
};
/// The rank in names like "dir/rank3.json.gz", "x_eg_3.json",
/// "dlrm.tar!worker3_step_12.1694128201557.pt.trace.json". Ignores numbers that are versions, steps
/// or times. A number at the end is a rank only if other files of the same family exist:
/// "resnet_50.json" alone has no rank.
[[nodiscard]] std::optional<FileNameRank> rank_in_name(std::string_view name);

/// Some tools write both files of a rank under one name into sibling folders: Megatron-LM
/// "torch_profile/rank-3.json.gz" and "chakra/rank-3.json.gz". Returns the common part of both
/// names; empty for files in other folders.
[[nodiscard]] std::string pair_name(std::string_view name);

/// Values at the beginning of a file that identify its rank.
struct TraceOrigin {
  std::optional<std::uint32_t> rank;  ///< distributedInfo
  std::optional<std::int64_t> process;
  std::optional<std::uint32_t> device;  ///< the only device of its tensors
};
/// Reads the members before the events, and a few events. Of a damaged file the result is empty;
/// the reader reports the damage later.
[[nodiscard]] Result<TraceOrigin> read_origin(const trace::Input& input);

// --- Communications of one rank (rank_comms.cc, comm_clocks.cc) ---

/// The communications that must end before a communication can begin, as a vector clock.
/// Communications that wait for each other form chains.
struct CommClock {
  std::uint64_t node = 0;      ///< JobComm::node
  std::uint32_t chain = 0;     ///< its chain
  std::uint32_t position = 0;  ///< in that chain
  /// Per chain: the number of its first communications that this one waits for.
  std::vector<std::uint32_t> seen;
  bool on_merged_chain = false;  ///< on a chain that merges several: its order is arbitrary

  /// True if it waits for `other` of the same rank.
  [[nodiscard]] bool after(const CommClock& other) const {
    return !other.on_merged_chain && other.chain < seen.size() &&
           seen[other.chain] > other.position;
  }
};
/// A communication at a node. A node may also execute several queued communications and waits for
/// them.
struct CommNode {
  std::uint32_t node = 0;  ///< in Dependencies::nodes
  bool queued = false;
  std::uint64_t id = 0;  ///< JobComm::node
};
/// Vector clocks of `comms`, ascending by id. `comms` are ascending by node, queued ones first.
[[nodiscard]] std::vector<CommClock> clocks_of(const profile::Dependencies& dependencies,
                                               const std::vector<CommNode>& comms);

/// The data of a rank that other ranks need. JobComm::group is an index into `groups` here, or
/// kNone.
struct RankComms {
  std::uint32_t rank = 0;
  std::string where;
  std::optional<std::uint32_t> world_size;
  std::int64_t origin_ns = 0;
  Time first{};  ///< earliest start of an event
  std::vector<profile::Group> groups;
  std::vector<std::int32_t> sizes;  ///< per group: the size that its communications state, or -1
  std::vector<JobComm> uses;        ///< by group, then in the order of issue
  std::vector<CommClock> clocks;    ///< of the uses, ascending by node
  std::vector<Time> steps;
};
/// The communications of a rank according to plan_comms, which convert uses, too.
[[nodiscard]] RankComms rank_comms(const profile::Profile& profile,
                                   const profile::Dependencies& dependencies);

// --- All ranks together (unite_groups.cc, match_comms.cc, comm_order.cc, align_clocks.cc) ---

/// Fills Job::groups, group_guessed, group_of, group_without, world_size, group_conflicts and
/// steps. Moves the uses of `ranks` to Job::comms, with job-wide groups. Counts group_unknown.
/// Job::ranks must be set. Errc: input_mismatch.
[[nodiscard]] Result<void> unite_groups(std::vector<RankComms>& ranks, Job& job);

/// Fills JobComm::sequence and match, and the counts of Job. Counts comm_unmatched, comm_alone.
void match_comms(Job& job);

/// Fills JobComm::executed_jointly, subgroup_or_tag and size, and Job::subgroups, so that the
/// converted job cannot deadlock. A communication in a circle of waiting ranks becomes unmatched
/// (alone if its group is guessed).
void make_order_consistent(const std::vector<RankComms>& ranks, Job& job);

/// Fills Job::clock_offset, common_origin, clock_root and begin. Counts clock_aligned.
void align_clocks(const std::vector<RankComms>& ranks, Job& job);

/// Calls the four functions above.
[[nodiscard]] Result<void> unite(std::vector<RankComms>& ranks, Job& job);

/// The communications of one group, or the messages from one rank to another: sends and their
/// receives.
struct CommChannel {
  std::uint32_t group = 0;
  std::vector<std::uint32_t> places;             ///< places of the present members, ascending
  std::vector<std::vector<std::uint32_t>> uses;  ///< per member: indices in Job::comms[place]
  bool absent_peers = false;                     ///< some members are not present
};
/// All channels of a job; each communication in Job::comms belongs to exactly one channel.
[[nodiscard]] std::vector<CommChannel> comm_channels(const Job& job);

/// Per member of a channel, per use: number in the channel.
using Positions = std::vector<std::vector<std::int64_t>>;
/// Aligns members by order: their first uses belong together, unless another shift clearly fits
/// better (align_comms.cc).
[[nodiscard]] Positions align_by_order(const Job& job, const CommChannel& channel);
/// For a guessed group: aligns as many agreeing communications as possible without changing their
/// order.
[[nodiscard]] Positions align_by_similarity(const Job& job, const CommChannel& channel);

/// Counts `count` communications as matched, unmatched or alone, with a finding.
void count_match(Job& job, Match match, const JobComm& use, const std::string& where,
                 std::uint64_t count);

/// True if `a` and `b` of two ranks can be the same communication.
[[nodiscard]] bool same_kind(const JobComm& a, const JobComm& b);
[[nodiscard]] bool same_bytes(const JobComm& a, const JobComm& b);
[[nodiscard]] inline bool agree(const JobComm& a, const JobComm& b) {
  return same_kind(a, b) && same_bytes(a, b);
}
/// "all_reduce of 4096 bytes".
[[nodiscard]] std::string describe(const JobComm& use);
/// "rank 3 (worker3.json)".
[[nodiscard]] std::string label(const Job& job, std::size_t place);

// --- Reading (job.cc) ---

/// A rank after reading, with the data for its conversion.
struct ReadRank {
  RankTrace trace;
  profile::Dependencies dependencies;
  Findings found;  ///< findings of find_dependencies
};

/// Reads ranks in parallel, each once or twice.
class JobReader {
 public:
  using Step = std::function<Result<void>(std::size_t place, ReadRank& rank)>;

  explicit JobReader(const JobOptions& options);
  /// Finds and reads all ranks; fills job().
  Result<void> read_all_ranks();
  [[nodiscard]] Job& job() { return job_; }
  /// Calls `work` for all places, in parallel batches of one place per thread. After each batch it
  /// calls `done` for its places in ascending order, on the calling thread, and releases the ranks.
  /// Both may be empty.
  Result<void> for_each(const Step& work, const Step& done);

 private:
  Result<void> parallel(std::size_t first, std::size_t count,
                        const std::function<Result<void>(std::size_t)>& work) const;
  [[nodiscard]] Result<ReadRank> read(std::size_t place) const;
  void take_recorded_ranks(std::vector<RankComms>& comms);

  const JobOptions& options_;
  unsigned threads_;
  Job job_;
  std::vector<std::optional<ReadRank>> resident_ranks_;
};

}  // namespace orrery::intake
