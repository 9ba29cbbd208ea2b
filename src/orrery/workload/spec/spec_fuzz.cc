// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "orrery/core/check.h"
#include "orrery/workload/spec/spec.h"

using namespace orrery;
using namespace orrery::workload;

namespace {

/// An error always has a place and a message.
template <class T>
void check(const Result<T>& result) {
  if (result) return;
  ORRERY_CHECK(!result.error().where.empty());
  ORRERY_CHECK(!result.error().what.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<Spec> spec = parse_spec(text, "spec.yaml");
  check(spec);
  if (!spec) return 0;
  const Result<void> fine = check_spec(*spec);
  check(fine);
  if (!fine) return 0;
  ORRERY_CHECK(count_parameters(spec->model).total >= 0);
  // A legal specification can be written, and parsing the text returns the same one.
  const std::string yaml = to_yaml(*spec);
  for (const std::string& written : {yaml, to_json(*spec)}) {
    const Result<Spec> again = parse_spec(written, "again.yaml");
    ORRERY_CHECK(again.has_value());
    ORRERY_CHECK(to_yaml(*again) == yaml);
    ORRERY_CHECK(check_spec(*again).has_value());
  }
  return 0;
}
