// SPDX-License-Identifier: Apache-2.0
//
// A recorded job: finds, reads and links its ranks, matches their communications, and converts
// them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/workload.h"
#include "orrery/intake/convert/convert.h"
#include "orrery/profile/dependencies/dependencies.h"
#include "orrery/profile/link/link.h"
#include "orrery/profile/profile.h"
#include "orrery/trace/inputs/format.h"

namespace orrery::intake {

struct JobOptions {
  /// Paths or patterns, in any combination of formats: device traces, execution traces, tar
  /// archives.
  std::vector<std::string> traces;
  std::optional<std::uint32_t> rank;  ///< of a single trace; empty: detected
  unsigned threads = 0;               ///< 0: one per processor
  bool link = true;                   ///< false: keeps execution traces and device traces separate
  profile::DependencyOptions dependencies;
  /// Conversions keep recorded groups and peers even if their ranks are not among the files. Use it
  /// for a trace that represents many ranks.
  bool keep_absent = false;
  /// Conversions keep the recorded differences between the starts of ranks (Job::begin): a node
  /// "[recorded start]" delays each later rank. Otherwise all ranks begin at once, and the time
  /// that a rank waits for others differs from the measured one.
  bool keep_skew = true;
  bool force = false;  ///< conversions replace existing files
  /// Changes the dependencies of a rank, for example costs, before its conversion. Called once or
  /// twice for each rank, by several threads.
  std::function<void(const profile::Profile&, profile::Dependencies&)> adjust;
  /// Called with the number of ranks read.
  std::function<void(std::uint32_t done, std::uint32_t of)> progress;
  /// Called with the number of ranks converted.
  std::function<void(std::uint32_t done, std::uint32_t of)> converted;
};

/// The files of one rank.
struct RankFiles {
  std::uint32_t rank = 0;
  std::string rank_from;  ///< source of `rank`: "distributedInfo", "file name", "option", "order"
  std::optional<trace::Input> device;  ///< Kineto or Nsight
  std::optional<trace::Input> host;    ///< execution trace
  /// If the device trace contains several processes: the process of this rank.
  std::optional<std::int64_t> process = std::nullopt;
  /// Recordings of graph captures of this rank (profile/link/graph_captures.h).
  std::vector<trace::Input> captures = {};
};

/// One rank after reading, linking and attaching.
struct RankTrace {
  RankFiles files;
  profile::Profile profile;
  std::optional<profile::LinkReport> link;  ///< set if the rank has both files
  profile::AttachReport attach;
  Findings findings;
};

/// Finds the files of each rank, ascending by rank. Ranks come from the contents of files (a host
/// file has the rank of the device file with the same process), else from their names, else from
/// their order (rank_from_order). Ranks may be missing. Without JobOptions::link, a rank with both
/// files has two entries, device first. An Nsight export of several processes yields one rank for
/// each. Files that are not recorded traces are skipped if a pattern or an archive contains traces
/// as well (file_skipped); so are notes and files of facts that are named together with traces.
/// Errc: usage (two files of one kind for one rank, a Chakra trace), input_unsupported (no trace),
/// and those of inputs_in and expand.
[[nodiscard]] Result<std::vector<RankFiles>> find_ranks(const JobOptions& options,
                                                        Findings& findings);

/// True for the name of a recording of CUDA or HIP graph captures: in a folder "capture_traces", or
/// named "graph_capture…" or "capture_trace…".
[[nodiscard]] bool is_capture_name(std::string_view name);

/// Reads, links and attaches one rank.
[[nodiscard]] Result<RankTrace> read_rank(const RankFiles& files,
                                          std::shared_ptr<StringPool> strings);

/// Result of matching a communication with the other ranks.
enum class Match : std::uint8_t {
  alone,      ///< no file contains any of its peers
  matched,    ///< all peers among the files have it
  unmatched,  ///< a peer among the files lacks it, or does something else instead
};

/// One communication of one rank, with the values that matching needs.
struct JobComm {
  profile::EventId event = profile::kNoEvent;  ///< the kernel; without a kernel the host operator
  profile::CommKind kind = profile::CommKind::unknown;
  std::uint32_t group = ~0u;  ///< in Job::groups
  /// Its number in the group (send or receive: between these two ranks), equal on all ranks.
  std::uint32_t sequence = 0;
  std::uint64_t node = 0;  ///< its id in the converted trace
  Match match = Match::alone;
  bool on_device = false;
  bool queued = false;  ///< one of several messages of one kernel; `event` is the operator
  std::int64_t bytes = -1;
  std::int64_t recorded_sequence = -1;  ///< sequence number in the file
  std::int32_t peer = -1;               ///< send, receive: global rank of the peer
  /// True: executed together with the peers in a converted workload. False: executed alone, with
  /// its recorded duration.
  bool executed_jointly = false;
  /// Distinguishes communications of a group that its ranks begin in no fixed order. Collective:
  /// index in Job::subgroups, or kNone, then it uses the group's name. Message: the tag.
  std::uint32_t subgroup_or_tag = profile::kNone;
  std::int64_t size = -1;  ///< bytes in a converted workload: the maximum over the ranks
  Time start{};
  Time end{};
  std::string name;  ///< name of the operator, for error messages
};

/// A contradiction between ranks.
struct Mismatch {
  std::string what;         ///< "bytes differ", "no receive for this send" …
  std::string left, right;  ///< two lines to print next to each other, each with rank and place
};

/// Data of all ranks of a job that stays in memory for the complete job. "Place": index in `ranks`.
struct Job {
  std::vector<RankFiles> ranks;             ///< ascending by rank
  std::vector<std::vector<JobComm>> comms;  ///< by place in ranks, in issue order per group
  std::vector<graph::ProcessGroup>
      groups;  ///< of all ranks, without duplicates; global ranks, unique names
  std::vector<bool> group_guessed;             ///< by group: no file lists its members
  std::vector<graph::ProcessGroup> subgroups;  ///< see JobComm::subgroup_or_tag
  /// [place][index in Profile::groups] → index in `groups`.
  std::vector<std::vector<std::uint32_t>> group_of;
  /// By place: group of communications without a recorded group.
  std::vector<std::uint32_t> group_without;
  std::vector<std::vector<Time>> steps;  ///< by place: durations of its iterations
  /// By place: offset that converts its clock (Profile::origin_ns + time) to a common clock.
  std::vector<Time> clock_offset;
  /// By place: Profile::origin_ns on the common clock. Adding it to a time of a profile yields a
  /// time that is comparable with those of ranks of equal `clock_root`.
  std::vector<Time> common_origin;
  /// By place: the first place to whose clock collectives relate its clock.
  std::vector<std::uint32_t> clock_root;
  /// By place: start of its first event since the first event of all ranks; 0 if their clocks are
  /// unrelated.
  std::vector<Time> begin;
  std::uint32_t world_size = 0;           ///< as recorded; ranks may be fewer
  std::vector<Mismatch> group_conflicts;  ///< groups that two ranks describe differently
  std::uint64_t matched = 0;              ///< communications with Match::matched, each counted once
  std::uint64_t unmatched = 0;            ///< communications with Match::unmatched
  std::uint64_t alone = 0;                ///< communications with Match::alone
  Findings findings;
};

/// Reads all ranks in parallel. Then calls `use` for each rank in ascending order, with the
/// complete Job, and releases the rank. Ranks are read once if their profiles fit into
/// limits::kJobResidentBytes together; the others are read twice. Errc: as find_ranks and
/// read_rank; errors of `use`; input_mismatch if the files are of jobs of different sizes.
[[nodiscard]] Result<Job> for_each_rank(
    const JobOptions& options,
    const std::function<Result<void>(const Job&, std::size_t place, RankTrace&)>& use);

/// The first contradictions between ranks, at most `most`.
[[nodiscard]] std::vector<Mismatch> mismatches(const Job& job, std::size_t most);

/// The result of convert_job.
struct JobReport {
  Job job;
  std::vector<ConvertReport> converted;                    ///< by place
  std::vector<std::optional<profile::LinkReport>> linked;  ///< by place
  std::vector<profile::AttachReport> attached;             ///< by place
  /// By place: the number in the file's name. The recorded rank if all ranks of the job are present
  /// (or with JobOptions::keep_absent); otherwise 0, 1, … in the order of recorded ranks.
  std::vector<std::uint32_t> written_as;
  Findings findings;  ///< of the job, the ranks and the conversions
};

/// Converts all ranks to `<prefix>.<rank>.et`, and the groups to `comm_group.json` in the same
/// folder, so that a simulation of these files does not deadlock:
/// - If ranks are missing, groups contain only the present ranks.
/// - A collective without all of its members gets a group of its own rank ("NAME/alone@RANK");
///   Orrery simulates it with its recorded duration. A message without a partner becomes a
///   collective without a type and a size.
/// - If ranks begin the communications of one group in no fixed order, subgroups ("NAME/2", with
///   the same members) distinguish collectives, and tags distinguish messages.
/// - If ranks contribute different amounts to a collective, all get the largest. A changed or
///   missing comm_size is stored as "recorded_comm_size".
///
/// Errc: as for_each_rank, find_ranks; output_failed.
[[nodiscard]] Result<JobReport> convert_job(const JobOptions& options, const std::string& prefix);

/// Receives each rank after its conversion, in ascending order.
using RankConsumer = std::function<void(const Job& job, std::size_t place, RankTrace&& trace,
                                        profile::Dependencies&& dependencies)>;

/// Converts all ranks to a workload for the simulator without writing files. Node n of
/// `dependencies.nodes` has the id n + 1.
[[nodiscard]] Result<graph::Workload> load_job(const JobOptions& options, Findings& findings,
                                               const RankConsumer& keep = {});

}  // namespace orrery::intake
