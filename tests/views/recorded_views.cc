// SPDX-License-Identifier: Apache-2.0
#include "recorded_views.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string_view>

#include "orrery/core/paths_testing.h"
#include "orrery/core/text/csv.h"
#include "orrery/present/traces/views_answer.h"
#include "orrery/study/questions/inputs/recorded_traces.h"
#include "orrery/study/recordings/views/view_builder.h"

namespace orrery::views_test {

namespace {

profile::Breakdown device_breakdown(const profile::Profile& p) {
  Time first = kTimeMax, last{};
  for (profile::EventId e = 0; e < p.events.size(); ++e) {
    const profile::Event& event = p.events[e];
    if (!is_device_work(event.kind) || !event.timed()) continue;
    first = std::min(first, event.start);
    last = std::max(last, event.end());
  }
  return first == kTimeMax ? profile::Breakdown{} : profile::breakdown(p, first, last);
}

Time memset_time(const profile::Profile& p) {
  Time sum{};
  for (profile::EventId e = 0; e < p.events.size(); ++e)
    if (p.events[e].kind == profile::Kind::memset) sum += p.events[e].duration;
  return sum;
}

void replace(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

}  // namespace

std::filesystem::path shared_data() {
  return std::filesystem::path(core_testing::kSourceFolder) / ".." / "shared" / "data";
}

RecordedViews views_of(const std::filesystem::path& recording) {
  RecordedViews made;
  const auto builders =
      study::view_builders(std::vector<std::string>{std::string(study::kAllViews)});
  Findings findings;
  const auto job = study::read_ranks({.traces = {recording.string()}}, {}, findings,
                                     [&](const intake::RankTrace& rank) {
                                       made.on_device = device_breakdown(rank.profile);
                                       made.memsets = memset_time(rank.profile);
                                       for (const auto& builder : builders) builder->add(rank);
                                     });
  if (!job) {
    ADD_FAILURE() << to_string(job.error());
    return made;
  }
  std::vector<study::View> views;
  for (const auto& builder : builders) views.push_back(builder->view(*job, findings));
  const std::string json = report::answer_json("trace info", [&](report::Answer& answer) {
    present::state_views(answer, views, *job, findings);
  });
  made.views = nlohmann::json::parse(json)["result"]["views"];
  return made;
}

std::vector<std::map<std::string, std::string>> csv_rows(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  TrimmedLineReader lines(text, file.string());
  std::vector<std::map<std::string, std::string>> rows;
  std::vector<std::string> names, retained;
  std::vector<std::string_view> cells;
  for (std::string_view line; lines.next(line);) {
    if (line.empty()) continue;
    EXPECT_TRUE(split_csv_row(line, cells, retained)) << lines.place();
    if (names.empty()) {
      names.assign(cells.begin(), cells.end());
      continue;
    }
    auto& row = rows.emplace_back();
    for (std::size_t c = 0; c < std::min(names.size(), cells.size()); ++c) row[names[c]] = cells[c];
  }
  EXPECT_FALSE(rows.empty()) << file;
  return rows;
}

std::string as_list(std::string text) {
  std::erase(text, ' ');
  replace(text, ",)", ")");
  replace(text, "(", "[");
  replace(text, ")", "]");
  replace(text, "'", "\"");
  return text;
}

}  // namespace orrery::views_test
