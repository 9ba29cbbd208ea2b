// SPDX-License-Identifier: Apache-2.0
//
// Several jobs on one machine: what each takes beside the others, and what it takes alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/core/quantity.h"
#include "orrery/result/run.h"
#include "orrery/study/jobs/concurrency/concurrent_jobs_file.h"
#include "orrery/study/jobs/concurrency/shared_links.h"
#include "orrery/study/questions/outcome/outcome.h"
#include "orrery/study/questions/question_rows.h"

namespace orrery::study {

struct ConcurrentJobsQuestion {
  std::string file, cluster;
  std::string network;  ///< empty: the cluster's; flow, where that is analytical
  bool links = false;   ///< each rank of a job alone is simulated, too
  ExecutionOptions work;
  bool record = false;

  static constexpr auto fields = std::tuple{
      QuestionField{"file", &ConcurrentJobsQuestion::file, "JOBS", "", kAnswer, "jobs.yaml",
                    "The file of jobs (docs/reference/jobs.md)"}
          .required(),
      QuestionField{"cluster", &ConcurrentJobsQuestion::cluster, "--cluster", "FILE", kAnswer,
                    "a100-40gb:8",
                    "The machine, instead of the file's: a file, or a name of the catalogue"},
      network_field(&ConcurrentJobsQuestion::network),
      QuestionField{"links", &ConcurrentJobsQuestion::links, "--links", "", kAnswer, "true",
                    "Say which links jobs meet on, and what each puts there"},
      QuestionStruct{"work", &ConcurrentJobsQuestion::work},
      QuestionField{"record", &ConcurrentJobsQuestion::record, "", "", kNothing, "true",
                    "Keep when every node of all jobs ran"}};
};

/// A job's ranks, in one run.
struct JobTime {
  Time end{};      ///< of its last rank, from its start on
  Time exposed{};  ///< communication that nothing hides, of a rank in the mean
  bool stalled = false;
};

struct ConcurrentJob {
  std::string name, about;           ///< what it is of: a file, a model
  std::vector<std::uint32_t> ranks;  ///< of the machine
  Time start{};
  std::int64_t steps = 1;
  JobTime alone, concurrent;  ///< `alone`: on the same ranks, all others spare

  /// So many times as long beside the others, as of its end.
  [[nodiscard]] double slowed() const {
    return alone.end > Time{} ? static_cast<double>(concurrent.end.count()) /
                                    static_cast<double>(alone.end.count())
                              : 1;
  }
};

struct ConcurrentJobsResult {
  Outcome all;  ///< of the run with all jobs
  std::vector<ConcurrentJob> jobs;
  std::uint32_t spare = 0;        ///< ranks without a job
  std::vector<SharedLink> links;  ///< ConcurrentJobsQuestion::links
  bool links_known = false;       ///< … and the network has any
};

/// Simulates all jobs at once, and each alone. Collectives go over the network by their messages
/// (`library: ideal`), and messages meet, unless `network` says analytical. Jobs stall alone if
/// they do.
/// Errc: as `orrery run`; config_conflict (ASTRA-sim's rules, memory beside devices, of which one
/// cluster says one bandwidth for all); usage (more devices than there are, ranks given twice).
[[nodiscard]] Result<ConcurrentJobsResult> simulate_concurrent_jobs(
    const ConcurrentJobsQuestion& question, Watch& watch, Findings& findings);

}  // namespace orrery::study
