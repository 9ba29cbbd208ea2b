// SPDX-License-Identifier: Apache-2.0
//
// What made others wait in a recording: a rank, a class of kernels, a link, or the luck of the
// draw; and what the step would win without it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/workload.h"
#include "orrery/study/question.h"
#include "orrery/study/questions/question_rows.h"
#include "orrery/study/study.h"

namespace orrery::study {

struct StragglersQuestion {
  /// Recorded traces, or Chakra traces with times. With a cluster the run that is simulated there
  /// is looked at as if it had been recorded.
  Question base;
  std::int64_t steps = 0;  ///< 0: as recordings say, else 1
  double least = 0.01;
  std::int64_t most = 6;

  static constexpr auto fields =
      std::tuple{QuestionField{"steps", &StragglersQuestion::steps, "--steps", "N", kAnswer, "2",
                               "How many steps the traces hold; by default as many as repeat"},
                 QuestionField{"least", &StragglersQuestion::least, "--least", "SHARE", kAnswer,
                               "0.5", "Do not name what wins a smaller share of the whole"}
                     .shows_default(),
                 QuestionField{"most", &StragglersQuestion::most, "--most", "N", kAnswer, "1",
                               "Try so many of the worst ranks, classes of kernels, and links"}
                     .shows_default(),
                 QuestionStruct{"base", &StragglersQuestion::base,
                                SelectedRow{"cluster", "Simulate on this cluster first"},
                                SelectedRow{"groups", "Process groups of Chakra traces"},
                                SelectedRow{"recorded"}, SelectedRow{"job"}}};
};

enum class Blame : std::uint8_t {
  none,          ///< nothing wins enough
  rank,          ///< one rank's own work, of whatever kind
  kernels,       ///< one class of kernels, on one rank or on changing ones
  link,          ///< one group's communications, or one connection's messages
  once,          ///< one rank, but not in most of its steps
  changing_rank  ///< ranks differ, and now one is the slowest and now another
};
[[nodiscard]] std::string_view name(Blame blame);

/// How often one of several that should be alike was the slowest.
struct SlowestTest {
  std::uint64_t slowest = 0, of = 0;  ///< steps, or a link's communications
  std::uint32_t among = 0;            ///< so many that should be alike
  /// How probably any of them would be that often or more, were each as likely each time: the tail
  /// of a binomial distribution, times how many there are (Bonferroni), at most 1.
  double p = 1;
};

/// One thing that was put right, alone, and simulated.
struct Suspect {
  Blame kind = Blame::rank;
  std::string name;                     ///< "rank 5", "attention", "dp (ranks 0,8)"
  std::optional<std::uint32_t> rank{};  ///< of ranks
  Time excess{};                        ///< its time above its peers' level, summed
  Time without{};                       ///< the whole, with it at its peers' level
  double share = 0;                     ///< of what putting everything right wins
  std::optional<SlowestTest> test{};
};

struct StragglerReport {
  std::string workload;
  std::uint32_t ranks = 0;
  std::int64_t steps = 1;
  std::optional<Time> recorded;  ///< from the first event to the end of the last
  Time played{};                 ///< played again as it is
  Time levelled_work{};          ///< … with every rank's work at its peers' level
  Time levelled_links{};         ///< … with every communication at its peers' level
  Time levelled_all{};           ///< … both
  Blame blame = Blame::none;
  std::string named;              ///< what, in words; empty for none
  std::vector<Suspect> suspects;  ///< most won first
  Findings findings;
};

/// `steps`: how many the workload holds, one after another. Errc: input_mismatch where its ranks
/// wait for each other for ever, those of simulating. So many replays as there are suspects.
[[nodiscard]] Result<StragglerReport> search_stragglers(const graph::Workload& workload,
                                                        std::int64_t steps, double least,
                                                        std::int64_t most, std::uint32_t threads);

/// Errc: those of reading and of search_stragglers; usage for numbers that cannot be,
/// input_unsupported for one rank alone and where nothing has a time.
[[nodiscard]] Result<StragglerReport> stragglers(const StragglersQuestion& question, Watch& watch);

}  // namespace orrery::study
