// SPDX-License-Identifier: Apache-2.0
#include "search_space.h"

#include <cstdlib>
#include <map>
#include <utility>

#include "orrery/core/text.h"
#include "orrery/core/units.h"
#include "orrery/present/explore_page.h"
#include "orrery/present/explore_text.h"
#include "orrery/report/html_space.h"
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

/// Whether everything can go where it is to go.
Result<void> check_outputs(const SpaceOptions& options, const explore::AnswerOptions& answers,
                           const Session& session) {
  if (answers.file == "-")
    return fail(Errc::usage, "--output", "is where a search goes on, and stdout is no such place",
                "-o points.jsonl; --json prints what came out");
  if (answers.part > 0 && answers.file.empty())
    return fail(Errc::usage, "--part", "is to be kept, and nobody says where", "-o points.jsonl");
  if (answers.part > 0 && options.page.wanted())
    return fail(Errc::usage, "--html", "is of all points, and --part looks at some",
                "the same command without --part, when all parts are done");
  if (options.page.path == "-" && session.json)
    return fail(Errc::usage, "", "only one thing can go to stdout", "");
  return {};
}

Result<void> write_page(const explore::SearchSpace& space, const explore::Explored& found,
                        std::uint32_t threads, PageFile& page, const Session& session) {
  if (!page.wanted()) return {};
  const auto made = present::explore_page(space, found, threads);
  if (!made) return tl::unexpected(made.error());
  const auto filled = [&](std::string_view empty) {
    return report::write_space_html(*made, empty);
  };
  if (auto written = page.write(filled, session); !written) return tl::unexpected(written.error());
  return {};
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
  command
      .add_option("--html", options.page.path,
                  "Of a space: write its points as one self-contained web page")
      ->type_name("FILE");
  add_page_options(command, options.page);
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
  if (auto fine = check_outputs(options, how.answers, session); !fine)
    return session.fail(fine.error());
  PageFile page(options.page);
  if (auto fine = page.check(session.force); !fine) return session.fail(fine.error());
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
  if (auto done = write_page(*space, *found, how.answers.threads, page, session); !done)
    return session.fail(done.error());
  int code = !found->best.empty() || part->part > 0 ? kOk : kSaysNo;
  if (options.page.path != "-")
    code = session.deliver(
        present::explore_text(*space, *found, rows, session.out_style()),
        [&] { return present::explore_json(*space, *found, rows); }, code);
  if (code == kOk || code == kSaysNo) page.show(session);
  return code;
}

}  // namespace orrery::app
