// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/embedding/lin_devices.h"

#include <array>

namespace orrery::model {
namespace {

constexpr std::array<LinDevice, 5> kLinDevices = {
    {{"A100",
      "a100-40gb",
      15026.615,
      1391.103,
      2270.919,
      3773.812,
      108,
      40,
      {14, 29, 1391.103638, 6.450239, 2.20955621, 20.35203082, 0.62528837, 0.93242722}},
     {"V100",
      "v100-sxm2",
      15441.524,
      816.953,
      2847.457,
      3918.911,
      80,
      6,
      {16, 30, 816.953003, 4.83328223, 1.9472268, 19.81699009, 0.55556443, 0.95523816}},
     {"GV100",
      "",
      13035.91,
      601.045,
      2466.657,
      3299.471,
      80,
      6,
      {15, 28, 601.045715, 6.963206, 2.56635526, 18.54562595, 0.4196576, 0.27275451}},
     {"TitanXp", "", 10768.622, 438.699, 1406.454, 1831.258, 30, 3, {}},
     {"P100", "", 9343.711, 543.406, 1591.259, 2384.979, 56, 4, {}}}};

}  // namespace

std::span<const LinDevice> lin_devices() { return kLinDevices; }

const LinDevice* lin_device(std::string_view catalog) {
  for (const LinDevice& device : kLinDevices)
    if (!catalog.empty() && device.catalog == catalog && device.memory.max_bw > 0) return &device;
  return nullptr;
}

}  // namespace orrery::model
