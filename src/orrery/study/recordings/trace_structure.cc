// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/recordings/trace_structure.h"

#include <fmt/format.h>

#include <optional>
#include <tuple>

#include "orrery/config/parameters.h"

namespace orrery::study {
namespace {

constexpr std::int64_t kMaxInTraces = 100'000;  // the limit of structural changes too

/// The file's keys.
struct StructureFile {
  std::optional<std::int64_t> layers, microbatches;

  static constexpr auto fields = std::tuple{
      config::field("layers", &StructureFile::layers, "of the model, total of all stages",
                    config::between(1, kMaxInTraces)),
      config::field("microbatches", &StructureFile::microbatches, "per step",
                    config::between(1, kMaxInTraces))};
};

std::string line_of(std::string_view key, std::optional<std::uint32_t> found,
                    std::string_view about) {
  return found.value_or(0) > 0 ? fmt::format("{}: {}  # {}\n", key, *found, about)
                               : fmt::format("# {}: none found; {}\n", key, about);
}

}  // namespace

Result<TraceStructure> parse_trace_structure(std::string_view text, const std::string& where) {
  const Result<config::Json> tree = config::parse_yaml(text, where);
  if (!tree) return tl::unexpected(tree.error());
  config::Reading reading{where};
  StructureFile file;
  if (!tree->is_null()) config::read_value(*tree, "", {}, file, reading);
  if (reading.error) return tl::unexpected(*reading.error);
  TraceStructure made;
  if (file.layers) made.layers = static_cast<std::uint32_t>(*file.layers);
  if (file.microbatches) made.microbatches = static_cast<std::uint32_t>(*file.microbatches);
  return made;
}

Result<TraceStructure> read_trace_structure(const std::string& path) {
  const Result<std::string> text = config::read_text(path);
  if (!text) return tl::unexpected(text.error());
  return parse_trace_structure(*text, path);
}

std::string to_yaml(const graph::Shape& found) {
  return "# Detected structure of the traces. Correct it and pass it with --structure-file FILE.\n" +
         line_of("layers", found.layers, "of the model, total of all stages") +
         line_of("microbatches", found.microbatches, "per step");
}

}  // namespace orrery::study
