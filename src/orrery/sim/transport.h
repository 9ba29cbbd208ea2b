// SPDX-License-Identifier: Apache-2.0
//
// From "send these bytes" to an arrival.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "orrery/model/network/links.h"
#include "orrery/sim/run.h"

namespace orrery::sim {

/// Analytical model: a message arrives after its delay, whatever else is sent. Message model: link
/// by link, each carries one at a time.
class Transport {
 public:
  explicit Transport(Run& run);

  /// Sends `size` bytes between two ranks of the workload, in the name of `weight` senders that are
  /// alike; `arrival` (its time is ignored) happens when they are there. `delay` is what the
  /// analytical model says.
  void send(std::uint32_t from, std::uint32_t to, std::int64_t size, std::int64_t delay,
            Event arrival, std::uint32_t weight);

  /// Events of kind hop_arrival: what happens now, if that was the message's last hop.
  [[nodiscard]] std::optional<Event> hop_arrives(std::uint32_t message);
  /// Events of kind link_idle.
  void link_idle(std::uint32_t link);

  /// The links, under the message model; or null.
  [[nodiscard]] const std::shared_ptr<model::Links>& links() const { return links_; }
  [[nodiscard]] bool shares_links() const { return links_ != nullptr; }
  /// What a message takes when nobody is in its way.
  [[nodiscard]] std::int64_t alone(std::uint32_t from, std::uint32_t to, std::int64_t size) const {
    return links_ ? links_->alone(from, to, size) : run_.fabric.delay(from, to, size);
  }

  /// Goes on from where another has come to.
  void resume(const Transport& other) {
    if (other.links_) links_ = std::make_shared<model::Links>(*other.links_);
    cargo_ = other.cargo_;
  }

 private:
  void depart(const model::Links::Departure& departure);

  Run& run_;
  std::shared_ptr<model::Links> links_;  // kept by recordings, too
  std::vector<Event> cargo_;             // by message of links_: what happens when it is there
};

}  // namespace orrery::sim
