// SPDX-License-Identifier: Apache-2.0
//
// All ranks of a recorded job: found, read, linked, matched with each other, converted.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/workload.h"
#include "orrery/intake/convert.h"
#include "orrery/profile/dependencies.h"
#include "orrery/profile/link.h"
#include "orrery/profile/profile.h"
#include "orrery/trace/io/format.h"

namespace orrery::intake {

struct JobOptions {
  /// Paths or patterns, any mixture of formats: device traces, execution traces, tar archives.
  std::vector<std::string> traces;
  std::optional<std::uint32_t> rank;  ///< of a single trace; empty: found
  unsigned threads = 0;               ///< 0 = as many as there are processors
  bool link = true;                   ///< false: execution traces and device traces stay apart
  profile::DependencyOptions dependencies;
  std::function<void(std::uint32_t done, std::uint32_t of)> progress;
};

/// The files of one rank.
struct RankFiles {
  std::uint32_t rank = 0;
  std::string rank_from;               ///< "distributedInfo", "file name", "option", "order"
  std::optional<trace::Input> device;  ///< Kineto or Nsight
  std::optional<trace::Input> host;    ///< execution trace
};

/// One rank, read and made whole.
struct RankTrace {
  RankFiles files;
  profile::Profile profile;
  std::optional<profile::LinkReport> link;  ///< with both files
  profile::AttachReport attach;
  Findings findings;
};

/// Which files belong to which rank: by what they say themselves, by their names, else by order.
/// Two files of one kind for one rank, or a gap: Errc::usage naming both files (or the rank).
[[nodiscard]] Result<std::vector<RankFiles>> find_ranks(const JobOptions& options,
                                                        Findings& findings);

/// Reads, links and attaches one rank.
[[nodiscard]] Result<RankTrace> read_rank(const RankFiles& files,
                                          std::shared_ptr<StringPool> strings);

/// One communication of one rank, as far as other ranks care.
struct CommUse {
  profile::EventId event = profile::kNoEvent;  ///< the kernel, or the host operator without one
  profile::CommKind kind = profile::CommKind::unknown;
  std::uint32_t group = ~0u;   ///< in Job::groups
  std::uint32_t sequence = 0;  ///< how many of the group came before at this rank
  std::int64_t bytes = -1;
  std::int32_t peer = -1;
  Time start{};
  Time end{};
  std::string name;  ///< of the operator, for messages
};

/// What a set of ranks has in common, small enough to be kept for all of them.
struct Job {
  std::vector<RankFiles> ranks;             ///< ascending by rank
  std::vector<std::vector<CommUse>> comms;  ///< by place in ranks, in issue order per group
  std::vector<GroupName> groups;            ///< of the whole job
  std::vector<std::vector<std::uint32_t>> group_of;  ///< [place][Profile group] → groups
  std::vector<std::vector<Time>> steps;              ///< by place: lengths of its iterations
  std::vector<Time> clock_offset;                    ///< by place: add to its times
  std::uint32_t world_size = 0;                      ///< as recorded; ranks may be fewer
  std::uint64_t matched = 0;    ///< communications found on all their ranks here
  std::uint64_t unmatched = 0;  ///< … whose peers are here but lack it
  std::uint64_t alone = 0;      ///< … whose peers are not among the files
  Findings findings;
};

/// A difference between ranks that ought to agree.
struct Mismatch {
  std::string what;         ///< "bytes differ", "no receive for this send" …
  std::string left, right;  ///< two lines to show side by side, each with rank and place
};

/// Reads every rank (in parallel), calls `use` for each in ascending order with the finished job
/// information once all are known, and lets it go. Ranks whose profiles fit
/// limits::kJobResidentBytes together are read once, others twice.
[[nodiscard]] Result<Job> for_each_rank(
    const JobOptions& options,
    const std::function<Result<void>(const Job&, std::size_t place, RankTrace&)>& use);

/// Everything in which ranks contradict each other, the first ones first; at most `most`.
[[nodiscard]] std::vector<Mismatch> mismatches(const Job& job, std::size_t most);

/// Converts all ranks to `<prefix>.<rank>.et` and the groups to `comm_group.json` beside them.
struct JobReport {
  Job job;
  std::vector<ConvertReport> converted;                    ///< by place
  std::vector<std::optional<profile::LinkReport>> linked;  ///< by place
  std::vector<profile::AttachReport> attached;             ///< by place
  Findings findings;                                       ///< all ranks'
};
[[nodiscard]] Result<JobReport> convert_job(const JobOptions& options, const std::string& prefix);

/// The same straight into a workload for the simulator, with nothing written.
[[nodiscard]] Result<graph::Workload> load_job(const JobOptions& options, Findings& findings);

}  // namespace orrery::intake
