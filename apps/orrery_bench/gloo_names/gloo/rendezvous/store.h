// SPDX-License-Identifier: Apache-2.0
//
// PyTorch's header of its Gloo process group includes Gloo's headers, which PyTorch packages do not
// contain. It needs only these names. None of these functions is called: they are the ones that
// PyTorch's header overrides.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace gloo {
class Context;
namespace rendezvous {
class Store {
 public:
  static constexpr std::chrono::milliseconds kDefaultTimeout = std::chrono::seconds(30);
  virtual ~Store() = default;
  virtual void set(const std::string& key, const std::vector<char>& data) = 0;
  virtual std::vector<char> get(const std::string& key) = 0;
  virtual void wait(const std::vector<std::string>& keys) = 0;
  virtual void wait(const std::vector<std::string>& keys,
                    const std::chrono::milliseconds& timeout) = 0;
};
}  // namespace rendezvous
namespace transport {
class Device;
class UnboundBuffer;
}  // namespace transport
}  // namespace gloo
