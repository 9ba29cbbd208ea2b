// SPDX-License-Identifier: Apache-2.0
//
// Random runs that write a checkpoint at a random time, and runs that resume from it: all results
// are equal, in every field. ORRERY_SCALE_SEED and ORRERY_SCALE_CASES run others than the usual
// ones.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "orrery/core/state/findings_state.h"
#include "orrery/core/state/state_writer.h"
#include "orrery/sim/result_difference.h"
#include "random_case.h"
#include "run_modes.h"

namespace orrery::scale {
namespace {

using Run = Result<sim::SimResult>;

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The first field in which two results differ. Empty: none.
std::string unequal_field(const Run& a, const Run& b) {
  if (a.has_value() != b.has_value()) return "one fails: " + to_string(a ? b.error() : a.error());
  if (!a) return to_string(a.error()) == to_string(b.error()) ? "" : "they fail differently";
  if (const auto found = sim::first_difference(*a, *b)) return *found;
  const auto same = [](const auto& one, const auto& other) {
    return state_bytes(one) == state_bytes(other);
  };
  if (!same(a->collectives, b->collectives)) return "collectives";
  if (!same(a->path, b->path)) return "path";
  if (a->error_classes != b->error_classes) return "error classes";
  if (a->time_by_provenance != b->time_by_provenance) return "provenance";
  if (a->predicted != b->predicted) return "predicted collectives";
  if (a->chunk_choices != b->chunk_choices) return "choices of chunks";
  if (a->exposed != b->exposed) return "exposed communication";
  if (a->memory != b->memory) return "memory";
  if (a->end != b->end) return "end";
  if (a->messages != b->messages) return "messages";
  if (a->events != b->events) return "events";
  if (a->stall.has_value() != b->stall.has_value()) return "stall";
  if (a->stall && !same(*a->stall, *b->stall)) return "stall report";
  if (!same(a->savings, b->savings)) return "savings";
  if (!same(a->findings, b->findings)) return "findings";
  return "";
}

struct Count {
  std::uint64_t resumed = 0;  ///< runs that finish
  std::uint64_t refused = 0;  ///< that cannot be saved
  std::uint64_t folded = 0;
  std::uint64_t skipping = 0;
};

sim::Options draw_options(Draw& draw, const Case& drawn) {
  sim::Options options;
  options.network = drawn.network;
  options.fold = draw.one_in(2);
  options.closed_forms = draw.one_in(2);
  options.skip_repeats = draw.one_in(2);
  options.exposed_by_group = draw.one_in(2);
  options.keep_times = !draw.one_in(4);
  options.threads = draw.of<std::uint32_t>({1, 4});
  return options;
}

/// Runs the case, then with a checkpoint, then from it with another checkpoint, then from that.
void check(std::uint64_t seed, const Case& drawn, const sim::Options& options, Draw& draw,
           Count& count) {
  SCOPED_TRACE(seed);
  const std::string folder = ::testing::TempDir() + "/orrery_checkpoints";
  const std::string first = folder + "/first", second = folder + "/second";
  sim::Options plain = options;
  plain.threads = 1;
  const Run expected = sim::simulate(drawn.workload, drawn.platform, plain);
  const std::int64_t end = expected ? expected->end.count() : 1'000'000'000;
  sim::Options one = options;
  one.checkpoints = {.file = first, .at = Time(draw.between(0, end + end / 8)), .job = "job"};
  const Run saved = sim::simulate(drawn.workload, drawn.platform, one);
  if (!saved && saved.error().where == "--checkpoint, --resume") {
    ++count.refused;
    return;
  }
  EXPECT_EQ(unequal_field(expected, saved), "") << "with a checkpoint";
  if (!std::filesystem::exists(first)) {
    EXPECT_FALSE(expected.has_value() && !expected->stall && expected->end > *one.checkpoints.at);
    return;
  }
  sim::Options two = options;
  two.checkpoints = {.file = second,
                     .at = Time(draw.between(one.checkpoints.at->count(), end + end / 4)),
                     .resume = first,
                     .job = "job"};
  EXPECT_EQ(unequal_field(expected, sim::simulate(drawn.workload, drawn.platform, two)), "")
      << "resumed at " << one.checkpoints.at->count();
  // A run that resumes and one that does not write the same bytes.
  one.checkpoints.file = first + "2";
  one.checkpoints.at = two.checkpoints.at;
  EXPECT_EQ(unequal_field(expected, sim::simulate(drawn.workload, drawn.platform, one)), "");
  EXPECT_TRUE(bytes_of(second) == bytes_of(first + "2")) << "other bytes";
  if (!std::filesystem::exists(second)) {
    EXPECT_FALSE(expected.has_value());
    return;
  }
  sim::Options three = options;
  three.checkpoints = {.resume = second, .job = "job"};
  EXPECT_EQ(unequal_field(expected, sim::simulate(drawn.workload, drawn.platform, three)), "")
      << "resumed twice";
  std::filesystem::remove_all(folder);
  if (!expected || expected->stall) return;
  ++count.resumed;
  count.folded += expected->savings.representatives < drawn.workload.rank_count() ? 1 : 0;
  count.skipping += expected->savings.iterations_skipped > 0 ? 1 : 0;
}

Count run(platform::Rules rules, std::uint64_t full, std::uint64_t quick) {
  const std::uint64_t first = setting("ORRERY_SCALE_SEED", 1, 1);
  const std::uint64_t cases = setting("ORRERY_SCALE_CASES", full, quick);
  Count count;
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    Case drawn = draw_case(seed);
    Draw draw(seed);
    drawn.platform.rules = rules;
    put_upon(static_cast<Mode>(seed % kModes), draw, drawn);
    if (draw.one_in(2)) put_upon(static_cast<Mode>(draw.below(kModes)), draw, drawn);
    const sim::Options options = draw_options(draw, drawn);
    check(seed, drawn, options, draw, count);
  }
  std::printf("checkpoints: %llu of %llu runs finish, %llu folded, %llu skip, %llu refused\n",
              static_cast<unsigned long long>(count.resumed),
              static_cast<unsigned long long>(cases), static_cast<unsigned long long>(count.folded),
              static_cast<unsigned long long>(count.skipping),
              static_cast<unsigned long long>(count.refused));
  return count;
}

TEST(Checkpoints, EndAsRunsFromTheBeginning) {
  const Count count = run(platform::Rules::orrery, 100 * kModes, 6 * kModes);
  if (count.resumed < 4 * kModes) return;
  EXPECT_GT(count.folded, count.resumed / 14);
}

TEST(Checkpoints, EndAsRunsFromTheBeginningUnderAstraRules) {
  run(platform::Rules::astra, 50 * kModes, 3 * kModes);
}

}  // namespace
}  // namespace orrery::scale
