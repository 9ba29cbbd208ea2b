// SPDX-License-Identifier: Apache-2.0
//
// How far off what was told may be.
#include <cmath>

#include "orrery/record/record.h"

namespace orrery::record {

namespace {

Time share_of(Time time, double share) {
  return Time(std::llround(static_cast<double>(time.count()) * share));
}

}  // namespace

std::vector<result::ErrorClass> error_classes(const sim::SimResult& sim) {
  std::vector<result::ErrorClass> made;
  for (const sim::ErrorClass& one : sim.error_classes) {
    made.push_back({one.name, one.time, {}});
    if (one.band) made.back().off = result::Off{one.band->least, one.band->most};
  }
  return made;
}

std::vector<result::ToldCollective> told(const sim::SimResult& sim) {
  std::vector<result::ToldCollective> made;
  for (const sim::ToldCollective& one : sim.told) {
    made.push_back(
        {one.type, one.bytes, one.ranks, one.nodes, one.time, one.source, one.algorithm, {}});
    if (one.off)
      made.back().off =
          result::Off{share_of(one.time, one.off->least), share_of(one.time, one.off->most)};
  }
  return made;
}

}  // namespace orrery::record
