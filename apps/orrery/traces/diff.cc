// SPDX-License-Identifier: Apache-2.0
//
// orrery diff: what is new, gone or slower in the second of two traces.
#include <CLI/CLI.hpp>
#include <memory>

#include "command.h"
#include "options/input_options.h"
#include "orrery/intake/formats/graph_inspection.h"
#include "orrery/present/traces/diff_text.h"
#include "orrery/profile/inspection/profile_difference.h"
#include "question_options.h"

namespace orrery::app {

namespace {

Result<profile::Inspection> read(const std::string& path, Findings& findings) {
  if (!study::is_recorded_traces({path})) return intake::inspect_chakra(path, findings);
  intake::JobOptions job;
  job.traces = {path};
  std::optional<profile::Inspection> first;
  const auto done = intake::for_each_rank(
      job, [&](const intake::Job&, std::size_t, intake::RankTrace& rank) -> Result<void> {
        findings.merge(rank.findings);
        if (!first) first = profile::inspect(rank.profile);
        return {};
      });
  if (!done) return tl::unexpected(done.error());
  return *std::move(first);
}

struct DiffOptions {
  std::vector<std::string> traces;

  static constexpr auto fields =
      std::tuple{QuestionField{"traces", &DiffOptions::traces, "TRACES", "", kAnswer, "after.json",
                               "The first and the second"}};
};

int diff(const std::vector<std::string>& paths, Session& session) {
  if (paths.size() != 2)
    return session.fail({Errc::usage, "", "needs two traces", "orrery diff FIRST SECOND"});
  Findings findings;
  const auto a = read(paths[0], findings);
  if (!a) return session.fail(a.error(), findings);
  const auto b = read(paths[1], findings);
  if (!b) return session.fail(b.error(), findings);
  const profile::ProfileDifference d = profile::difference(*a, *b);
  return session.deliver(present::diff_text(d, session.out_style()),
                         [&] { return present::diff_json(d, findings); });
}

}  // namespace

Action add_diff(CLI::App& command, Session& session) {
  describe(command,
           "Recorded traces or Chakra traces; per iteration if both have iterations.\n"
           "\n"
           "Examples:\n"
           "  orrery diff before.json.gz after.json.gz\n"
           "  orrery diff before.0.et after.0.et --json\n");
  const auto options = std::make_shared<DiffOptions>();
  add_fields(command, *options);
  session.add_options(command);
  return [options, &session] { return diff(options->traces, session); };
}

}  // namespace orrery::app
