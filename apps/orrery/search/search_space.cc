// SPDX-License-Identifier: Apache-2.0
#include "search/search_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <optional>
#include <utility>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/explore/executors/process_executor.h"
#include "orrery/present/search/search_check_text.h"
#include "orrery/present/search/search_space_page.h"
#include "orrery/present/search/search_space_text.h"
#include "orrery/report/html/space_page.h"
#include "progress.h"
#include "search/mpi_module.h"

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

Result<void> write_page(const explore::SearchSpace& space, const explore::ExplorationResult& found,
                        std::uint32_t threads, PageFile& page, const Session& session) {
  if (!page.wanted()) return {};
  const auto made = present::search_space_page(space, found, threads);
  if (!made) return tl::unexpected(made.error());
  const auto filled = [&](std::string_view empty) {
    return report::write_space_html(*made, empty);
  };
  if (auto written = page.write(filled, session); !written) return tl::unexpected(written.error());
  return {};
}

/// What options say that do not go together.
Result<Part> checked_options(const SpaceOptions& options, const std::string& file,
                             const Session& session) {
  const auto part = part_of(options.part);
  if (!part) return part;
  const char* hint = "-o points.jsonl";
  if (file == "-")
    return fail(Errc::usage, "--output", "is where a search goes on, and stdout is no such place",
                "-o points.jsonl; --json prints what came out");
  if (options.page.path == "-" && session.json)
    return fail(Errc::usage, "", "only one thing can go to stdout", "");
  if (part->part > 0 && file.empty())
    return fail(Errc::usage, "--part", "is to be kept, and nobody says where", hint);
  if (part->part > 0 && options.page.wanted())
    return fail(Errc::usage, "--html", "is of all points, and --part looks at some",
                "the same command without --part, when all parts are done");
  if (options.page.wanted() && options.executor.who == Who::slurm)
    return fail(Errc::usage, "--html", "is of points that are known, and --executor slurm has none",
                "the same command without --executor, when all shares are done");
  if (part->part > 0 && options.executor.who != Who::threads)
    return fail(Errc::usage, "--part", "is one share, and --executor has all of them looked at",
                "give one of the two");
  if (options.executor.who == Who::slurm && file.empty())
    return fail(Errc::usage, "--executor slurm", "keeps points, and nobody says where", hint);
  if (options.executor.who != Who::slurm && !options.executor.slurm.empty())
    return fail(Errc::usage, "--slurm-option", "is for --executor slurm",
                "leave it out, or give both");
  return part;
}

/// Shown while a search goes on: how fast it is, when it will be through, and the best so far.
class SearchProgress {
 public:
  explicit SearchProgress(const Session& session) : progress_(session) {}
  [[nodiscard]] bool active() const { return progress_.active(); }
  void clear() { progress_.clear(); }

  void tell(const explore::PointProgress& so_far) {
    static const std::map<std::string_view, Progress::Phase> phases{
        {"estimate", {"estimate", "estimating", "points"}},
        {"simulate", {"simulate", "simulating", "points"}}};
    if (so_far.done == 0) begun_ = Clock::now();
    const auto now = Clock::now();
    const bool end = so_far.done == so_far.of;
    if (!end && so_far.done > 0 && now - last_ < kBetweenWords) return;
    last_ = now;
    Progress::Phase phase = phases.at(so_far.what);
    phase.about = words(so_far, std::chrono::duration<double>(now - begun_).count());
    progress_.tell(phase, so_far.done, so_far.of);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr auto kBetweenWords = std::chrono::milliseconds(100);

  static std::string words(const explore::PointProgress& so_far, double seconds) {
    std::string text;
    const auto found = static_cast<double>(so_far.done - so_far.known);
    if (found > 0 && so_far.done < so_far.of && seconds >= 1) {
      const double rate = found / seconds, left = static_cast<double>(so_far.of - so_far.done);
      text = fmt::format(
          "{:.3g}/s, {} left", rate,
          format_time(Time(static_cast<std::int64_t>(left / rate) * 1'000'000'000'000)));
    }
    const std::string best = so_far.best.words();
    if (best.empty()) return text;
    return text + (text.empty() ? "" : "; ") + "best so far: " + best;
  }

  Progress progress_;
  Clock::time_point begun_{}, last_{};
};

int say_checked(const explore::SearchSpace& space, const Session& session) {
  const auto space_check = explore::space_check(space);
  if (!space_check) return session.fail(space_check.error());
  return session.deliver(
      present::search_check_text(space, *space_check, session.out_style()),
      [&] { return present::search_check_json(*space_check); },
      space_check->impossible ? kSaysNo : kOk);
}

/// Text or JSON, where the page does not go to stdout, and the page where it is to be shown.
int tell(const explore::SearchSpace& space, const explore::ExplorationResult& found,
         std::size_t rows, PageFile& page, const SpaceOptions& options, bool is_part,
         Session& session) {
  int code = !found.best.empty() || is_part ? kOk : kSaysNo;
  if (options.page.path != "-")
    code = session.deliver(
        present::search_space_text(space, found, rows, session.out_style()),
        [&] { return present::search_space_json(space, found, rows); }, code);
  if (code == kOk || code == kSaysNo) page.show(session);
  return code;
}

/// Reads the space and looks at it; with `channel` the other processes do.
int search_here(const SpaceOptions& options, explore::ExploreOptions how, std::size_t rows,
                Session& session, explore::Channel* channel) {
  how.answers.file = std::exchange(session.output, {});
  const auto refuse = [&](const Error& error) {
    if (channel != nullptr) explore::dismiss_processes(*channel);
    return session.fail(error);
  };
  const auto part = checked_options(options, how.answers.file, session);
  if (!part) return refuse(part.error());
  PageFile page(options.page);
  if (auto fine = page.check(session.force); !fine) return refuse(fine.error());
  const auto text = config::read_text(options.file);
  if (!text) return refuse(text.error());
  const auto space = explore::parse_space(*text, options.file);
  if (!space) return refuse(space.error());
  how.answers.force = session.force;
  how.answers.part = part->part;
  how.answers.parts = part->parts;
  if (options.executor.who == Who::slurm)
    return write_shares({*space, options.file}, how, options.executor, rows, session);
  std::optional<explore::ProcessExecutor> executor;
  if (channel != nullptr) {
    executor.emplace(*channel, *space);
    if (auto begun = executor->begin(*text); !begun) return session.fail(begun.error());
    how.answers.executor = &*executor;
  }
  SearchProgress progress(session);
  if (progress.active())
    how.answers.progress = [&](const explore::PointProgress& so_far) { progress.tell(so_far); };
  how.space_check = [&](const explore::SpaceCheck& space_check) {
    if (space_check.impossible)
      session.warn(present::allowed_combinations_text(space_check));
    else
      session.note(present::allowed_combinations_text(space_check));
  };
  const auto found = explore::explore(*space, how);
  progress.clear();
  if (!found) return session.fail(found.error());
  if (auto done = write_page(*space, *found, how.answers.threads, page, session); !done)
    return session.fail(done.error());
  return tell(*space, *found, rows, page, options, part->part > 0, session);
}

int search_by_mpi(const SpaceOptions& options, explore::ExploreOptions how, std::size_t rows,
                  Session& session) {
  auto processes = MpiProcesses::begin();
  if (!processes) return session.fail(processes.error());
  explore::Channel& channel = processes->channel();
  // mpirun gives its processes a terminal, wherever what they print goes.
  if (session.color == "auto") session.color = "never";
  // Several processes share a machine.
  how.answers.threads = std::max(1u, how.answers.threads);
  int code = kOk;
  if (channel.place() > 0)
    explore::serve_points(channel, how.answers.threads);
  else
    code = search_here(options, std::move(how), rows, session,
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
                 Session& session) {
  if (options.check) {
    session.output.clear();  // where points would be kept
    const auto space = explore::read_space(options.file);
    return space ? say_checked(*space, session) : session.fail(space.error());
  }
  if (options.executor.who == Who::mpi)
    return search_by_mpi(options, std::move(how), rows, session);
  return search_here(options, std::move(how), rows, session, nullptr);
}

}  // namespace orrery::app
