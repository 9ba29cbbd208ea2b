// SPDX-License-Identifier: Apache-2.0
//
// Names of TensorFlow's devices.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace orrery::trace::tensorflow {

/// A name such as "/job:worker/replica:0/task:1/device:GPU:0/stream:13", of any version.
struct DeviceName {
  enum class Use : std::uint8_t {
    host,    ///< nodes of an executor, also of a GPU's executor
    stream,  ///< works of one stream
    all,     ///< works of all streams ("stream:all")
    copies   ///< copies of all streams ("memcpy")
  };

  Use use = Use::host;
  std::string task;         ///< "/job:worker/replica:0/task:1"; empty: the only one
  std::string device;       ///< with its task: "/job:worker/replica:0/task:1/gpu:0"
  bool is_gpu = false;      ///< the device is a GPU
  std::int64_t number = 0;  ///< of the device
  std::int64_t stream = 0;
};
[[nodiscard]] DeviceName parse_device_name(std::string_view name);

}  // namespace orrery::trace::tensorflow
