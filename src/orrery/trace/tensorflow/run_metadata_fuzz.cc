// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as RunMetadata: an answer, no crash; every record accounted for; the same answer when
// the bytes come in small pieces.
#include <cstddef>
#include <cstdint>
#include <memory>

#include "orrery/core/check.h"
#include "orrery/trace/io/json_document_testing.h"
#include "orrery/trace/io/profile_check_testing.h"
#include "orrery/trace/tensorflow/reader.h"

namespace {

using namespace orrery;

Result<profile::Profile> read(std::string_view bytes, std::size_t piece) {
  Findings findings;
  return trace::tensorflow::read(std::make_unique<trace::json::testing::PieceSource>(bytes, piece),
                                 {"fuzz.pb", std::make_shared<StringPool>()}, findings);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto whole = read(bytes, size + 1);
  const auto pieces = read(bytes, 61);
  ORRERY_CHECK(whole.has_value() == pieces.has_value());
  if (!trace::testing::check_profile(whole)) return 0;
  ORRERY_CHECK(whole->events.size() == pieces->events.size());
  for (std::size_t e = 0; e < whole->events.size(); ++e)
    ORRERY_CHECK(whole->events[e].start >= Time{});
  return 0;
}
