// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
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
      return fmt::format("refused: {}", row.what);
    case KeyUse::other_name:
      break;
  }
  return fmt::format("as `{}`", row.what);
}

std::string words_text(const KeyRow& row) {
  std::string text;
  for (const KeyWord& word : row.words)
    if (!word.ours.empty() || word.theirs == kOtherWords)
      text += fmt::format("{}{} → {}", text.empty() ? "" : ", ", word.theirs,
                          word.theirs == kOtherWords ? "a finding" : word.ours);
  return text;
}

/// The tool, with the file if it has several: "Calculon, its model".
std::string heading_of(const Importer& importer) {
  const auto others =
      std::count_if(kImporters.begin(), kImporters.end(),
                    [&](const Importer* each) { return each->tool == importer.tool; });
  return others == 1 ? std::string(importer.tool)
                     : fmt::format("{}, {}", importer.tool, importer.files);
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
      "model is another (`key_without_effect`). A word that a key's values below do not have is "
      "an error, unless `others` is one of them. A file that is a workload by itself (AICB's "
      "layers, "
      "[compiled programs](../compiled-programs.md)) is read alone.\n\n"
      "| tool | files | content used | refused |\n|---|---|---|---|\n";
  for (const Importer* each : kImporters)
    text +=
        fmt::format("| {} | {} | {} | {} |\n", each->tool, each->files, each->reads, each->refuses);
  for (const ImporterTable* table : kImporterTables) {
    text += fmt::format("\n## Keys of {}\n\n| key | becomes | values |\n|---|---|---|\n",
                        heading_of(*table->importer));
    for (const KeyRow& row : table->keys.rows)
      text += fmt::format("| `{}` | {} | {} |\n", row.key, use_text(row), words_text(row));
    if (!table->keys.ignored.empty()) {
      text += "\nNo effect on a step: keys that begin with";
      for (const std::string_view begin : table->keys.ignored)
        text += fmt::format("{} `{}`", begin == table->keys.ignored.front() ? "" : ",", begin);
      text += ".\n";
    }
    if (table->others != nullptr)
      text += fmt::format("\nOther keys: as those of {}.\n", table->others->importer->tool);
  }
  return text;
}

}  // namespace orrery::workload
