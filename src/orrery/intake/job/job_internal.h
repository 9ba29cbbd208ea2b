// SPDX-License-Identifier: Apache-2.0
//
// The steps from single ranks to a job, apart from each other so that each can be tested.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/intake/job/job.h"

namespace orrery::intake {

// --- Which file is whose (rank_in_name.cc, trace_origin.cc) ---

/// A rank in a file's name, and how sure it is.
struct FileNameRank {
  std::uint32_t rank = 0;
  bool sure = false;  ///< "rank3", "worker3"; otherwise a number at the end, "trace_3"
  std::optional<std::uint32_t> node;  ///< "node1"
  /// What stands before a number at the end, other numbers left open: "host#_" of "host4_3".
  std::string family;
};
/// From "dir/rank3.json.gz", "dlrm.tar!worker3_step_12.1694128201557.pt.trace.json", "x_eg_3.json".
/// Numbers that are versions, steps or times are no ranks. A number at the end is one only beside
/// others of its family: what "resnet_50.json" alone counts is no ranks.
[[nodiscard]] std::optional<FileNameRank> rank_in_name(std::string_view name);

/// Some write both files of a rank under one name into folders beside each other: Megatron-LM
/// "torch_profile/rank-3.json.gz" and "chakra/rank-3.json.gz". What the two have in common; empty
/// for files in other folders.
[[nodiscard]] std::string pair_name(std::string_view name);

/// What a file's beginning says about where it comes from.
struct TraceOrigin {
  std::optional<std::uint32_t> rank;  ///< distributedInfo
  std::optional<std::int64_t> process;
  std::optional<std::uint32_t> device;  ///< the only one that its tensors are on
};
/// Reads the members before the events (and a few of those). A damaged file says nothing here; the
/// reader will complain.
[[nodiscard]] Result<TraceOrigin> read_origin(const trace::Input& input);

// --- What a rank brings (rank_comms.cc, comm_clocks.cc) ---

/// What must have ended before a communication can begin, as a vector clock: communications that
/// wait for each other form chains.
struct CommClock {
  std::uint64_t node = 0;           ///< JobComm::node
  std::uint32_t chain = 0;          ///< that it belongs to
  std::uint32_t position = 0;       ///< in that chain
  std::vector<std::uint32_t> seen;  ///< per chain: how many of its first ones it waits for
  bool crowded = false;  ///< of a chain that stands for many: the chain's order is made up

  /// Whether it waits for `other` of the same rank.
  [[nodiscard]] bool after(const CommClock& other) const {
    return !other.crowded && other.chain < seen.size() && seen[other.chain] > other.position;
  }
};
/// A communication at a node; several queued ones are done by one node, which waits for them.
struct CommNode {
  std::uint32_t node = 0;  ///< in Dependencies::nodes
  bool queued = false;
  std::uint64_t id = 0;  ///< JobComm::node
};
/// Ascending by id. `comms` by node, queued ones first.
[[nodiscard]] std::vector<CommClock> clocks_of(const profile::Dependencies& dependencies,
                                               const std::vector<CommNode>& comms);

/// A rank as far as the others care; JobComm::group is an index into `groups` here, or kNone.
struct RankComms {
  std::uint32_t rank = 0;
  std::string where;
  std::optional<std::uint32_t> world_size;
  std::int64_t origin_ns = 0;
  Time first{};  ///< the earliest start since then
  std::vector<profile::Group> groups;
  std::vector<std::int32_t> sizes;  ///< per group: the size its communications state, or -1
  std::vector<JobComm> uses;        ///< by group, then in the order they were issued
  std::vector<CommClock> clocks;    ///< of the uses, ascending by node
  std::vector<Time> steps;
};
/// As plan_comms sees them: what convert makes communications of.
[[nodiscard]] RankComms rank_comms(const profile::Profile& profile,
                                   const profile::Dependencies& dependencies);

// --- All ranks together (unite_groups.cc, match_comms.cc, align_clocks.cc) ---

/// Fills Job::groups, group_of, world_size, clashes; moves `ranks`' uses into Job::comms with their
/// job-wide groups. Counts group_unknown. Job::ranks must be set. Errc: input_mismatch.
[[nodiscard]] Result<void> unite_groups(std::vector<RankComms>& ranks, Job& job);

/// Fills JobComm::sequence and match, and the job's counts. Counts comm_unmatched, comm_alone.
void match_comms(Job& job);

/// Fills JobComm::together, track and size, and Job::tracks, so that no rank of the converted job
/// waits for ever: what would make ranks wait for each other in a circle becomes unmatched (alone
/// where the group is a guess).
void make_order_consistent(const std::vector<RankComms>& ranks, Job& job);

/// Fills Job::clock_offset and begin. Counts clock_aligned.
void align_clocks(const std::vector<RankComms>& ranks, Job& job);

/// The four of them.
[[nodiscard]] Result<void> unite(std::vector<RankComms>& ranks, Job& job);

/// Communications of one kind between one set of ranks: those of a group, or the sends of one rank
/// to another and their receives.
struct CommLine {
  std::uint32_t group = 0;
  std::vector<std::uint32_t> places;             ///< of the members that are here, ascending
  std::vector<std::vector<std::uint32_t>> uses;  ///< per place: indices in Job::comms[place]
  bool absent_peers = false;                     ///< some members are not here
};
/// All of a job; every use of Job::comms is in exactly one.
[[nodiscard]] std::vector<CommLine> comm_lines(const Job& job);

using Positions = std::vector<std::vector<std::int64_t>>;  ///< per member of a line, per use
/// By order: the first is everybody's first, unless clearly more fits otherwise (align_comms.cc).
[[nodiscard]] Positions align_by_order(const Job& job, const CommLine& line);
/// As many that agree as can be had in order, for a group that is a guess.
[[nodiscard]] Positions align_by_similarity(const Job& job, const CommLine& line);

/// Counts `count` communications as matched, unmatched or alone, with a finding.
void count_match(Job& job, Match match, const JobComm& use, const std::string& where,
                 std::uint64_t count);

/// True when two ranks of one communication may state `a` and `b`.
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

/// A rank as it was read, with what its conversion needs.
struct ReadRank {
  RankTrace trace;
  profile::Dependencies dependencies;
  Findings found;  ///< by find_dependencies
};

/// Ranks read once or twice, several at a time.
class JobReader {
 public:
  using Step = std::function<Result<void>(std::size_t place, ReadRank& rank)>;

  explicit JobReader(const JobOptions& options);
  /// Finds and reads all ranks; fills job().
  Result<void> read_all_ranks();
  [[nodiscard]] Job& job() { return job_; }
  /// Calls `work` for all places, as many at a time as there are threads; after each such batch
  /// `done` for its places in ascending order, on this thread. Either may be empty. Lets ranks go.
  Result<void> for_each(const Step& work, const Step& done);

 private:
  Result<void> parallel(std::size_t first, std::size_t count,
                        const std::function<Result<void>(std::size_t)>& work) const;
  [[nodiscard]] Result<ReadRank> read(std::size_t place) const;
  void take_recorded_ranks(std::vector<RankComms>& comms);

  const JobOptions& options_;
  unsigned threads_;
  Job job_;
  std::vector<std::optional<ReadRank>> kept_;
};

}  // namespace orrery::intake
