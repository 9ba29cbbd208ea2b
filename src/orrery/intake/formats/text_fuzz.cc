// SPDX-License-Identifier: Apache-2.0
//
// Workloads as text, and printed lists, from arbitrary bytes: an answer, never a crash.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "orrery/core/text/text.h"
#include "orrery/intake/convert/python_lists.h"
#include "orrery/intake/formats/astra_text.h"
#include "orrery/intake/formats/chakra_json.h"

using namespace orrery;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Findings findings;
  intake::AstraTextOptions options;
  options.passes = 2;
  if (const auto workload = intake::parse_astra_text(text, "fuzz", options, findings)) {
    (void)intake::astra_nodes(*workload, options,
                              [](const intake::AstraNode&) -> Result<void> { return {}; });
  }
  std::string out;
  intake::append_python(out, text);
  append_json_text(out, text);
  append_dot_text(out, text);
  append_xml_text(out, text);
  const std::size_t half = size / 2;
  (void)intake::bytes_of_values(text, text);
  (void)intake::bytes_of_dims(text.substr(0, half), text.substr(half));
  (void)intake::number_list(text);
  return 0;
}
