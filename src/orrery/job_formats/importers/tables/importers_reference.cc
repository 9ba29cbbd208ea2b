// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>

#include "orrery/job_formats/importers/tables/tables.h"

namespace orrery::workload {

namespace {

std::string use_text(const KeyRow& row) {
  switch (row.use) {
    case KeyUse::sets:
    case KeyUse::read:
      return std::string(row.what);
    case KeyUse::no_effect:
      return "no effect on a step";
    case KeyUse::not_modeled:
      return row.what.empty() ? "finding `key_without_effect` if it is on"
                              : fmt::format("finding `key_without_effect` unless `{}`", row.what);
    case KeyUse::refused:
      break;
  }
  return fmt::format("refused: {}", row.what);
}

std::string words_text(const KeyRow& row) {
  std::string text;
  for (const KeyWord& word : row.words)
    if (!word.ours.empty())
      text += fmt::format("{}{} → {}", text.empty() ? "" : ", ", word.theirs, word.ours);
  return text;
}

}  // namespace

std::string importers_reference() {
  std::string text =
      "# Files of other tools\n\n"
      "<!-- Generated from src/orrery/job_formats/importers. To renew it, run the job_formats "
      "tests "
      "with ORRERY_UPDATE_DOCS=1. -->\n\n"
      "`--spec` reads these files unchanged, recognizes them by their content, and accepts "
      "several, "
      "each of which adds its part. `orrery doctor FILE` says which one a file is. A key that an "
      "importer does not know is a finding (`key_ignored`), one that it knows and Orrery does not "
      "model is another (`key_without_effect`). A file that is a workload by itself (AICB's "
      "layers, "
      "[compiled programs](../compiled-programs.md)) is read alone.\n\n"
      "| tool | files | content used | refused |\n|---|---|---|---|\n";
  for (const Importer* each : kImporters)
    text +=
        fmt::format("| {} | {} | {} | {} |\n", each->tool, each->files, each->reads, each->refuses);
  for (const ImporterTable* table : kImporterTables) {
    text += fmt::format("\n## Keys of {}\n\n| key | becomes | values |\n|---|---|---|\n",
                        table->importer->tool);
    for (const KeyRow& row : table->keys.rows)
      text += fmt::format("| `{}` | {} | {} |\n", row.key, use_text(row), words_text(row));
    if (table->keys.ignored.empty()) continue;
    text += "\nNo effect on a step: keys that begin with";
    for (const std::string_view begin : table->keys.ignored)
      text += fmt::format("{} `{}`", begin == table->keys.ignored.front() ? "" : ",", begin);
    text += ".\n";
  }
  return text;
}

}  // namespace orrery::workload
