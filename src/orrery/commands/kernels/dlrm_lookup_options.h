// SPDX-License-Identifier: Apache-2.0
//
// Options of `orrery dlrm lookup`, also for the modes that add-ons contribute.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/commands/command_options.h"

namespace orrery::commands {

struct EmbeddingsOptions {
  std::vector<std::string> words;
  std::string offsets, lengths;
  std::int64_t tables = 0, batch = 0, pooling = 0, rows = 0, features = 0;
  std::string dtype = "fp32", histogram, like;
  std::vector<std::string> devices;
  std::int64_t seed = 1;
  std::string nets;

  static constexpr std::string_view group = "Indices";
  static constexpr auto fields = std::tuple{
      QuestionField{"words", &EmbeddingsOptions::words, "WORDS", "", kAnswer, "time",
                    "histogram FILES, synthesize, or time [FILE]"},
      QuestionField{"offsets", &EmbeddingsOptions::offsets, "--offsets", "FILE", kAnswer,
                    "offsets.npy", "File with the first index of each bag"}
          .only_for("'histogram', 'time'"),
      QuestionField{"lengths", &EmbeddingsOptions::lengths, "--lengths", "FILE", kAnswer,
                    "lengths.npy", "File with the number of indices of each bag"}
          .only_for("'histogram', 'time'"),
      QuestionGroup{"Sizes"},
      QuestionField{"tables", &EmbeddingsOptions::tables, "--tables", "N", kAnswer, "2",
                    "Number of tables; a file has the bags of the first, then of the second …"}
          .only_for("'histogram', 'time'"),
      QuestionField{"batch", &EmbeddingsOptions::batch, "--bags", "N", kAnswer, "64",
                    "Bags per table"}
          .only_for("'synthesize', 'time'"),
      QuestionField{"pooling", &EmbeddingsOptions::pooling, "--pooling", "N", kAnswer, "3",
                    "Lookups per bag"}
          .only_for("'histogram', 'synthesize', 'time'"),
      QuestionField{"rows", &EmbeddingsOptions::rows, "--rows", "N", kAnswer, "5000",
                    "Rows per table"}
          .only_for("'synthesize', 'time'"),
      QuestionField{"features", &EmbeddingsOptions::features, "--features,--dim", "N", kAnswer,
                    "32", "Numbers per row (embedding dimension)"}
          .only_for("'time'"),
      QuestionField{"dtype", &EmbeddingsOptions::dtype, "--dtype", "FORMAT", kAnswer, "fp16",
                    "Format of the weights; by default fp32"}
          .only_for("'time'"),
      QuestionGroup{"Reuse"},
      QuestionField{"histogram", &EmbeddingsOptions::histogram, "--histogram", "WHAT", kAnswer,
                    "shares.txt",
                    "Shares of rows by number of reads: 17 numbers, or a file of them"}
          .only_for("'synthesize', 'time'"),
      QuestionField{"like", &EmbeddingsOptions::like, "--like", "FILE", kAnswer, "indices.npy",
                    "File of indices whose histogram to use"}
          .only_for("'synthesize', 'time'"),
      QuestionGroup{"Output"},
      QuestionField{"devices", &EmbeddingsOptions::devices, "--device", "NAMES", kAnswer,
                    "a100-40gb", "Devices of the catalog, separated by commas; by default h100-sxm"}
          .only_for("'time'")
          .comma_separated()
          .one_each(),
      QuestionField{"seed", &EmbeddingsOptions::seed, "--seed", "N", kAnswer, "2",
                    "Random seed; by default 1"}
          .only_for("'synthesize'"),
      QuestionField{"nets", &EmbeddingsOptions::nets, "--lookup-model", "FILE", kAnswer, "my.nets",
                    "time: neural networks that 'dlrm lookup fit' wrote"}
          .only_for("'time'")};
};

}  // namespace orrery::commands
