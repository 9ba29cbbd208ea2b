// SPDX-License-Identifier: Apache-2.0
//
// The summary of a run on its page: the lines of the terminal.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "orrery/analysis/comparison/cluster_names.h"
#include "orrery/analysis/value_text.h"
#include "orrery/report/answer/digest_answer.h"
#include "orrery/report/html/run_page_internal.h"
#include "orrery/report/terminal_text.h"

namespace orrery::report::html {

namespace {

using analysis::Digest;
using analysis::plural;
using result::Run;
using Lines = Answer::Lines;

/// Lines without a label continue the one before.
void add_digest(Lines& lines, const Digest& digest) {
  Lines stated;
  Answer answer(stated);
  state_digest(answer, digest);
  for (auto& [label, text] : stated) {
    if (label.empty() && !lines.empty()) {
      lines.back().second += "; " + text;
      continue;
    }
    label.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(label.front())));
    lines.emplace_back(std::move(label), std::move(text));
  }
}

void add_findings(Lines& lines, const Findings& findings) {
  const std::vector<Finding> list = findings.list();
  std::uint64_t count = 0;
  for (const Finding& one : list) count += one.count;
  lines.emplace_back("Findings", list.empty() ? "none"
                                              : fmt::format("{} of {}", plural(count, "case"),
                                                            plural(list.size(), "kind")));
}

/// The changes of a what-if, from the options in a run's manifest: "tp=8, gpu=b200".
std::string changes_words(std::string_view options) {
  constexpr std::string_view kChange = "--change ";
  std::string text;
  for (std::size_t at = options.find(kChange); at != options.npos; at = options.find(kChange, at)) {
    at += kChange.size();
    const std::string_view change = options.substr(at, options.find(" --", at) - at);
    text += fmt::format("{}{}", text.empty() ? "" : ", ", change);
  }
  return text;
}

}  // namespace

std::string title(const Run& run) {
  const std::string_view workload = run.fact("workload");
  const std::string_view cluster = run.fact("cluster");
  if (workload.empty()) return "a run";
  std::string text(workload);
  if (!cluster.empty())
    text += fmt::format("{} {}", cluster == "as recorded" ? "" : " on", cluster);
  if (const std::string changes = changes_words(run.fact("options")); !changes.empty())
    text += ", with " + changes;
  return text;
}

std::vector<std::string> titles(const std::vector<const Run*>& runs) {
  std::vector<std::string> all;
  const std::vector<std::string> differences = analysis::difference_names(runs);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    all.push_back(title(*runs[i]));
    const auto cluster = [&](const Run* run) { return run->fact("cluster"); };
    const bool one_name = std::all_of(runs.begin(), runs.end(), [&](const Run* run) {
      return cluster(run) == cluster(runs.front());
    });
    if (one_name && !differences[i].empty() && differences[i] != cluster(runs[i]))
      all.back() += fmt::format(" ({})", differences[i]);
  }
  return all;
}

Lines summary_lines(const Digest& digest, const Findings& findings) {
  Lines lines;
  add_digest(lines, digest);
  if (digest.bubble)
    lines.emplace_back("Pipeline bubble", percent(*digest.bubble) + " of the step");
  add_findings(lines, findings);
  return lines;
}

}  // namespace orrery::report::html
