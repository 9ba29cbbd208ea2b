// SPDX-License-Identifier: Apache-2.0
//
// What job traces are of, told from them alone, of all jobs that there are.
#include <gtest/gtest.h>

#include "draw.h"
#include "orrery/study/same_work.h"
#include "orrery/study/traced_job.h"

namespace orrery::property {
namespace {

using namespace workload;

// Whatever is told makes what was told of, or is refused.
TEST(TracedJob, JobsAreToldFromTheirTraces) {
  int told = 0, exact = 0, language = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const Spec spec = draw_legal(random, 16);
    Findings findings;
    const auto program = assemble(spec, findings);
    if (!program) continue;
    const auto traces = to_workload(*program);
    ASSERT_TRUE(traces.has_value());
    language += spec.model.kind == ModelKind::decoder || spec.model.kind == ModelKind::encoder;
    const auto found = study::traced_job(*traces, "drawn");
    if (!found) continue;
    ++told;
    exact += found->other == 0 && found->placed == 0 ? 1 : 0;
    if (getenv("SHOW")) fprintf(stderr, "%d other %d placed %d of %d\n", (int)seed, (int)found->other, (int)found->placed, (int)found->nodes);
  }
  fprintf(stderr, "language %d told %d exact %d\n", language, told, exact);
  EXPECT_GT(exact, 1);
}

}  // namespace
}  // namespace orrery::property
