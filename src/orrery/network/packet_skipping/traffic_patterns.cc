// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/packet_skipping/traffic_patterns.h"

#include <algorithm>
#include <utility>

#include "orrery/core/random.h"

namespace orrery::model {

namespace {

/// Stores arrivals, or ignores them (null).
class ArrivalLog final : public PacketEngine::Report {
 public:
  ArrivalLog() = default;
  ArrivalLog(const SteadyEngine& engine, std::vector<Pattern::Arrival>& log)
      : engine_(&engine), log_(&log) {}
  void arrives(std::uint32_t token) override {
    if (log_ != nullptr) log_->push_back({engine_->now(), token});
  }
  void carries(std::uint32_t /*link*/, std::int64_t /*from*/, std::int64_t /*until*/,
               std::int64_t /*bytes*/) override {}

 private:
  const SteadyEngine* engine_ = nullptr;
  std::vector<Pattern::Arrival>* log_ = nullptr;
};

std::uint64_t hash_of(const Pattern& pattern, const std::vector<std::uint64_t>& key) {
  std::uint64_t hash = mix_bits(pattern.number);
  for (const std::uint64_t word : key) hash = mix_bits(hash ^ word);
  return hash;
}

}  // namespace

Pattern& TrafficPatterns::add(Pattern& pattern, PatternPost post, bool is_now) {
  const std::uint64_t hash = hash_of(pattern, post.key);
  const auto [first, end] = longer_.equal_range(hash);
  for (auto one = first; one != end; ++one) {
    if (one->second->before == &pattern && one->second->post.key == post.key) return *one->second;
  }
  Pattern& made = patterns_.emplace_back();
  longer_.emplace(hash, &made);
  made.number = patterns_.size();
  made.before = &pattern;
  made.known_until = post.at;
  made.post = std::move(post);
  if (!is_now) return made;
  if (pattern.engine != nullptr && pattern.known_until <= made.post.at) {
    made.engine = std::move(pattern.engine);
    ArrivalLog log(*made.engine, pattern.arrivals);
    run(*made.engine, made.post.at, log);
    pattern.known_until = made.post.at;
  } else {
    made.engine = simulate_again(pattern, made.post.at);
  }
  this->post(*made.engine, made.post);
  return made;
}

void TrafficPatterns::learn(Pattern& pattern, std::int64_t until) {
  if (pattern.quiet_at || pattern.known_until >= until) return;
  if (pattern.engine == nullptr) pattern.engine = simulate_again(pattern, pattern.known_until);
  ArrivalLog log(*pattern.engine, pattern.arrivals);
  run(*pattern.engine, until, log);
  pattern.known_until = until;
  if (!pattern.engine->is_quiet()) return;
  pattern.quiet_at = pattern.engine->quiet_since();
  pattern.events = pattern.engine->events();
  pattern.engine.reset();
}

std::int64_t TrafficPatterns::next_arrival(const Pattern& pattern) const {
  if (pattern.quiet_at) return kNever;
  const std::int64_t later = pattern.known_until + 1;
  if (pattern.engine == nullptr) return later;
  const std::int64_t bound = pattern.engine->next_arrival();
  return bound == kNever ? kNever : std::max(later, bound);
}

std::unique_ptr<SteadyEngine> TrafficPatterns::simulate_again(const Pattern& pattern,
                                                              std::int64_t until) {
  auto engine = std::make_unique<SteadyEngine>(settings_, usual_window_);
  std::vector<const Pattern*> path;
  for (const Pattern* at = &pattern; at->before != nullptr; at = at->before) path.push_back(at);
  ArrivalLog ignored;
  for (auto at = path.rbegin(); at != path.rend(); ++at) {
    const PatternPost& post = (*at)->post;
    if (!post.is_together) run(*engine, post.at, ignored);
    this->post(*engine, post);
  }
  run(*engine, until, ignored);
  return engine;
}

void TrafficPatterns::post(SteadyEngine& engine, const PatternPost& post) {
  for (const PatternLink& one : post.routes.links)
    engine.add_link(one.link, one.back ? &*one.back : nullptr);
  if (!post.routes.forth.empty()) {
    engine.routes().add(post.message.from, post.message.to, post.routes.forth);
    engine.routes().add(post.message.to, post.message.from, post.routes.back);
  }
  ArrivalLog none;
  engine.post(post.message, post.at, none);
}

void TrafficPatterns::run(SteadyEngine& engine, std::int64_t until, PacketEngine::Report& report) {
  const std::uint64_t before = engine.simulated();
  engine.run(until, report);
  *simulated_ += engine.simulated() - before;
}

}  // namespace orrery::model
