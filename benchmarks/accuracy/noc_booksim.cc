// SPDX-License-Identifier: Apache-2.0
//
// Latency and throughput of the network of flits, compared with BookSim2's, as CSV.
//
//   noc_booksim FOLDER [SEEDS]      FOLDER contains booksim_8x8_mesh.json and booksim_seeds.json
#include <cstdio>
#include <cstdlib>
#include <string>

#include "orrery/network/noc/booksim_comparison_testing.h"

namespace {

using namespace orrery::noc::testing;

std::string verdict(const Compared& one) {
  if (!one.note.empty()) return one.note;
  if (one.saturated > 0) return "outside: saturated runs of ours: " + std::to_string(one.saturated);
  return one.is_within() ? "within" : "outside";
}

void print(const Compared& one) {
  std::printf("%s,%s,%g,%.4f,%.4f,%.4f,%s\n", one.name.c_str(), one.figure.c_str(), one.load,
              one.ours, one.theirs, one.limit, verdict(one).c_str());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t seeds = argc > 2 ? std::atoll(argv[2]) : 5;
  const auto cases =
      argc > 1 ? booksim_cases(std::string(argv[1]) + "/") : std::vector<BookSimCase>();
  if (cases.empty()) {
    std::fprintf(stderr, "usage: noc_booksim FOLDER [SEEDS]\n");
    return 2;
  }
  std::printf("configuration,figure,load,orrery,booksim2,limit,result\n");
  for (const BookSimCase& one : cases) {
    std::vector<OurRuns> runs;
    for (std::size_t i = 0; i < one.measured["rate"].size(); ++i) {
      // The latency of long packets differs more from seed to seed.
      runs.push_back(run_seeds(one, one.measured["rate"][i].get<double>(),
                               one.traffic.packet == 20 ? 4 * seeds : seeds));
      print(compare_latency(one, i, runs.back()));
    }
    print(compare_throughput(one, runs));
  }
  return 0;
}
