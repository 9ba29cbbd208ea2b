// SPDX-License-Identifier: Apache-2.0
#include "search_space.h"

#include <cstdlib>
#include <map>
#include <utility>

#include "orrery/core/text.h"
#include "orrery/core/units.h"
#include "orrery/present/explore_text.h"
#include "progress.h"

namespace orrery::app {

namespace {

struct Part {
  std::uint32_t part = 0, parts = 0;
};

Error wrong_part(std::string_view text, std::string what) {
  return {Errc::usage, "--part", in_quotes(text) + " " + std::move(what),
          "3/16: the third of sixteen; env: as mpirun, srun or a job array say"};
}

/// Numbers that launchers leave to processes: the place from 0 (arrays of Slurm: from
/// SLURM_ARRAY_TASK_MIN), and how many there are.
Result<Part> part_by_environment() {
  struct Names {
    const char *place, *least, *count;
  };
  constexpr Names kLaunchers[] = {
      {"OMPI_COMM_WORLD_RANK", nullptr, "OMPI_COMM_WORLD_SIZE"},  // Open MPI
      {"PMI_RANK", nullptr, "PMI_SIZE"},                          // MPICH and those after it
      {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_COUNT"},
      {"SLURM_PROCID", nullptr, "SLURM_NTASKS"}};
  const auto number = [](const char* name) -> std::int64_t {
    const char* text = std::getenv(name);
    const auto read = parse_integer(text == nullptr ? "" : text);
    return read ? *read : -1;
  };
  for (const Names& names : kLaunchers) {
    if (std::getenv(names.place) == nullptr) continue;
    const std::int64_t least = names.least == nullptr ? 0 : number(names.least);
    const std::int64_t place = number(names.place) - least, count = number(names.count);
    if (least < 0 || place < 0 || place >= count ||
        count > static_cast<std::int64_t>(explore::limits::kParts))
      return tl::unexpected(wrong_part(
          "env", std::string("cannot be told from ") + names.place + " and " + names.count));
    return Part{static_cast<std::uint32_t>(place + 1), static_cast<std::uint32_t>(count)};
  }
  return tl::unexpected(wrong_part("env", "cannot be told: no launcher says anything"));
}

Result<Part> part_of(const std::string& text) {
  if (text.empty()) return Part{};
  if (text == "env") return part_by_environment();
  const std::size_t at = text.find('/');
  const auto part = parse_integer(std::string_view(text).substr(0, at));
  const auto parts = parse_integer(at == std::string::npos ? "" : text.substr(at + 1));
  if (!part || !parts || *part < 1 || *part > *parts ||
      *parts > static_cast<std::int64_t>(explore::limits::kParts))
    return tl::unexpected(wrong_part(text, "is no part"));
  return Part{static_cast<std::uint32_t>(*part), static_cast<std::uint32_t>(*parts)};
}

}  // namespace

void add_space_options(CLI::App& command, SpaceOptions& options) {
  command
      .add_option("SPACE", options.file,
                  "A space of jobs and clusters (docs/reference/space.md), instead of a job")
      ->type_name("");
  command
      .add_option("--part", options.part,
                  "Of a space only the Kth of N parts, kept in FILE.part-K-of-N; env: as the "
                  "launcher says")
      ->type_name("K/N");
}

int search_space(const SpaceOptions& options, explore::ExploreOptions how, std::size_t rows,
                 Session& session) {
  const auto space = explore::read_space(options.file);
  if (!space) return session.fail(space.error());
  const auto part = part_of(options.part);
  if (!part) return session.fail(part.error());
  how.answers.file = std::exchange(session.output, {});
  how.answers.force = session.force;
  how.answers.part = part->part;
  how.answers.parts = part->parts;
  if (how.answers.file == "-")
    return session.fail({Errc::usage, "--output",
                         "is where a search goes on, and stdout is no such place",
                         "-o points.jsonl; --json prints what came out"});
  if (part->part > 0 && how.answers.file.empty())
    return session.fail(
        {Errc::usage, "--part", "is to be kept, and nobody says where", "-o points.jsonl"});
  Progress progress(session);
  how.answers.progress = [&](const char* what, std::size_t done, std::size_t of) {
    static const std::map<std::string_view, Progress::Phase> phases{
        {"estimate", {"estimate", "estimating", "points"}},
        {"simulate", {"simulate", "simulating", "points"}}};
    progress.tell(phases.at(what), done, of);
  };
  const auto found = explore::explore(*space, how);
  progress.clear();
  if (!found) return session.fail(found.error());
  const bool done = !found->best.empty() || part->part > 0;
  return session.deliver(
      present::explore_text(*space, *found, rows, session.out_style()),
      [&] { return present::explore_json(*space, *found, rows); }, done ? kOk : kSaysNo);
}

}  // namespace orrery::app
