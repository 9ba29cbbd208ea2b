// SPDX-License-Identifier: Apache-2.0
//
// Finds what delays other ranks in a recording (a rank, a kernel class, a link, or chance), and the
// time saved without it.
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
  /// Recorded traces, or Chakra traces with times. With a cluster, the simulated run is evaluated
  /// as if it were recorded.
  Question base;
  std::int64_t steps = 0;  ///< 0: the repetitions found, at least 1
  double least = 0.01;
  std::int64_t most = 6;

  static constexpr auto fields = std::tuple{
      QuestionField{"steps", &StragglersQuestion::steps, "--steps", "N", kAnswer, "2",
                    "Number of steps in the traces; by default the repetitions found"},
      QuestionField{"least", &StragglersQuestion::least, "--min-share", "SHARE", kAnswer, "0.5",
                    "Smallest share of the time that a reported straggler costs"}
          .shows_default(),
      QuestionField{"most", &StragglersQuestion::most, "--top", "N", kAnswer, "1",
                    "Number of worst ranks, kernel classes and links to try"}
          .shows_default(),
      QuestionStruct{"base", &StragglersQuestion::base,
                     SelectedRow{"cluster", "Simulate on this cluster first"},
                     SelectedRow{"network_bandwidth", "Bandwidth of the links of a dimension"},
                     SelectedRow{"groups", "Process groups of Chakra traces"},
                     SelectedRow{"recorded"}, SelectedRow{"job"}}};
};

enum class Blame : std::uint8_t {
  none,          ///< no cause saves enough
  rank,          ///< one rank's own work of any kind
  kernels,       ///< one kernel class, on one rank or on changing ranks
  link,          ///< communications of one group, or messages of one connection
  once,          ///< one rank, but no more often than by chance
  changing_rank  ///< different ranks are the slowest in turn
};
[[nodiscard]] std::string_view name(Blame blame);

/// How often one of several equivalent ranks or links is the slowest.
struct SlowestTest {
  std::uint64_t slowest = 0, of = 0;  ///< number of steps, or of communications of a link
  std::uint32_t among = 0;            ///< number of equivalent ranks or links
  /// Probability that any of them is the slowest at least that often if all are equally likely each
  /// time: the tail of a binomial distribution times `among` (Bonferroni), at most 1.
  double p = 1;
};

/// A suspect, and a simulation in which only it is corrected.
struct Suspect {
  Blame kind = Blame::rank;
  std::string name;                     ///< "rank 5", "attention", "dp (ranks 0,8)"
  std::optional<std::uint32_t> rank{};  ///< if it is a rank
  Time excess{};                        ///< its time above the level of its peers, summed
  Time without{};                       ///< step time with it at the level of its peers
  double share = 0;                     ///< share of the saving of `all_at_peer_level`
  std::optional<SlowestTest> test{};
};

struct StragglerReport {
  std::string workload;
  std::uint32_t ranks = 0;
  std::int64_t steps = 1;
  /// By rank: how much later than the first rank it starts, for a cause before the recording.
  std::vector<Time> late_starts;
  std::optional<Time> recorded;  ///< from the first event to the end of the last
  Time replayed{};               ///< replay without modification
  Time work_at_peer_level{};     ///< … with the work of every rank at the level of its peers
  Time links_at_peer_level{};    ///< … with every communication at the level of its peers
  Time all_at_peer_level{};      ///< … with both
  Blame blame = Blame::none;
  std::string named;              ///< description of the cause; empty: none
  std::vector<Suspect> suspects;  ///< by time saved, descending
  Findings findings;
};

/// `steps`: number of consecutive steps in the workload. `least`: smallest reported share of the
/// time. `most`: suspects of each kind. `threads`: 0 = all cores. Errc: input_mismatch if ranks
/// deadlock, those of simulating. It runs four replays and one per suspect.
[[nodiscard]] Result<StragglerReport> search_stragglers(const graph::Workload& workload,
                                                        std::int64_t steps, double least,
                                                        std::int64_t most, std::uint32_t threads);

/// Reads a question and searches its stragglers. Errc: those of reading and of search_stragglers;
/// usage for invalid numbers, input_unsupported for a single rank and for inputs without times.
[[nodiscard]] Result<StragglerReport> stragglers(const StragglersQuestion& question, Watch& watch);

}  // namespace orrery::study
