// SPDX-License-Identifier: Apache-2.0
//
// Concurrent jobs on one machine: the time of each job next to the others, and alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/core/quantity.h"
#include "orrery/study/jobs/concurrency/concurrent_jobs_file.h"
#include "orrery/study/jobs/concurrency/shared_links.h"
#include "orrery/study/questions/outcome/outcome.h"
#include "orrery/study/questions/question_rows.h"

namespace orrery::study {

struct ConcurrentJobsQuestion {
  std::string file, cluster;
  std::string network;  ///< empty: the cluster's, but flow instead of analytical
  std::vector<std::string> network_bandwidth;  ///< of dimensions, instead of the cluster's
  bool links = false;                          ///< also record which links each job uses alone
  ExecutionOptions work;
  bool record = false;

  static constexpr auto fields = std::tuple{
      QuestionField{"file", &ConcurrentJobsQuestion::file, "JOBS", "", kAnswer, "jobs.yaml",
                    "The file of jobs (docs/reference/jobs.md)"}
          .required(),
      QuestionField{"cluster", &ConcurrentJobsQuestion::cluster, "--cluster", "FILE", kAnswer,
                    "a100-40gb:8",
                    "Cluster instead of the file's: a file, or a name of the catalog"},
      network_field(&ConcurrentJobsQuestion::network),
      network_bandwidth_field(&ConcurrentJobsQuestion::network_bandwidth),
      QuestionField{"links", &ConcurrentJobsQuestion::links, "--links", "", kAnswer, "true",
                    "Print the links that jobs share, and the traffic of each job on them"},
      QuestionStruct{"work", &ConcurrentJobsQuestion::work},
      QuestionField{"record", &ConcurrentJobsQuestion::record, "", "", kNothing, "true",
                    "Record the times of all nodes of all jobs"}};
};

/// Times of the ranks of a job in one run.
struct JobTime {
  Time end{};      ///< end of its last rank, since the start of the job
  Time exposed{};  ///< exposed communication, mean over ranks
  bool stalled = false;
};

struct ConcurrentJob {
  std::string name, about;           ///< `about`: source, a file or a model
  std::vector<std::uint32_t> ranks;  ///< ranks of the machine
  Time start{};
  std::int64_t steps = 1;
  JobTime alone, concurrent;  ///< `alone`: on the same ranks, other ranks idle

  /// Slowdown factor: end with the other jobs / end alone.
  [[nodiscard]] double slowed() const {
    return alone.end > Time{} ? static_cast<double>(concurrent.end.count()) /
                                    static_cast<double>(alone.end.count())
                              : 1;
  }
};

struct ConcurrentJobsResult {
  Outcome all;  ///< run with all jobs
  std::vector<ConcurrentJob> jobs;
  std::uint32_t spare = 0;        ///< ranks without a job
  std::vector<SharedLink> links;  ///< if ConcurrentJobsQuestion::links
  bool links_known = false;       ///< links are requested, and the network model has links
};

/// Simulates all jobs concurrently, and then each job alone. The simulator simulates the messages
/// of collectives (`library: ideal`), and messages contend, unless `network` is analytical. A job
/// that deadlocks is reported by JobTime::stalled. Errc: as `orrery run`; config_conflict
/// (ASTRA-sim's rules, or memory expansion, which has one bandwidth per cluster but would differ
/// between jobs); usage (too many devices, ranks given twice).
[[nodiscard]] Result<ConcurrentJobsResult> simulate_concurrent_jobs(
    const ConcurrentJobsQuestion& question, Watch& watch, Findings& findings);

}  // namespace orrery::study
