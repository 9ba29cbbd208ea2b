// SPDX-License-Identifier: Apache-2.0
//
// The tables of docs/reference/replay.md. With ORRERY_UPDATE_DOCS=1 they are written anew.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "orrery/core/effort_testing.h"
#include "orrery/core/paths_testing.h"
#include "orrery/core/text/units.h"
#include "orrery/study/recordings/replay.h"

namespace orrery::study {
namespace {

namespace fs = std::filesystem;

const fs::path kSource = core_testing::kSourceFolder;
const fs::path kData = kSource / ".." / "shared" / "data";
const fs::path kPage = kSource / "docs/reference/replay.md";

struct Recording {
  std::string name;
  std::vector<std::string> files;
  bool filtered = false;  ///< most events are gone
};

std::vector<Recording> recordings() {
  std::vector<Recording> all;
  const auto path = [](const char* name) { return (kData / name).string(); };
  all.push_back(
      {"param/dlrm, 8 ranks",
       {path("traces/param/dlrm_kineto.tar.gz"), path("traces/param/dlrm_pytorch_et.tar.gz")}});
  all.push_back({"hta/sampled_128rank, 2 ranks",
                 {path("traces/hta/sampled_128rank.rank0.json.gz"),
                  path("traces/hta/sampled_128rank.rank1.json.gz")},
                 true});
  std::vector<fs::path> files;
  for (const char* folder : {"replay", "replay/minimal", "traces/hta", "traces/tracelens"}) {
    for (const auto& entry : fs::directory_iterator(kData / folder)) {
      const std::string name = entry.path().filename().string();
      const bool left_out = name == "index.json" || name.find("sampled") != std::string::npos ||
                            name.find(".et.json") != std::string::npos;
      if (entry.is_regular_file() && !left_out) files.push_back(entry.path());
    }
  }
  files.emplace_back(path("traces/param/linear_kineto.json.gz"));
  files.emplace_back(path("traces/param/resnet_kineto.json.gz"));
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    all.push_back(
        {fs::relative(file,
                      kData / (file.string().find("/replay/") != std::string::npos ? "" : "traces"))
             .string(),
         {file.string()}});
  }
  return all;
}

Replay play(const Recording& recording, const profile::IgnoredDependencies& without, bool together,
            bool learn = false) {
  ReplayQuestion question;
  question.recorded.traces = recording.files;
  question.leave_out = without;
  question.together = together;
  question.learn = learn;
  Watch watch;
  auto made = replay(question, watch);
  EXPECT_TRUE(made.has_value()) << recording.name << (made ? "" : to_string(made.error()));
  return made ? std::move(*made) : Replay{};
}

/// In percent.
double error(Time recorded, Time simulated) {
  if (recorded.count() == 0) return 0;
  return 100 * std::abs(static_cast<double>((simulated - recorded).count())) /
         static_cast<double>(recorded.count());
}
double of(Time part, double whole) {
  return whole <= 0 ? 0 : 100 * static_cast<double>(part.count()) / whole;
}
std::string percent(double value) {
  return value == 0 ? "0" : value < 0.005 ? "<0.01" : fmt::format("{:.2f}", value);
}

struct Figures {
  std::size_t steps = 0;
  double step = 0;  ///< mean, picoseconds
  double mean = 0, worst = 0;
  double drift = 0, p95 = 0, farthest = 0, waits = 0;
  double next = -1, learned = -1;  ///< below 0: there is one iteration
  std::uint64_t edges = 0, guessed = 0;
};

Figures figures_of(const Replay& replay) {
  Figures all;
  double recorded = 0, waited = 0, events = 0;
  const auto take = [&](Time was, Time is) {
    ++all.steps;
    all.step += static_cast<double>(was.count());
    all.mean += error(was, is);
    all.worst = std::max(all.worst, error(was, is));
  };
  for (const ReplayedRank& rank : replay.ranks) {
    for (const ReplayedStep& step : rank.steps) take(step.recorded, step.simulated);
    if (rank.steps.empty()) take(rank.recorded, rank.simulated);
    recorded += static_cast<double>(rank.recorded.count());
    waited += static_cast<double>(rank.unknowns.waited.count());
    all.edges += rank.unknowns.edges;
    all.guessed += rank.unknowns.guessed;
  }
  all.step /= static_cast<double>(std::max<std::size_t>(all.steps, 1));
  all.mean /= static_cast<double>(std::max<std::size_t>(all.steps, 1));
  for (const ReplayedRank& rank : replay.ranks) {
    const auto count = static_cast<double>(rank.drift.count);
    all.drift += of(rank.drift.mean, all.step) * count;
    events += count;
    all.p95 = std::max(all.p95, of(rank.drift.p95, all.step));
    all.farthest = std::max(all.farthest, of(rank.drift.worst, all.step));
  }
  if (events > 0) all.drift /= events;
  all.waits = recorded <= 0 ? 0 : 100 * waited / recorded;
  return all;
}

/// How far a step is from the one before it, and from a replay with the times of the one before.
void compare_steps(const Recording& recording, const Replay& replay, Figures& figures) {
  double next = 0, learned = 0, count = 0;
  const bool several = std::all_of(replay.ranks.begin(), replay.ranks.end(),
                                   [](const ReplayedRank& rank) { return rank.steps.size() > 1; });
  if (!several) return;
  const Replay taught = play(recording, {}, true, true);
  for (std::size_t r = 0; r < replay.ranks.size(); ++r) {
    const auto& steps = replay.ranks[r].steps;
    for (std::size_t i = 1; i < steps.size(); ++i, ++count) {
      next += error(steps[i].recorded, steps[i - 1].recorded);
      learned += error(steps[i].recorded, taught.ranks.at(r).steps.at(i).simulated);
    }
  }
  figures.next = next / count;
  figures.learned = learned / count;
}

std::string row_of(const Recording& recording, const Replay& replay, const Figures& f) {
  return fmt::format(
      "| {} | {} | {} | {} | {} | {} | {} / {} / {} | {} % of {} | {} % | {} | {} |\n",
      recording.name, replay.ranks.size(), f.steps,
      format_time(Time(static_cast<std::int64_t>(f.step))), percent(f.mean), percent(f.worst),
      percent(f.drift), percent(f.p95), percent(f.farthest),
      percent(100.0 * static_cast<double>(f.guessed) /
              static_cast<double>(std::max<std::uint64_t>(f.edges, 1))),
      f.edges, percent(f.waits), f.next < 0 ? "-" : percent(f.next),
      f.learned < 0 ? "-" : percent(f.learned));
}

struct Variant {
  const char* what;
  profile::IgnoredDependencies without;
  bool together = true;
};

const Variant kVariants[] = {
    {"nothing", {}},
    {"lanes: works of a device one after another", {.lanes = true}},
    {"lags", {.lags = true}},
    {"launch latency", {.launch_latency = true}},
    {"waits across streams", {.across_streams = true}},
    {"hand-offs between threads", {.between_threads = true}},
    {"think time", {.think_time = true}},
    {"rendezvous of ranks", {}, false},
};

/// The mean and the worst error of the whole length, all recordings and ranks.
std::string without_row(const Variant& variant, const std::vector<Recording>& all) {
  double sum = 0, worst = 0;
  std::size_t count = 0, beyond = 0;
  std::string where = "-";
  for (const Recording& recording : all) {
    if (recording.filtered) continue;
    for (const ReplayedRank& rank : play(recording, variant.without, variant.together).ranks) {
      const double off = error(rank.recorded, rank.simulated);
      sum += off;
      ++count;
      beyond += off > 1 ? 1 : 0;
      if (off <= worst) continue;
      worst = off;
      where = recording.name;
    }
  }
  return fmt::format("| {} | {} % | {} of {} | {} % | {} |\n", variant.what,
                     percent(sum / static_cast<double>(std::max<std::size_t>(count, 1))), beyond,
                     count, percent(worst), where);
}

std::string put(std::string page, const std::string& name, const std::string& part) {
  const std::string begin = "<!-- begin " + name + " -->\n", end = "<!-- end " + name + " -->";
  const std::size_t from = page.find(begin), to = page.find(end);
  EXPECT_TRUE(from != std::string::npos && to != std::string::npos) << name;
  if (from == std::string::npos || to == std::string::npos) return page;
  return page.substr(0, from + begin.size()) + part + page.substr(to);
}

/// The page with the table of variants. Quick: two of its rows are compared.
std::string with_variants(const std::string& page, const std::vector<Recording>& all) {
  const bool every = core_testing::full_effort() || std::getenv("ORRERY_UPDATE_DOCS") != nullptr;
  std::string table = "| left out | error | beyond 1 % | worst | where |\n|---|--:|--:|--:|---|\n";
  for (std::size_t i = 0; i < std::size(kVariants); ++i) {
    if (!every && i % 4 != 3) continue;
    const std::string row = without_row(kVariants[i], all);
    EXPECT_TRUE(every || page.find(row) != std::string::npos) << row;
    table += row;
  }
  return every ? put(page, "without", table) : page;
}

TEST(Recordings, AllOfThemPlayedAgain) {
  if (!fs::exists(kData / "traces") || !fs::exists(kData / "replay"))
    GTEST_SKIP() << "the recorded traces are not beside the project (../shared/data)";
  const std::vector<Recording> all = recordings();
  EXPECT_GT(all.size(), 30u);
  std::string table =
      "| recording | ranks | steps | step | error, % | worst, % | drift, % of a step | inferred | "
      "waits | next step, % | learned, % |\n"
      "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n";
  for (const Recording& recording : all) {
    const Replay made = play(recording, {}, true);
    Figures figures = figures_of(made);
    compare_steps(recording, made, figures);
    table += row_of(recording, made, figures);
    if (recording.filtered) continue;
    const bool ranks = made.ranks.size() > 1;
    EXPECT_LE(figures.mean, ranks ? 1 : 2) << recording.name;
    EXPECT_LE(figures.worst, 5) << recording.name;
    EXPECT_LE(figures.drift, 3) << recording.name;
    EXPECT_LE(figures.learned, std::max(5.0, figures.next)) << recording.name;
    for (const ReplayedRank& rank : made.ranks) {
      const auto close = [&](Time was, Time is, const char* what) {
        EXPECT_NEAR(of(was, static_cast<double>(rank.recorded.count())),
                    of(is, static_cast<double>(rank.simulated.count())), 1)
            << recording.name << ": " << what;
      };
      const profile::Breakdown &was = rank.recorded_parts, &is = rank.simulated_parts;
      close(was.compute_only, is.compute_only, "compute_only");
      close(was.overlapped, is.overlapped, "overlapped");
      close(was.comm_only, is.comm_only, "comm_only");
      close(was.copy_only, is.copy_only, "copy_only");
      close(was.idle, is.idle, "idle");
      // … and so does the simulator of devices (steps of threads begin where the one before ended);
      // it counts overlap with copies as overlap.
      if (!rank.on_device) continue;
      const profile::Breakdown& own = rank.accounted;
      close(was.compute_only + was.overlapped, own.compute_only + own.overlapped, "own compute");
      close(was.comm_only, own.comm_only, "own comm_only");
      close(was.copy_only, own.copy_only, "own copy_only");
      close(was.idle, own.idle, "own idle");
    }
  }
  std::ifstream file(kPage);
  std::stringstream before;
  before << file.rdbuf();
  const std::string page = with_variants(put(before.str(), "replay", table), all);
  if (std::getenv("ORRERY_UPDATE_DOCS") != nullptr) {
    std::ofstream(kPage) << page;
  } else {
    EXPECT_EQ(page, before.str()) << "docs/reference/replay.md is out of date: run this test with "
                                     "ORRERY_UPDATE_DOCS=1";
  }
}

}  // namespace
}  // namespace orrery::study
