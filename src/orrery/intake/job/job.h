// SPDX-License-Identifier: Apache-2.0
//
// All ranks of a recorded job: found, read, linked, matched with each other, converted.
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
  /// Paths or patterns, any mixture of formats: device traces, execution traces, tar archives.
  std::vector<std::string> traces;
  std::optional<std::uint32_t> rank;  ///< of a single trace; empty: found
  unsigned threads = 0;               ///< 0 = as many as there are processors
  bool link = true;                   ///< false: execution traces and device traces stay apart
  profile::DependencyOptions dependencies;
  /// Conversions name groups and peers as recorded even where not all ranks are among the files:
  /// for a trace that is to stand for many ranks.
  bool keep_absent = false;
  /// Conversions let ranks begin as far apart as they were recorded (Job::begin): a node "[recorded
  /// start]" before all others of the later ones. Otherwise all begin at once, and what a rank
  /// spent waiting for others is not what was measured.
  bool keep_skew = true;
  bool force = false;  ///< conversions replace files that are there
  /// May change what was found of a rank, as costs, before it is converted. Called once or twice
  /// for each rank, by several threads.
  std::function<void(const profile::Profile&, profile::Dependencies&)> adjust;
  std::function<void(std::uint32_t done, std::uint32_t of)> progress;   ///< ranks read
  std::function<void(std::uint32_t done, std::uint32_t of)> converted;  ///< … and converted
};

/// The files of one rank.
struct RankFiles {
  std::uint32_t rank = 0;
  std::string rank_from;               ///< "distributedInfo", "file name", "option", "order"
  std::optional<trace::Input> device;  ///< Kineto or Nsight
  std::optional<trace::Input> host;    ///< execution trace
  /// Of a device trace of several processes: the one that is this rank.
  std::optional<std::int64_t> process = std::nullopt;
  /// What was recorded while its graphs were captured (profile/link/graph_captures.h).
  std::vector<trace::Input> captures = {};
};

/// One rank, read and made whole.
struct RankTrace {
  RankFiles files;
  profile::Profile profile;
  std::optional<profile::LinkReport> link;  ///< with both files
  profile::AttachReport attach;
  Findings findings;
};

/// Which files belong to which rank, ascending: by what they say themselves (a host file by the
/// process it shares with a device file), by their names, else by order (rank_from_order). Ranks
/// may be missing. Without JobOptions::link a rank with both files stands there twice, device
/// first. An Nsight export of several processes is as many ranks. Files that are no recorded trace
/// are left out where a pattern or an archive has them beside traces (file_skipped); so are notes
/// and facts files named beside traces. Errc: usage (two files of one kind for one rank, a Chakra
/// trace), input_unsupported (no trace), and those of inputs_in and expand.
[[nodiscard]] Result<std::vector<RankFiles>> find_ranks(const JobOptions& options,
                                                        Findings& findings);

/// True for recordings of captures of CUDA or HIP graphs: in a folder "capture_traces", or called
/// "graph_capture…" or "capture_trace…".
[[nodiscard]] bool is_capture_name(std::string_view name);

/// Reads, links and attaches one rank.
[[nodiscard]] Result<RankTrace> read_rank(const RankFiles& files,
                                          std::shared_ptr<StringPool> strings);

/// What became of a communication among the other ranks.
enum class Match : std::uint8_t {
  alone,      ///< none of its peers is among the files
  matched,    ///< all of its peers that are among the files have it
  unmatched,  ///< one of them lacks it, or does something else instead
};

/// One communication of one rank, as far as other ranks care.
struct JobComm {
  profile::EventId event = profile::kNoEvent;  ///< the kernel, or the host operator without one
  profile::CommKind kind = profile::CommKind::unknown;
  std::uint32_t group = ~0u;  ///< in Job::groups
  /// Its place in the group (of a send or receive: between these two ranks), the same at every
  /// rank.
  std::uint32_t sequence = 0;
  std::uint64_t node = 0;  ///< its id in the converted trace
  Match match = Match::alone;
  bool on_device = false;
  bool queued = false;  ///< one of several messages of one kernel; `event` is its operator
  std::int64_t bytes = -1;
  std::int64_t recorded = -1;  ///< the file's own number of it
  std::int32_t peer = -1;      ///< of a send or receive, a global rank
  /// In a converted workload: done together with the others, or for its recorded time by itself.
  bool together = false;
  /// Where nothing else makes ranks begin those of a group in one order: of collectives, in
  /// Job::tracks (else kNone, and they use the group's name), of messages, the tag.
  std::uint32_t track = profile::kNone;
  std::int64_t size = -1;  ///< bytes in a converted workload: of different ones the most
  Time start{};
  Time end{};
  std::string name;  ///< of the operator, for messages
};

/// A difference between ranks that ought to agree.
struct Mismatch {
  std::string what;         ///< "bytes differ", "no receive for this send" …
  std::string left, right;  ///< two lines to show side by side, each with rank and place
};

/// What a set of ranks has in common, small enough to be kept for all of them.
struct Job {
  std::vector<RankFiles> ranks;             ///< ascending by rank
  std::vector<std::vector<JobComm>> comms;  ///< by place in ranks, in issue order per group
  std::vector<GroupName> groups;            ///< of the whole job
  std::vector<bool> group_guessed;          ///< by group: nothing says who its members are
  std::vector<GroupName> tracks;            ///< parts of groups; see JobComm::track
  std::vector<std::vector<std::uint32_t>> group_of;  ///< [place][Profile group] → groups
  std::vector<std::uint32_t> group_without;          ///< by place: of communications that name none
  std::vector<std::vector<Time>> steps;              ///< by place: lengths of its iterations
  /// By place: add to its clock (Profile::origin_ns + time) to make ranks comparable.
  std::vector<Time> clock_offset;
  /// By place: when its first event began, since the first event of all; 0 where clocks have
  /// nothing in common.
  std::vector<Time> begin;
  std::uint32_t world_size = 0;           ///< as recorded; ranks may be fewer
  std::vector<Mismatch> group_conflicts;  ///< groups that one rank describes otherwise than another
  std::uint64_t matched = 0;              ///< communications found on all their ranks here
  std::uint64_t unmatched = 0;            ///< … whose peers are here but lack it
  std::uint64_t alone = 0;                ///< … whose peers are not among the files
  Findings findings;
};

/// Reads every rank (in parallel), calls `use` for each in ascending order with the finished job
/// information once all are known, and lets it go. Ranks whose profiles fit
/// limits::kJobResidentBytes together are read once, others twice. Errc: what find_ranks and
/// read_rank say, `use`'s own, and input_mismatch when the files are of jobs of different sizes.
[[nodiscard]] Result<Job> for_each_rank(
    const JobOptions& options,
    const std::function<Result<void>(const Job&, std::size_t place, RankTrace&)>& use);

/// Everything in which ranks contradict each other, the first ones first; at most `most`.
[[nodiscard]] std::vector<Mismatch> mismatches(const Job& job, std::size_t most);

/// What convert_job did.
struct JobReport {
  Job job;
  std::vector<ConvertReport> converted;                    ///< by place
  std::vector<std::optional<profile::LinkReport>> linked;  ///< by place
  std::vector<profile::AttachReport> attached;             ///< by place
  /// By place: the number in the file's name. The recorded rank if all ranks of the job are there
  /// (or with JobOptions::keep_absent); otherwise 0, 1, … in order of the recorded ones.
  std::vector<std::uint32_t> written_as;
  Findings findings;  ///< all there are: the job's, the ranks', the conversions'
};

/// Converts all ranks to `<prefix>.<rank>.et` and the groups to `comm_group.json` beside them, so
/// that a simulation of them comes to its end. Where ranks are missing, groups hold only those that
/// are there. A collective that not all of its members here do together would wait for ever: it
/// gets a group of its own rank ("NAME/alone@RANK") and takes its recorded duration in simulations
/// under our rules. So does a message without partner, as a collective without a type and a size.
/// Where ranks begin the communications of one group in no certain order, those are told apart by
/// parts of the group ("NAME/2", with the same members) and messages by their tags. Ranks that
/// contribute different amounts to a collective get the largest. A changed or missing comm_size is
/// kept as "recorded_comm_size". Errc: as for_each_rank, find_ranks; output_failed.
[[nodiscard]] Result<JobReport> convert_job(const JobOptions& options, const std::string& prefix);

/// Gets each rank when it has been converted, in order.
using RankConsumer = std::function<void(const Job& job, std::size_t place, RankTrace&& trace,
                                        profile::Dependencies&& dependencies)>;

/// The same straight into a workload for the simulator, with nothing written. Node n of
/// `dependencies.nodes` has the id n + 1.
[[nodiscard]] Result<graph::Workload> load_job(const JobOptions& options, Findings& findings,
                                               const RankConsumer& keep = {});

}  // namespace orrery::intake
