// SPDX-License-Identifier: Apache-2.0
//
// Options of `orrery embeddings`, also for the modes that add-ons contribute.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "question_options.h"

namespace orrery::app {

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
                    "histogram FILES, synthesize, or time and perhaps a FILE"},
      QuestionField{"offsets", &EmbeddingsOptions::offsets, "--offsets", "FILE", kAnswer,
                    "offsets.npy", "Where bags begin among the indices"}
          .only_for("'histogram', 'time'"),
      QuestionField{"lengths", &EmbeddingsOptions::lengths, "--lengths", "FILE", kAnswer,
                    "lengths.npy", "How many indices each bag has"}
          .only_for("'histogram', 'time'"),
      QuestionGroup{"Sizes"},
      QuestionField{"tables", &EmbeddingsOptions::tables, "--tables", "N", kAnswer, "2",
                    "Tables; of a file: bags are the first one's, the second's …"}
          .only_for("'histogram', 'time'"),
      QuestionField{"batch", &EmbeddingsOptions::batch, "--batch", "N", kAnswer, "64",
                    "Bags of a table"}
          .only_for("'synthesize', 'time'"),
      QuestionField{"pooling", &EmbeddingsOptions::pooling, "--pooling", "N", kAnswer, "3",
                    "Lookups of a bag"}
          .only_for("'histogram', 'synthesize', 'time'"),
      QuestionField{"rows", &EmbeddingsOptions::rows, "--rows", "N", kAnswer, "5000",
                    "Rows of a table"}
          .only_for("'synthesize', 'time'"),
      QuestionField{"features", &EmbeddingsOptions::features, "--features,--dim", "N", kAnswer,
                    "32", "Numbers of a row"}
          .only_for("'time'"),
      QuestionField{"dtype", &EmbeddingsOptions::dtype, "--dtype", "FORMAT", kAnswer, "fp16",
                    "Format of the weights; fp32"}
          .only_for("'time'"),
      QuestionGroup{"Reuse"},
      QuestionField{"histogram", &EmbeddingsOptions::histogram, "--histogram", "WHAT", kAnswer,
                    "shares.txt",
                    "Shares of rows by how often they are read: 17 numbers, or their file"}
          .only_for("'synthesize', 'time'"),
      QuestionField{"like", &EmbeddingsOptions::like, "--like", "FILE", kAnswer, "indices.npy",
                    "Indices with such a histogram"}
          .only_for("'synthesize', 'time'"),
      QuestionGroup{"Output"},
      QuestionField{"devices", &EmbeddingsOptions::devices, "--device", "NAMES", kAnswer,
                    "a100-40gb", "Devices of the catalogue, commas between; h100-sxm"}
          .only_for("'time'")
          .comma_separated()
          .one_each(),
      QuestionField{"seed", &EmbeddingsOptions::seed, "--seed", "N", kAnswer, "2",
                    "Which of all streams, and all else that is by chance; 1"}
          .only_for("'synthesize'"),
      QuestionField{"nets", &EmbeddingsOptions::nets, "--lookup-model", "FILE", kAnswer, "my.nets",
                    "time: nets that 'embeddings fit' wrote"}
          .only_for("'time'")};
};

}  // namespace orrery::app
