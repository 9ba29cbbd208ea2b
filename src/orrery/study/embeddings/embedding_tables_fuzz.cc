// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string_view>

#include "orrery/core/check.h"
#include "orrery/study/embeddings/embedding_tables.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto tables = orrery::study::read_embedding_tables(text, "tables.csv");
  if (!tables) return 0;
  for (const auto& table : *tables) ORRERY_CHECK(table.bytes() > 0 && table.pooling > 0);
  return 0;
}
