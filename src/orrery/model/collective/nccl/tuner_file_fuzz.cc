// SPDX-License-Identifier: Apache-2.0
//
// Arbitrary bytes as a tuner file and as settings: the readers accept or reject them.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "orrery/model/collective/nccl/channels.h"
#include "orrery/model/collective/nccl/settings.h"
#include "orrery/model/collective/nccl/tuner_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace orrery::model::nccl;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string word(text.substr(0, 4096));
  (void)orrery::model::read_allowed({.algorithms = word, .protocols = word}, "settings");
  const auto lines = parse_tuner(text, "tuner.csv");
  if (!lines) return 0;
  const Shape shape{16, 2};
  const Machine machine = machine_of({.intra = 450, .inter = 50}, shape);
  for (const std::int64_t bytes : {1, 65536, 1 << 30})
    (void)tuner_choice(*lines, orrery::graph::CollectiveType::all_reduce, bytes, shape, machine);
  return 0;
}
