// SPDX-License-Identifier: Apache-2.0
//
// What is learned from a corpus of jobs: symbols, settings, and trees; and its file.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/generative/learning/choice_trees.h"
#include "orrery/generative/learning/conditions.h"
#include "orrery/generative/learning/symbols.h"

namespace orrery::generative {

/// The range of a number of settings in the corpus.
struct SettingRange {
  double least = 0, most = 0;
};

struct LearnedTraces {
  Symbols symbols;
  std::map<std::string, std::uint32_t> conditions;  ///< numbers of all words of the corpus
  std::map<std::string, SettingRange> ranges;       ///< by path
  ChoiceTrees trees;
  std::uint64_t jobs = 0;      ///< learned from
  std::uint64_t passes = 0;    ///< sequences
  std::uint64_t distinct = 0;  ///< different sequences of ops
  Explained explained;
  double training_loss = 0;    ///< nats per token
  double validation_loss = 0;  ///< of every tenth job, when the trees know the others only
  std::string corpus_hash;     ///< SHA-256 of the jobs' settings
};

inline constexpr std::size_t kMaxLearnedBytes = 16 << 20;  ///< of a file

/// The bytes of a file: a line with format and version, the SHA-256 of the rest, and the rest.
[[nodiscard]] std::string to_bytes(const LearnedTraces& learned);
/// The file whose rest is `rest`, with a correct hash.
[[nodiscard]] std::string with_checksum(std::string_view rest);
/// Parses the result of to_bytes(). `where`: the file's name. Errc: input_unsupported (another
/// format or version), input_truncated, input_corrupt.
[[nodiscard]] Result<LearnedTraces> parse_learned(std::string_view bytes, const std::string& where);

/// The numbers of the words that the corpus has, ascending. Others are left out.
[[nodiscard]] std::vector<std::uint32_t> condition_numbers(
    const std::map<std::string, std::uint32_t>& numbers, const std::vector<std::string>& settings,
    const std::vector<std::string>& pass);

/// Jobs to learn from.
struct Corpus {
  std::size_t jobs = 0;
  /// Job `i`. Called several times for each. Errors end the learning.
  std::function<Result<workload::Program>(std::size_t i)> job;
};
/// Receives the phases of the learning: "reading jobs", a share of 1.
using LearnProgress = std::function<void(std::string_view phase, double share)>;

/// Learns from all jobs. The result depends on the corpus only. Errc: input_unsupported (see
/// check_learnable), input_empty, errors of `corpus.job`.
[[nodiscard]] Result<LearnedTraces> learn_traces(const Corpus& corpus, std::uint32_t threads,
                                                 const LearnProgress& progress);

}  // namespace orrery::generative
