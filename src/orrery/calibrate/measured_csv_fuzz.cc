// SPDX-License-Identifier: Apache-2.0
#include "orrery/calibrate/calibrate_fuzzing_testing.h"
#include "orrery/calibrate/measurements/measured_csv.h"

using namespace orrery;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  calibrate::fuzzing::check_reader(
      data, size, [](trace::ByteSource& source, calibrate::MeasurementSink& into) -> Result<void> {
        return calibrate::read_measured_csv(source, "fuzz", into);
      });
  return 0;
}
