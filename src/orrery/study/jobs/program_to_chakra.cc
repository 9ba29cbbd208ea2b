// SPDX-License-Identifier: Apache-2.0
//
// Each role is unrolled once for all ranks whose numbers have equally many digits. Its bytes are
// patched for each rank and written in one piece.
#include "orrery/study/jobs/program_to_chakra.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <iterator>
#include <vector>

#include "orrery/trace/chakra/records/group_numbers.h"
#include "orrery/trace/chakra/records/rank_bytes.h"
#include "orrery/trace/io/file_sink.h"
#include "orrery/workload/spec/launch_policy.h"

namespace orrery::study {
namespace {

bool is_there(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

/// Axes over which the program communicates.
std::vector<graph::GroupAxis> used_axes(const workload::Program& program) {
  std::array<bool, workload::kAxes> used{};
  for (const workload::Role& role : program.roles) workload::collect_axes(program, role, used);
  std::vector<graph::GroupAxis> axes;
  for (std::size_t a = 0; a < used.size(); ++a) {
    if (used[a]) axes.push_back(program.mesh.axis(static_cast<workload::Axis>(a)));
  }
  return axes;
}

class ChakraWriter {
 public:
  ChakraWriter(const workload::Program& program, const ChakraWriteOptions& options)
      : program_(program),
        options_(options),
        groups_(used_axes(program), static_cast<std::uint32_t>(program.mesh.world())) {}

  /// After an error, deletes the files that were written.
  Result<ChakraWriteReport> run() {
    if (Result<void> free = check_free(); !free) return tl::unexpected(free.error());
    Result<void> done = write_all();
    if (done) return report_;
    for (const std::string& path : made_) ::unlink(path.c_str());
    return tl::unexpected(done.error());
  }

 private:
  [[nodiscard]] std::string path_of(std::uint64_t rank) const {
    return fmt::format("{}.{}.et", options_.prefix, rank);
  }
  [[nodiscard]] FilePlacement how() const {
    return {.force = options_.overwrite, .skip_sync = program_.mesh.world() > 1};
  }
  [[nodiscard]] std::string group_path() const { return options_.prefix + ".json"; }

  [[nodiscard]] Result<void> check_free() const {
    const std::uint64_t ranks = program_.mesh.world();
    // Readers treat every existing trace as a rank.
    if (is_there(path_of(ranks))) {
      return fail(Errc::output_exists, path_of(ranks),
                  fmt::format("belongs to a larger job than this one of {} ranks", ranks),
                  "remove its traces or choose another name");
    }
    if (options_.overwrite) return {};
    const char* const hint = "choose another name, or allow overwriting";
    if (is_there(group_path())) return fail(Errc::output_exists, group_path(), "exists", hint);
    for (std::uint64_t rank = 0; rank < ranks; ++rank) {
      if (is_there(path_of(rank))) return fail(Errc::output_exists, path_of(rank), "exists", hint);
    }
    return {};
  }

  Result<void> write_all() {
    std::vector<std::vector<std::uint32_t>> members(program_.roles.size());
    for (std::uint64_t rank = 0; rank < program_.mesh.world(); ++rank) {
      members[program_.role_of(rank)].push_back(static_cast<std::uint32_t>(rank));
    }
    for (std::uint32_t role = 0; role < members.size(); ++role) {
      const std::uint64_t nodes = workload::node_count(program_, role);
      report_.nodes += nodes * members[role].size();
      while (!members[role].empty()) {
        if (Result<void> done = write_alike(role, members[role]); !done) return done;
      }
    }
    return write_groups();
  }

  /// Writes the first of `ranks` and all that its bytes fit, and removes them from the list.
  Result<void> write_alike(std::uint32_t role, std::vector<std::uint32_t>& ranks) {
    StringPool pool;
    graph::KernelTable kernels;
    kernels.set_launch_times(workload::launch_times(program_.spec));
    workload::collect_kernels(program_, program_.roles[role], kernels);
    trace::chakra::RankBytes text(groups_, pool, kernels, ranks.front());
    bool whole = true;
    auto sink = trace::FileSink::create(path_of(ranks.front()), how());
    if (!sink) return tl::unexpected(sink.error());
    Result<void> done = workload::unroll(program_, role, pool, kernels,
                                         [&](const graph::NodeSpec& node) -> Result<void> {
                                           text.add(node);
                                           if (text.bytes().size() < options_.block) return {};
                                           whole = false;
                                           report_.bytes += text.bytes().size();
                                           const Result<void> put = (*sink)->write(text.bytes());
                                           text.clear();
                                           return put;
                                         });
    if (!done) return done;
    if (done = finish(**sink, ranks.front(), text.bytes()); !done) return done;

    std::vector<std::uint32_t> rest;
    for (std::size_t i = 1; i < ranks.size(); ++i) {
      if (!whole || !text.can_patch_for(ranks[i])) {
        rest.push_back(ranks[i]);
        continue;
      }
      text.patch_for(ranks[i]);
      auto next = trace::FileSink::create(path_of(ranks[i]), how());
      if (!next) return tl::unexpected(next.error());
      if (done = finish(**next, ranks[i], text.bytes()); !done) return done;
    }
    ranks = std::move(rest);
    return {};
  }

  Result<void> finish(trace::FileSink& sink, std::uint32_t rank, const std::string& bytes) {
    if (Result<void> put = sink.write(bytes); !put) return put;
    if (Result<void> closed = sink.close(); !closed) return closed;
    made_.push_back(path_of(rank));
    report_.bytes += bytes.size();
    ++report_.ranks;
    if (options_.progress) options_.progress(report_.ranks);
    return {};
  }

  Result<void> write_groups() {
    auto sink = trace::FileSink::create(group_path(), {.force = options_.overwrite});
    if (!sink) return tl::unexpected(sink.error());
    std::string text = "{";
    const char* between = "\n";
    for (const trace::chakra::GroupNumbers::Group& group : groups_.all()) {
      fmt::format_to(std::back_inserter(text), "{}\"{}\": [{}]", between, group.number,
                     fmt::join(groups_.axes()[group.axis].members(group.first), ", "));
      between = ",\n";
      if (text.size() < options_.block) continue;
      if (Result<void> put = (*sink)->write(text); !put) return put;
      report_.bytes += text.size();
      text.clear();
    }
    text += "\n}\n";
    if (Result<void> put = (*sink)->write(text); !put) return put;
    if (Result<void> closed = (*sink)->close(); !closed) return closed;
    made_.push_back(group_path());
    report_.bytes += text.size();
    report_.groups = groups_.count();
    return {};
  }

  const workload::Program& program_;
  const ChakraWriteOptions& options_;
  trace::chakra::GroupNumbers groups_;
  ChakraWriteReport report_;
  std::vector<std::string> made_;
};

}  // namespace

Result<ChakraWriteReport> write_chakra(const workload::Program& program,
                                       const ChakraWriteOptions& options) {
  if (program.mesh.world() > kMaxTraceFiles) {
    return fail(Errc::limit_exceeded, options.prefix,
                fmt::format("{} ranks need as many files, more than the limit of {}",
                            program.mesh.world(), kMaxTraceFiles),
                "orrery run simulates the same job without writing traces");
  }
  return ChakraWriter(program, options).run();
}

}  // namespace orrery::study
