// SPDX-License-Identifier: Apache-2.0
//
// Any bytes through both readers: an answer, no crash; what reads without repair reads the same
// with it; what comes apart into records goes together again byte for byte.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "orrery/core/check.h"
#include "orrery/trace/chakra/reader.h"
#include "orrery/trace/chakra/records/record.h"

namespace {

using namespace orrery;

std::unique_ptr<trace::ByteSource> source(std::span<const std::byte> bytes) {
  return std::make_unique<trace::MemorySource>(bytes);
}

Result<graph::Graph> read(std::span<const std::byte> bytes, graph::Repair repair) {
  Findings findings;
  trace::chakra::GroupMap groups;
  return trace::chakra::read_rank(
      source(bytes), {"fuzz.et", std::make_shared<StringPool>(), repair, &groups}, findings);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  const auto strict = read(bytes, graph::Repair::refuse);
  const auto repaired = read(bytes, graph::Repair::repair);
  if (strict) {
    ORRERY_CHECK(repaired.has_value() && repaired->content_hash() == strict->content_hash());
  } else {
    ORRERY_CHECK(!strict.error().where.empty() && !strict.error().what.empty());
  }

  std::string again;
  const auto keep = [&again](auto&& record) -> Result<void> {
    append_framed(again, record);
    return {};
  };
  const bool gzip = size >= 2 && data[0] == 0x1F && data[1] == 0x8B;
  if (trace::chakra::for_each_record(source(bytes), "fuzz.et", keep, keep) && !gzip) {
    ORRERY_CHECK(again == std::string_view(reinterpret_cast<const char*>(data), size));
  }
  return 0;
}
