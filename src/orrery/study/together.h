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
#include "orrery/study/met_links.h"
#include "orrery/study/outcome.h"
#include "orrery/study/question_rows.h"
#include "orrery/study/together_file.h"

namespace orrery::study {

struct TogetherQuestion {
  std::string file, cluster;
  std::string network;  ///< empty: the cluster's; flow, where that is analytical
  bool links = false;   ///< each rank of a job alone is simulated, too
  Work work;
  bool record = false;

  static constexpr auto fields = std::tuple{
      QuestionField{"file", &TogetherQuestion::file, "JOBS", "", kAnswer, "jobs.yaml",
                    "The file of jobs (docs/reference/jobs.md)"}
          .required(),
      QuestionField{"cluster", &TogetherQuestion::cluster, "--cluster", "FILE", kAnswer,
                    "a100-40gb:8",
                    "The machine, instead of the file's: a file, or a name of the catalogue"},
      network_field(&TogetherQuestion::network),
      QuestionField{"links", &TogetherQuestion::links, "--links", "", kAnswer, "true",
                    "Say which links jobs meet on, and what each puts there"},
      QuestionPart{"work", &TogetherQuestion::work},
      QuestionField{"record", &TogetherQuestion::record, "", "", kNothing, "true",
                    "Keep when every node of all jobs ran"}};
};

/// A job's ranks, in one run.
struct JobTime {
  Time end{};      ///< of its last rank, from its start on
  Time exposed{};  ///< communication that nothing hides, of a rank in the mean
  bool stalled = false;
};

struct JobTold {
  std::string name, about;           ///< what it is of: a file, a model
  std::vector<std::uint32_t> ranks;  ///< of the machine
  Time start{};
  std::int64_t steps = 1;
  JobTime alone, beside;  ///< `alone`: on the same ranks, all others spare

  /// So many times as long beside the others, as of its end.
  [[nodiscard]] double slowed() const {
    return alone.end > Time{}
               ? static_cast<double>(beside.end.count()) / static_cast<double>(alone.end.count())
               : 1;
  }
};

struct TogetherAnswer {
  Outcome all;  ///< of the run with all jobs
  std::vector<JobTold> jobs;
  std::uint32_t spare = 0;     ///< ranks without a job
  std::vector<MetLink> links;  ///< TogetherQuestion::links
  bool links_known = false;    ///< … and the network has any
};

/// Simulates all jobs at once, and each alone. Collectives go over the network by their messages
/// (`library: ideal`), and messages meet, unless `network` says analytical. Jobs stall alone if
/// they do.
/// Errc: as `orrery run`; config_conflict (ASTRA-sim's rules, memory beside devices, of which one
/// cluster says one bandwidth for all); usage (more devices than there are, ranks given twice).
[[nodiscard]] Result<TogetherAnswer> together(const TogetherQuestion& question, Watch& watch,
                                              Findings& findings);

}  // namespace orrery::study
