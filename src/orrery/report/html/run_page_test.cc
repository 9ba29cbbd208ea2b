// SPDX-License-Identifier: Apache-2.0
#include "orrery/report/html/run_page.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "orrery/report/html/run_page_internal.h"
#include "orrery/result/small_run_testing.h"

namespace orrery::report {
namespace {

using nlohmann::json;
using result::testing::sample_run;

constexpr std::string_view kPage =
    "<html><head><title>Orrery report</title></head><body><div><!--orrery-static--></div>"
    "<script type=\"application/json\" "
    "id=\"orrery-data\"></script><script>run()</script></body></html>";

json data_of(const result::Run& run, std::size_t most = 100'000) {
  return json::parse(run_page_data({&run}, {most}));
}

/// TimelineData.spans as the page reads it.
struct Columns {
  std::vector<std::uint64_t> start, length, name, lane, kind, flags, wait, slack, bytes, node,
      queue, latency, released_by;
};

Columns unpack(const json& timeline) {
  std::vector<std::vector<std::uint64_t>> columns(1, std::vector<std::uint64_t>(1));
  for (const char c : timeline["spans"].get<std::string>()) {
    if (c == ';') {
      columns.emplace_back(1);
    } else if (c == ',') {
      columns.back().push_back(0);
    } else {
      columns.back().back() = columns.back().back() * 10 + static_cast<std::uint64_t>(c - '0');
    }
  }
  EXPECT_EQ(columns.size(), 13u);
  for (auto& column : columns) {
    if (timeline["count"] == 0) column.clear();
    EXPECT_EQ(column.size(), timeline["count"]);
  }
  for (std::size_t i = 1; i < columns[0].size(); ++i) columns[0][i] += columns[0][i - 1];
  // From how far away (even: earlier, odd: later, 0: not known) to which.
  std::vector<std::uint64_t>& by = columns[12];
  for (std::size_t i = 0; i < by.size(); ++i)
    by[i] = by[i] == 0 ? result::kNone : by[i] % 2 == 0 ? i - by[i] / 2 : i + (by[i] + 1) / 2;
  return {columns[0], columns[1], columns[2], columns[3],  columns[4],  columns[5], columns[6],
          columns[7], columns[8], columns[9], columns[10], columns[11], by};
}

/// A column of RankData: numbers of which each is written as its difference from the one before.
std::vector<std::int64_t> undiffer(const std::string& packed) {
  std::vector<std::int64_t> numbers;
  std::istringstream fields(packed);
  std::int64_t value = 0;
  for (std::string field; std::getline(fields, field, ',');) {
    const std::int64_t written = field.empty() ? 0 : std::stoll(field);
    numbers.push_back(value += written % 2 == 0 ? written / 2 : -(written + 1) / 2);
  }
  if (packed.ends_with(',')) numbers.push_back(value);
  return numbers;
}

/// The classes of ranks.
std::vector<std::int64_t> classes_of(const json& rank) {
  const std::string packed = rank["classOf"];
  EXPECT_TRUE(packed.ends_with(';'));
  return undiffer(packed.substr(0, packed.size() - 1));
}

std::uint64_t sum(const json& numbers) {
  std::uint64_t total = 0;
  for (const json& number : numbers) total += number.get<std::uint64_t>();
  return total;
}

TEST(HtmlData, KeepsTheContract) {
  const result::Run run = sample_run(4, 3);
  const json data = data_of(run);
  EXPECT_EQ(data["version"], html::kPageDataVersion);
  EXPECT_TRUE(data["comparison"].is_null());
  const json& one = data["runs"].at(0);
  for (const char* key : {"title",
                          "manifest",
                          "step",
                          "stalled",
                          "ranks",
                          "spansShown",
                          "spansLeftOut",
                          "names",
                          "metrics",
                          "summary",
                          "dims",
                          "device",
                          "rank",
                          "timelines",
                          "groups",
                          "collectives",
                          "collectiveClasses",
                          "collectivesLeftOut",
                          "links",
                          "fabric",
                          "path",
                          "pathSegments",
                          "pathByCause",
                          "errorClasses",
                          "band",
                          "predicted",
                          "stragglers",
                          "findings"}) {
    EXPECT_TRUE(one.contains(key)) << key;
  }
  EXPECT_EQ(one["title"], "sample on made up");
  EXPECT_EQ(one["step"], run.step.count());
  EXPECT_EQ(one["spansShown"], "all");
  EXPECT_EQ(one["names"].at(0), "");
  EXPECT_EQ(one["ranks"], 4);
  EXPECT_EQ(one["timelines"].size(), 4u);
  EXPECT_EQ(one["groups"].at(0)["ranks"], "0-3");
  EXPECT_EQ(one["collectives"]["type"].size(), 3u);
  EXPECT_EQ(one["findings"].at(0)["name"], "default_assumed");
  EXPECT_GE(one["summary"].size(), 8u);
  for (const json& metric : one["metrics"]) EXPECT_NE(metric["meaning"], "") << metric["name"];
}

TEST(HtmlData, SharesOfEveryRankSumToTheStep) {
  const json one = data_of(sample_run(5, 4))["runs"].at(0);
  const json& rank = one["rank"];
  const std::vector<std::int64_t> classes = classes_of(rank);
  ASSERT_EQ(classes.size(), 5u);
  for (const std::int64_t of : classes) {
    std::int64_t total = 0;
    for (const char* part :
         {"exposedCompute", "overlapped", "exposedComm", "exposedMemory", "idle"})
      total += rank[part].at(static_cast<std::size_t>(of)).get<std::int64_t>();
    EXPECT_EQ(total, one["step"]);
  }
  EXPECT_EQ(sum(one["pathByCause"]), one["step"]);
}

TEST(HtmlData, SpansAreTheRunsOwn) {
  const result::Run run = sample_run(2, 2);
  const json one = data_of(run)["runs"].at(0);
  const Columns spans = unpack(one["timelines"].at(1));
  ASSERT_EQ(spans.start.size(), 8u);
  for (std::size_t i = 0; i < 8; ++i) {
    // By start; the sample's own order is that already.
    const result::Span& span = run.timelines[1].spans[i];
    EXPECT_EQ(spans.start[i], span.start.count());
    EXPECT_EQ(spans.length[i], (span.end - span.start).count());
    EXPECT_EQ(one["names"].at(spans.name[i]), run.names[span.name]);
    EXPECT_EQ(spans.node[i], span.node);
    EXPECT_EQ(spans.wait[i], span.wait.count());
    EXPECT_EQ(spans.queue[i], span.queue.count());
    EXPECT_EQ(spans.latency[i], span.latency.count());
    EXPECT_EQ(spans.released_by[i], span.released_by);
    EXPECT_EQ(spans.flags[i], (span.critical ? 1 : 0) | 2);
  }
  const json& lanes = one["timelines"].at(1)["lanes"];
  EXPECT_EQ(lanes.at(1)["title"], "all ranks");
  EXPECT_EQ(lanes.at(2)["title"], "sends to rank 0");
}

// Ranks that are alike share a timeline; whom its lanes talk to differs from rank to rank.
TEST(HtmlData, SharedLanesSayWhomEachRankTalksTo) {
  result::Run run = sample_run(4, 2, false);
  run.groups[0] = {"tp (ranks 0-1)", {0, 1}, 2, 0, 2};
  run.groups.push_back({"tp (ranks 2-3)", {2, 3}, 2, 2, 0});
  for (const std::uint32_t rank : {2, 3}) run.ranks[rank].groups = {1};
  const json one = json::parse(run_page_data({&run}))["runs"].at(0);
  ASSERT_EQ(one["timelines"].size(), 1u);
  const json& lanes = one["timelines"].at(0)["lanes"];
  EXPECT_EQ(lanes.at(1)["title"], "tp (ranks 0-1)");
  EXPECT_EQ(lanes.at(1)["group"], 0);
  EXPECT_EQ(lanes.at(2)["title"], "sends to rank 1");
  EXPECT_EQ(lanes.at(2)["distance"], 1);
  EXPECT_EQ(one["rank"]["groups"], ",,2,;");  // 0, 0, 1, 1
  EXPECT_EQ(one["rank"]["groupCount"], json::parse("[1]"));
  EXPECT_EQ(one["groups"].at(1)["name"], "tp (ranks 2-3)");
}

// The page of 131,072 ranks had eleven numbers and a list of groups for each of them.
TEST(HtmlData, RanksWithEqualFiguresShareThem) {
  result::Run run = sample_run(6, 2, false);
  run.ranks[2].sent_bytes += 1;
  run.ranks[4].finish = us(1);
  run.groups.resize(4, run.groups[0]);
  for (std::uint32_t r = 0; r < 6; ++r) run.ranks[r].groups = {r / 2, 3 - r / 2};
  run.ranks[5].groups = {1};
  const json rank = data_of(run)["runs"].at(0)["rank"];
  EXPECT_EQ(classes_of(rank), (std::vector<std::int64_t>{0, 0, 1, 0, 2, 3}));
  EXPECT_EQ(rank["sentBytes"].size(), 4u);
  EXPECT_EQ(rank["sentBytes"].at(1), run.ranks[2].sent_bytes);
  EXPECT_EQ(rank["finish"].at(2), us(1).count());
  EXPECT_EQ(rank["groupCount"], json::parse("[2, 2, 2, 1]"));
  const std::string groups = rank["groups"];
  const std::size_t end = groups.find(';');
  EXPECT_EQ(undiffer(groups.substr(0, end)), (std::vector<std::int64_t>{0, 0, 1, 1, 2, 1}));
  EXPECT_EQ(undiffer(groups.substr(end + 1, groups.size() - end - 2)),
            (std::vector<std::int64_t>{3, 3, 2, 2, 1, 1}));
}

TEST(HtmlData, EqualRunsGiveEqualBytes) {
  const result::Run a = sample_run(16, 8), b = sample_run(16, 8);
  EXPECT_EQ(write_html({&a}, kPage).value(), write_html({&b}, kPage).value());
}

TEST(HtmlData, TwoRunsAreCompared) {
  const result::Run a = sample_run(4, 2), b = sample_run(4, 3);
  const json data = json::parse(run_page_data({&a, &b}));
  ASSERT_EQ(data["runs"].size(), 2u);
  const json& comparison = data["comparison"];
  for (const char* key :
       {"metrics", "slower", "faster", "facts", "matched", "onlyA", "onlyB", "band"})
    EXPECT_TRUE(comparison.contains(key)) << key;
  EXPECT_EQ(comparison["metrics"].at(0)["name"], "step");
  EXPECT_DOUBLE_EQ(comparison["metrics"].at(0)["change"], 0.5);
}

TEST(HtmlData, MetricsOfOnlyOneRunStandBesideADash) {
  const result::Run a = sample_run(4, 2);
  result::Run b = a;
  b.peak_flops = 0;
  const json data = json::parse(run_page_data({&a, &b}));
  bool seen = false;
  for (const json& metric : data["comparison"]["metrics"]) {
    EXPECT_NE(metric["name"], "");
    if (metric["name"] != "hfu") continue;
    seen = true;
    EXPECT_NE(metric["title"], "");
    EXPECT_NE(metric["a"], "–");
    EXPECT_EQ(metric["b"], "–");
    EXPECT_TRUE(metric["change"].is_null());
    EXPECT_EQ(metric["moreIsBetter"], true);
  }
  EXPECT_TRUE(seen);
}

TEST(HtmlData, NothingRanIsFine) {
  result::Run run;
  run.stalled = true;
  run.ranks.resize(2);
  run.timelines.resize(1);
  const json one = data_of(run)["runs"].at(0);
  EXPECT_EQ(one["title"], "a run");
  EXPECT_EQ(one["rank"]["finish"], json::parse("[null]"));
  EXPECT_EQ(one["summary"].at(0).at(0), "Stalled");
}

// A span that never ended has no length of its own: it is drawn until the end, and marked.
TEST(HtmlData, UnfinishedSpansAreMarked) {
  result::Run run = sample_run(1, 1);
  run.stalled = true;
  run.timelines[0].spans[0].end = ps(-1);
  const Columns spans = unpack(data_of(run)["runs"].at(0)["timelines"].at(0));
  EXPECT_EQ(spans.length[0], run.step.count());
  EXPECT_EQ(spans.flags[0] & html::kUnfinished, html::kUnfinished);
}

/// Spans that are there themselves and those that others stand for.
std::uint64_t represented(const json& run) {
  std::uint64_t total = 0;
  for (const json& timeline : run["timelines"]) {
    const Columns spans = unpack(timeline);
    for (std::size_t i = 0; i < spans.start.size(); ++i)
      total += (spans.flags[i] & html::kMerged) != 0 ? spans.node[i] : 1;
  }
  return total;
}

TEST(HtmlThinning, NothingIsLost) {
  rc::check([] {
    const auto ranks = *rc::gen::inRange(1u, 6u);
    const auto layers = *rc::gen::inRange(1u, 60u);
    const auto most = *rc::gen::inRange(1u, 400u);
    const result::Run run = sample_run(ranks, layers);
    const json one = data_of(run, most)["runs"].at(0);
    std::uint64_t shown = 0, merged = 0, bytes = 0;
    for (const json& timeline : one["timelines"]) {
      const Columns spans = unpack(timeline);
      std::map<std::uint64_t, std::uint64_t> lane_end;
      for (std::size_t i = 0; i < spans.start.size(); ++i) {
        ++shown;
        if (spans.flags[i] & html::kMerged) merged += spans.node[i];
        bytes += spans.bytes[i];
        // What let it start had ended then, unless it stands for others.
        const std::uint64_t by = spans.released_by[i];
        RC_ASSERT(by == result::kNone || by < spans.start.size());
        if (by != result::kNone && !(spans.flags[by] & html::kMerged))
          RC_ASSERT(spans.start[by] + spans.length[by] == spans.start[i]);
        // Spans of one lane do not overlap, those that stand for others neither.
        std::uint64_t& end = lane_end[spans.lane[i]];
        RC_ASSERT(spans.start[i] >= end);
        end = spans.start[i] + spans.length[i];
        RC_ASSERT(end <= static_cast<std::uint64_t>(run.step.count()));
      }
    }
    RC_ASSERT(represented(one) == std::uint64_t{ranks} * layers * 4);
    RC_ASSERT(merged == one["spansLeftOut"].get<std::uint64_t>());
    RC_ASSERT(bytes == std::uint64_t{ranks} * layers * 6144);
    // A lane shows one at least.
    RC_ASSERT(shown <= std::max<std::uint64_t>(most, std::uint64_t{ranks} * 4));
  });
}

// Critical spans were once retained and their equals on other ranks merged, so that a rank on the
// critical path seemed to do other work than its peers.
TEST(HtmlThinning, EqualOperationsLookEqualOnAndOffTheCriticalPath) {
  const result::Run run = sample_run(8, 50);  // 1,600 spans, of which 200 are critical
  const json one = data_of(run, 1000)["runs"].at(0);
  EXPECT_GT(one["spansLeftOut"], 0);
  std::map<std::uint64_t, std::size_t> shown, critical;  // by length; not merged
  std::map<std::uint64_t, std::size_t> all, all_critical;
  for (const json& timeline : one["timelines"]) {
    const Columns spans = unpack(timeline);
    for (std::size_t i = 0; i < spans.start.size(); ++i) {
      if ((spans.flags[i] & html::kMerged) != 0) continue;
      ++shown[spans.length[i]];
      critical[spans.length[i]] += spans.flags[i] & html::kCritical;
    }
  }
  for (const result::Timeline& timeline : run.timelines) {
    for (const result::Span& span : timeline.spans) {
      const auto length = static_cast<std::uint64_t>((span.end - span.start).count());
      ++all[length];
      all_critical[length] += span.critical ? 1 : 0;
    }
  }
  EXPECT_FALSE(shown.empty());
  for (const auto& [length, count] : shown) {
    EXPECT_EQ(count, all[length]) << "either all spans of this length are shown, or none";
    EXPECT_EQ(critical[length], all_critical[length]);
  }
}

TEST(HtmlThinning, LongPathsKeepTheirSum) {
  const result::Run run = sample_run(2, 2000);  // 10,000 segments
  const json one = data_of(run)["runs"].at(0);
  const json& path = one["path"];
  EXPECT_EQ(one["pathSegments"], 10'000);
  ASSERT_LE(path["start"].size(), 4000u);
  EXPECT_GT(path["start"].size(), 2000u);
  std::int64_t at = 0;
  for (std::size_t i = 0; i < path["start"].size(); ++i) {
    EXPECT_EQ(path["start"].at(i), at);
    at = path["end"].at(i);
  }
  EXPECT_EQ(at, run.step.count());
}

TEST(HtmlThinning, CurvesKeepTheirBytes) {
  result::Run run = sample_run(2, 1);
  run.links.curves.assign(300, std::vector<std::uint64_t>(1000, 7));
  for (std::uint32_t i = 0; i < 300; ++i) {
    run.links.links.push_back({0, 0, result::kNone, false, Bandwidth(1e9), 7000, i});
  }
  const json links = data_of(run)["runs"].at(0)["links"];
  EXPECT_LT(links["curves"].at(0).size(), 250u);
  EXPECT_EQ(sum(links["curves"].at(0)), 7000u);
  EXPECT_EQ(links["bin"].get<std::int64_t>() % run.links.bin.count(), 0);
}

TEST(HtmlWriter, PutsTheRunIntoThePage) {
  const result::Run run = sample_run();
  const std::string html = write_html({&run}, kPage).value();
  EXPECT_NE(html.find("<title>sample on made up · Orrery</title>"), std::string::npos);
  EXPECT_NE(html.find("<th scope=\"row\">Step time</th><td>38 us, 4 ranks"), std::string::npos);
  EXPECT_NE(html.find("<th scope=\"row\">Finding (info)</th>"), std::string::npos);
  EXPECT_NE(html.find("<noscript>"), std::string::npos);
  const std::size_t at = html.find("id=\"orrery-data\">") + 17;
  const std::string data = html.substr(at, html.find("</script>", at) - at);
  EXPECT_EQ(data, run_page_data({&run}));
  EXPECT_TRUE(html.ends_with("</script><script>run()</script></body></html>"));
}

TEST(HtmlWriter, LongDataIsPacked) {
  const result::Run run = sample_run(64, 64);
  const std::string html = write_html({&run}, kPage).value();
  const std::size_t at = html.find("id=\"orrery-data\">") + 17;
  const json data = json::parse(html.substr(at, html.find("</script>", at) - at));
  EXPECT_EQ(data["version"], html::kPageDataVersion);
  EXPECT_GT(data["deflate"].get<std::string>().size(), 1000u);
}

TEST(HtmlWriter, APageWithoutAPlaceIsRefused) {
  const result::Run run = sample_run();
  for (const std::string_view page : {std::string_view(), kPage.substr(0, 60)}) {
    const Result<std::string> html = write_html({&run}, page);
    ASSERT_FALSE(html);
    EXPECT_EQ(html.error().code, Errc::config_missing_key);
    EXPECT_NE(html.error().hint.find("./setup --page"), std::string::npos);
  }
}

// Whatever a name holds, the page's own elements are the only ones.
TEST(HtmlWriter, HostileNamesAreInert) {
  rc::check([](const std::string& bytes) {
    const std::string evil =
        "<!--<script></script>\xE2\x80\xA8<img src=x onerror=alert(1)>&\"'" + bytes;
    result::Run run = sample_run(2, 1);
    run.timelines[0].spans[0].name = run.names.intern(evil);
    run.collectives[0].type = evil;
    run.groups[0].name = evil;
    run.device = evil;
    run.dims[0].block = evil;
    for (auto& [key, value] : run.manifest) value = evil;
    run.findings.add(FindingCode::key_ignored, evil);
    const std::string html = write_html({&run}, kPage).value();
    std::size_t tags = 0;
    for (std::size_t at = 0; (at = html.find("<script", at)) != std::string::npos; ++at) ++tags;
    RC_ASSERT(tags == 2u);
    RC_ASSERT(html.find("<img") == std::string::npos);
    RC_ASSERT(html.find("<!--") == std::string::npos);
    RC_ASSERT(html.find("\xE2\x80\xA8", html.find("orrery-data")) == std::string::npos);
    RC_ASSERT(run_page_data({&run}).find('<') == std::string::npos);
    RC_ASSERT(json::accept(run_page_data({&run})));
  });
}

TEST(HtmlWriter, LongNamesAreCutBetweenCharacters) {
  result::Run run = sample_run(1, 1);
  std::string longer = "a";
  for (int i = 0; i < 1000; ++i) longer += "\xE2\x82\xAC";
  run.timelines[0].spans[0].name = run.names.intern(longer);
  const json names = data_of(run)["runs"].at(0)["names"];
  EXPECT_LT(names.dump().size(), 900u);
  EXPECT_EQ(names.dump().find("\xEF\xBF\xBD"), std::string::npos);
}

// 1,024 ranks that all differ, 100,000 spans shown of 163,840: what a person would send by mail.
// The page itself has 0.7 MB, so that both have 2.2 MB at most.
TEST(HtmlSize, OfAThousandRanks) {
  result::Run run = sample_run(1024, 40);
  std::uint32_t seed = 1;
  for (result::Timeline& timeline : run.timelines) {
    for (result::Span& span : timeline.spans) {
      seed = seed * 1664525 + 1013904223;
      const Time jitter = ps(seed % 900'000);
      if (span.kind == result::SpanKind::compute) span.end = span.end - jitter;
      if (span.kind == result::SpanKind::collective) span.start = span.start + jitter;
      span.slack = jitter;
      if (seed % 8 == 0) span.queue = jitter;
    }
  }
  const std::string html = write_html({&run}, kPage).value();
  RecordProperty("bytes", static_cast<int>(html.size()));
  EXPECT_LT(html.size(), 1'500'000u);
}

}  // namespace
}  // namespace orrery::report
