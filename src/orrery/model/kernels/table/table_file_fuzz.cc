// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "orrery/core/check.h"
#include "orrery/model/kernels/table/table_file.h"

using namespace orrery;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto rows = model::parse_measured({reinterpret_cast<const char*>(data), size}, "table.csv");
  if (!rows) {
    ORRERY_CHECK(!rows.error().where.empty() && !rows.error().what.empty());
    return 0;
  }
  Findings findings;
  const model::MeasuredTable table = model::MeasuredTable::make(*rows, findings);
  model::Silicon silicon;
  silicon.memory = 1e12;
  for (const model::MeasuredKernel& row : rows->rows) {
    silicon.name = rows->devices[row.device];
    graph::Kernel kernel = row.kernel;
    for (const std::int64_t more : {0, 1, 1000}) {
      for (std::int64_t& one : kernel.sizes) one = one > 0 && one < 1'000'000 ? one + more : one;
      const auto time = table.time(kernel, silicon);
      ORRERY_CHECK(!time || (time->seconds > 0 && std::isfinite(time->seconds)));
      ORRERY_CHECK(!time || (time->band.lower <= 0 && time->band.upper >= 0));
    }
  }
  (void)model::check_measured(*rows, silicon, findings);
  return 0;
}
