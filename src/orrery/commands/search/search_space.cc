// SPDX-License-Identifier: Apache-2.0
#include "orrery/commands/search/search_space.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "orrery/commands/progress.h"
#include "orrery/commands/search/mpi_module.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/explore/executors/process_executor.h"
#include "orrery/present/search/search_check_answer.h"
#include "orrery/present/search/search_space_answer.h"
#include "orrery/present/search/search_space_page.h"
#include "orrery/report/html/space_page.h"

namespace orrery::commands {

namespace {

struct Part {
  std::uint32_t part = 0, parts = 0;
};

Error wrong_part(std::string_view text, std::string what) {
  return {Errc::usage, "--part", in_quotes(text) + " " + std::move(what),
          "3/16: part 3 of 16; env: as set by mpirun, srun or a job array"};
}

/// From variables that launchers set: the rank of the process from 0 (arrays of Slurm: from
/// SLURM_ARRAY_TASK_MIN), and the number of processes.
Result<Part> part_by_environment(const Context& context) {
  struct Names {
    const char *place, *least, *count;
  };
  constexpr Names kLaunchers[] = {
      {"OMPI_COMM_WORLD_RANK", nullptr, "OMPI_COMM_WORLD_SIZE"},  // Open MPI
      {"PMI_RANK", nullptr, "PMI_SIZE"},                          // MPICH and those after it
      {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_COUNT"},
      {"SLURM_PROCID", nullptr, "SLURM_NTASKS"}};
  const auto number = [&](const char* name) -> std::int64_t {
    const auto read = parse_integer(context.launcher_variable(name));
    return read ? *read : -1;
  };
  for (const Names& names : kLaunchers) {
    if (context.launcher_variable(names.place).empty()) continue;
    const std::int64_t least = names.least == nullptr ? 0 : number(names.least);
    const std::int64_t place = number(names.place) - least, count = number(names.count);
    if (least < 0 || place < 0 || place >= count ||
        count > static_cast<std::int64_t>(explore::limits::kParts))
      return tl::unexpected(wrong_part(
          "env", std::string("cannot be derived from ") + names.place + " and " + names.count));
    return Part{static_cast<std::uint32_t>(place + 1), static_cast<std::uint32_t>(count)};
  }
  return tl::unexpected(wrong_part("env", "needs a launcher, and the variables of none are set"));
}

Result<Part> part_of(const std::string& text, const Context& context) {
  if (text.empty()) return Part{};
  if (text == "env") return part_by_environment(context);
  const std::size_t at = text.find('/');
  const auto part = parse_integer(std::string_view(text).substr(0, at));
  const auto parts = parse_integer(at == std::string::npos ? "" : text.substr(at + 1));
  if (!part || !parts || *part < 1 || *part > *parts ||
      *parts > static_cast<std::int64_t>(explore::limits::kParts))
    return tl::unexpected(wrong_part(text, "is not a part"));
  return Part{static_cast<std::uint32_t>(*part), static_cast<std::uint32_t>(*parts)};
}

Result<void> write_page(const explore::SearchSpace& space, const explore::ExplorationResult& found,
                        std::uint32_t threads, PageFile& page, const Context& context) {
  if (!page.wanted()) return {};
  const auto data = present::search_space_page(space, found, threads);
  if (!data) return tl::unexpected(data.error());
  const auto filled = [&](std::string_view empty) {
    return report::write_space_html(*data, empty);
  };
  if (auto written = page.write(filled, context); !written) return tl::unexpected(written.error());
  return {};
}

/// Checks the options against each other.
Result<Part> checked_options(const SpaceOptions& options, const std::string& file,
                             const Context& context) {
  const auto part = part_of(options.part, context);
  if (!part) return part;
  const char* hint = "-o points.jsonl";
  if (file == "-")
    return fail(Errc::usage, "--output", "stores points for later searches, and cannot be stdout",
                "-o points.jsonl; --json prints the result");
  if (options.page.path == "-" && context.json)
    return fail(Errc::usage, "", "only one thing can go to stdout", "");
  if (part->part > 0 && file.empty())
    return fail(Errc::usage, "--part", "needs a file that stores its points", hint);
  if (part->part > 0 && options.page.wanted())
    return fail(Errc::usage, "--html", "shows all points, and --part evaluates only some",
                "leave --part out when all parts are done");
  if (options.page.wanted() && options.executor.who == Who::slurm)
    return fail(Errc::usage, "--html",
                "shows evaluated points, and --executor slurm evaluates none",
                "leave --executor out when all shares are done");
  if (part->part > 0 && options.executor.who != Who::threads)
    return fail(Errc::usage, "--part", "evaluates one part, and --executor all of them",
                "give one of the two");
  if (options.executor.who == Who::slurm && file.empty())
    return fail(Errc::usage, "--executor slurm", "needs a file that stores the points", hint);
  if (options.executor.who != Who::slurm && !options.executor.slurm.empty())
    return fail(Errc::usage, "--slurm-option", "is only for --executor slurm",
                "leave it out, or give both");
  return part;
}

/// Progress of a search: its rate, the remaining time, and the best point so far.
class SearchProgress {
 public:
  explicit SearchProgress(const Context& context) : progress_(context) {}
  [[nodiscard]] bool active() const { return progress_.active(); }
  void clear() { progress_.clear(); }

  void update(const explore::PointProgress& so_far) {
    static const std::map<std::string_view, Progress::Phase> phases{
        {"estimate", {"estimate", "estimating", "points"}},
        {"simulate", {"simulate", "simulating", "points"}}};
    if (so_far.done > 0 && so_far.done < so_far.of && !progress_.is_due()) return;
    Progress::Phase phase = phases.at(so_far.what);
    phase.show_rate = true;
    phase.known = so_far.known;
    if (const std::string best = so_far.best.words(); !best.empty())
      phase.about = "best so far: " + best;
    progress_.update(phase, so_far.done, so_far.of);
  }

 private:
  Progress progress_;
};

int deliver_check(const explore::SearchSpace& space, const Context& context) {
  const auto space_check = explore::space_check(space);
  if (!space_check) return context.fail(space_check.error());
  return context.deliver(
      [&](report::Answer& answer) { present::state_search_check(answer, space, *space_check); },
      space_check->impossible ? kSaysNo : kOk);
}

/// Text or JSON, unless the page goes to stdout; then shows the page, with --open.
int deliver_result(const explore::SearchSpace& space, const explore::ExplorationResult& found,
                   std::size_t rows, PageFile& page, const SpaceOptions& options, bool is_part,
                   Context& context) {
  int code = !found.best.empty() || is_part ? kOk : kSaysNo;
  if (options.page.path != "-")
    code = context.deliver(
        [&](report::Answer& answer) { present::state_search_space(answer, space, found, rows); },
        code);
  if (code == kOk || code == kSaysNo) page.show(context);
  return code;
}

/// Reads the space and evaluates it; with `channel`, on the other processes.
int search_here(const SpaceOptions& options, explore::ExploreOptions how, std::size_t rows,
                Context& context, explore::Channel* channel) {
  how.answers.file = std::exchange(context.output, {});
  const auto refuse = [&](const Error& error) {
    if (channel != nullptr) explore::dismiss_processes(*channel);
    return context.fail(error);
  };
  const auto part = checked_options(options, how.answers.file, context);
  if (!part) return refuse(part.error());
  PageFile page(options.page);
  if (auto fine = page.check(context.force); !fine) return refuse(fine.error());
  const auto text = config::read_text(options.file);
  if (!text) return refuse(text.error());
  const auto space = explore::parse_space(*text, options.file);
  if (!space) return refuse(space.error());
  how.answers.force = context.force;
  how.answers.part = part->part;
  how.answers.parts = part->parts;
  if (options.executor.who == Who::slurm)
    return write_shares({*space, options.file}, how, options.executor, rows, context);
  std::optional<explore::ProcessExecutor> executor;
  if (channel != nullptr) {
    executor.emplace(*channel, *space);
    if (auto begun = executor->begin(*text); !begun) return context.fail(begun.error());
    how.answers.executor = &*executor;
  }
  SearchProgress progress(context);
  if (progress.active())
    how.answers.progress = [&](const explore::PointProgress& so_far) { progress.update(so_far); };
  how.space_check = [&](const explore::SpaceCheck& space_check) {
    if (space_check.impossible)
      context.warn(present::allowed_combinations_text(space_check));
    else
      context.note(present::allowed_combinations_text(space_check));
  };
  const auto found = explore::explore(*space, how);
  progress.clear();
  if (!found) return context.fail(found.error());
  if (auto done = write_page(*space, *found, how.answers.threads, page, context); !done)
    return context.fail(done.error());
  return deliver_result(*space, *found, rows, page, options, part->part > 0, context);
}

int search_by_mpi(const SpaceOptions& options, explore::ExploreOptions how, std::size_t rows,
                  Context& context) {
  auto processes = MpiProcesses::begin(context);
  if (!processes) return context.fail(processes.error());
  explore::Channel& channel = processes->channel();
  // mpirun gives its processes a terminal, wherever what they print goes.
  if (context.color == "auto") context.color = "never";
  // Several processes share a machine.
  how.answers.threads = std::max(1u, how.answers.threads);
  int code = kOk;
  if (channel.place() > 0)
    explore::serve_points(channel, how.answers.threads);
  else
    code = search_here(options, std::move(how), rows, context,
                       channel.count() > 1 ? &channel : nullptr);
  processes->leave();
  return code;
}

}  // namespace

std::string SpaceOptions::given() const {
  if (!part.empty()) return "--part";
  if (page.wanted()) return "--html";
  if (check) return "--check";
  if (executor.who != Who::threads) return "--executor";
  return executor.slurm.empty() ? "" : "--slurm-option";
}

int search_space(const SpaceOptions& options, explore::ExploreOptions how, std::size_t rows,
                 Context& context) {
  if (options.check) {
    context.output.clear();  // no points to store
    const auto space = explore::read_space(options.file);
    return space ? deliver_check(*space, context) : context.fail(space.error());
  }
  if (options.executor.who != Who::threads)
    if (auto fine = context.check_program("--executor"); !fine) return context.fail(fine.error());
  if (options.executor.who == Who::mpi)
    return search_by_mpi(options, std::move(how), rows, context);
  return search_here(options, std::move(how), rows, context, nullptr);
}

}  // namespace orrery::commands
