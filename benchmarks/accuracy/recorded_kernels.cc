// SPDX-License-Identifier: Apache-2.0
//
// Share of the device time in recordings that belongs to known kernels: one line per recording (the
// files of one rank; "DEVICE+HOST" for two files of one rank). --classes prints the known time by
// class, --unknown the unknown time by operator and kernel. The time includes kernels, copies and
// fills, without communication.
//
//   recorded_kernels [--classes | --unknown] TRACE...
#include "orrery/intake/convert/recorded_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/intake/convert/comm_plan.h"
#include "orrery/intake/job/job.h"

namespace {

using namespace orrery;
using intake::RecordedKernels;

struct Shares {
  double all = 0, known = 0;
  std::map<std::string, double> classes, unknown;
};

bool communicates(const profile::Profile& profile, profile::EventId e) {
  const std::string_view name = profile.name(e);
  return profile.comm(e) != nullptr || name.find("nccl") != std::string_view::npos ||
         name.find("multimem") != std::string_view::npos;
}

Shares shares_of(const profile::Profile& profile) {
  Shares shares;
  const RecordedKernels kernels(profile);
  for (profile::EventId e = 0; e < profile.events.size(); ++e) {
    const profile::Event& event = profile.events[e];
    if (!is_device_work(event.kind) || communicates(profile, e)) continue;
    const double time = static_cast<double>(event.duration.count());
    shares.all += time;
    const graph::KernelId id = kernels.of(event.detail);
    const profile::EventId op = profile.works[event.detail].op;
    if (id == graph::kNoKernel) {
      const auto by = op == profile::kNoEvent ? std::string("-") : std::string(profile.name(op));
      shares.unknown[by + " | " + std::string(profile.name(e).substr(0, 60))] += time;
      continue;
    }
    const graph::Kernel& kernel = kernels.table()[id];
    shares.known += time;
    shares.classes[fmt::format("{} {}", name(kernel.operation), name(kernel.pass))] += time;
  }
  return shares;
}

void print_longest(const std::map<std::string, double>& times, double all) {
  std::vector<std::pair<double, std::string>> sorted;
  for (const auto& [name, time] : times) sorted.emplace_back(time, name);
  std::sort(sorted.rbegin(), sorted.rend());
  for (std::size_t i = 0; i < std::min<std::size_t>(sorted.size(), 20); ++i)
    fmt::print("  {:6.2f} %  {}\n", 100 * sorted[i].first / all, sorted[i].second);
}

int measure(const std::string& traces, std::string_view more) {
  Findings findings;
  intake::JobOptions options;
  const std::size_t plus = traces.find('+');
  options.traces = {traces.substr(0, plus)};
  if (plus != std::string::npos) options.traces.push_back(traces.substr(plus + 1));
  auto ranks = intake::find_ranks(options, findings);
  if (!ranks) return fmt::print(stderr, "{}\n", ranks.error().what), 1;
  auto rank = intake::read_rank(ranks->front(), std::make_shared<StringPool>());
  if (!rank) return fmt::print(stderr, "{}\n", rank.error().what), 1;
  const Shares shares = shares_of(rank->profile);
  fmt::print("{:6.1f} %  of {:9.3f} ms  {}\n", shares.all > 0 ? 100 * shares.known / shares.all : 0,
             shares.all / 1e9, traces);
  if (more == "--classes") print_longest(shares.classes, shares.all);
  if (more == "--unknown") print_longest(shares.unknown, shares.all);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::string_view more;
  int failed = 0;
  for (int i = 1; i < argc; ++i) {
    if (argv[i][0] == '-') {
      more = argv[i];
    } else {
      failed |= measure(argv[i], more);
    }
  }
  return failed;
}
