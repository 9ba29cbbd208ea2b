// SPDX-License-Identifier: Apache-2.0
//
// Exported JSON, communication records and MPI calls from arbitrary bytes: an answer, never a
// crash; a trace that is whole, or none.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "orrery/core/check.h"
#include "orrery/intake/formats/comms_text.h"
#include "orrery/intake/formats/export.h"
#include "orrery/trace/chakra/records/record.h"

namespace {

namespace fs = std::filesystem;

fs::path folder() {
  return fs::temp_directory_path() / ("orrery_import_fuzz_" + std::to_string(::getpid()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const bool made = [] {
    fs::create_directories(folder());
    return std::atexit([] { fs::remove_all(folder()); }) == 0;
  }();
  ORRERY_CHECK(made);
  const std::string input = folder() / "rank0.json", output = folder() / "w.0.et";
  std::ofstream(input, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  orrery::Findings findings;
  const auto imported = orrery::intake::import_json(input, output, true, findings);
  ORRERY_CHECK(imported.has_value() == fs::exists(output));
  if (imported) {
    const auto again = orrery::trace::chakra::read_records(output);
    ORRERY_CHECK(again.has_value() && again->nodes.size() == imported->nodes);
  }
  fs::remove(output);
  const auto converted =
      orrery::intake::convert_comms_text({input}, (folder() / "c").string(), true, findings);
  if (!converted) ORRERY_CHECK(!converted.error().where.empty() && !converted.error().what.empty());
  for (const auto& entry : fs::directory_iterator(folder())) {
    ORRERY_CHECK(entry.path().extension() != ".tmp");
    if (entry.path() != input) fs::remove(entry.path());
  }
  return 0;
}
