// SPDX-License-Identifier: Apache-2.0
//
// For tests: simulates phases message by message and tick by tick. Slow and simple.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "orrery/model/collective/algorithms/closed_form.h"
#include "orrery/model/collective/algorithms/tree_place.h"
#include "orrery/network/dimensions/multi_dim_fabric.h"

namespace orrery::model::reference {

using Times = std::vector<std::int64_t>;

inline std::int64_t plus(std::int64_t now, std::int64_t wait) {
  return std::min(now + wait, MultiDimFabric::kTooLong);
}

/// Processes ticks in order. A tick ends when nothing more happens in it.
class Ticks {
 public:
  virtual ~Ticks() = default;
  void run() {
    while (!ticks_.empty()) {
      const std::int64_t now = *ticks_.begin();
      while (goes_on(now)) {
      }
      ticks_.erase(now);
    }
  }

 protected:
  virtual bool goes_on(std::int64_t now) = 0;
  std::int64_t due(std::int64_t time) { return *ticks_.insert(time).first; }

 private:
  std::set<std::int64_t> ticks_;
};

/// Simulates packets as PhaseSpec describes them.
class Packets : public Ticks {
 public:
  Packets(const PhaseSpec& spec, const Times& begins, const DelayBetween& delay)
      : spec_(spec), delay_(delay), members_(begins.size()) {
    for (std::uint32_t p = 0; p < begins.size(); ++p) members_[p].begin = due(begins[p]);
  }
  [[nodiscard]] Times ends() const {
    Times ends;
    for (const Member& member : members_) ends.push_back(member.end);
    return ends;
  }

 private:
  struct Message {
    std::uint32_t to, key;
    std::int64_t arrival;
  };
  struct Member {
    std::int64_t begin = 0, end = -1, last_free = -1;
    bool begun = false;
    std::int32_t inserted = 0, free = 0, sent = 0, received = 0;
    std::multiset<std::int64_t> waiting;           // times at which packets become free
    std::map<std::uint32_t, std::int32_t> posted;  // receives by key
  };

  bool goes_on(std::int64_t now) override {
    bool more = false;
    for (std::uint32_t p = 0; p < members_.size(); ++p) {
      Member& member = members_[p];
      if (!member.begun && member.begin == now) {
        member.begun = more = true;
        for (std::int32_t i = 0; i < spec_.window; ++i) insert(member, now);
      }
      if (const std::size_t freed = member.waiting.erase(now)) {
        member.free += static_cast<std::int32_t>(freed);
        member.last_free = now;
        more = true;
      }
      while (may_send(member, now)) {
        send(p, now);
        more = true;
      }
      if (member.end < 0 && member.sent == spec_.steps && member.free == spec_.window)
        member.end = now;
    }
    for (auto message = flying_.begin(); message != flying_.end();) {
      Member& member = members_[message->to];
      if (message->arrival > now || member.posted[message->key] == 0) {
        ++message;
        continue;
      }
      --member.posted[message->key];
      ++member.received;
      insert(member, now);
      message = flying_.erase(message);
      more = true;
    }
    return more;
  }

  bool may_send(const Member& member, std::int64_t now) const {
    if (member.sent == spec_.steps || member.free == 0) return false;
    if (spec_.barrier == 0 || spec_.steps - member.sent > spec_.barrier) return true;
    return member.received >= spec_.barrier && member.last_free == now;
  }

  void insert(Member& member, std::int64_t now) {
    const auto packet = static_cast<std::uint32_t>(member.inserted++);
    std::int64_t time = plus(now, spec_.endpoint);
    if (spec_.reduces(packet)) time = plus(time, spec_.step_of(packet).reduce);
    member.waiting.insert(due(time));
  }

  void send(std::uint32_t p, std::int64_t now) {
    Member& member = members_[p];
    --member.free;
    const std::uint32_t key = spec_.key_of(static_cast<std::uint32_t>(member.sent++));
    const std::uint32_t to = spec_.destination(p, p, key);
    const std::int64_t delay = spec_.delay_by_key.empty() ? delay_(p, to, spec_.step_of(key).bytes)
                                                          : spec_.delay_by_key[key];
    flying_.push_back({to, key, due(plus(now, delay))});
    ++member.posted[key];
  }

  const PhaseSpec& spec_;
  const DelayBetween& delay_;
  std::vector<Member> members_;
  std::vector<Message> flying_;
};

/// A double binary tree. Leaves send up. A position that has received from all children sends up;
/// the root sends down.
class Tree : public Ticks {
 public:
  Tree(const PhaseSpec& spec, const Times& begins, const DelayBetween& delay)
      : spec_(spec), delay_(delay), members_(begins.size()) {
    for (std::uint32_t p = 0; p < begins.size(); ++p) {
      members_[p].begin = due(begins[p]);
      members_[p].place = tree_place(p, spec.request.ring.size, !spec.request.min_tree);
    }
  }
  [[nodiscard]] Times ends() const {
    Times ends;
    for (const Member& member : members_) ends.push_back(member.end);
    return ends;
  }

 private:
  struct Message {
    std::uint32_t from, to;
    std::int64_t arrival;
  };
  struct Member {
    TreePlace place;
    std::int64_t begin = 0, end = -1;
    bool begun = false;
    std::int32_t free = 0;
    std::multiset<std::int64_t> waiting;
    std::multiset<std::uint32_t> posted;  // senders
  };

  bool goes_on(std::int64_t now) override {
    bool more = false;
    for (std::uint32_t p = 0; p < members_.size(); ++p) {
      Member& member = members_[p];
      if (!member.begun && member.begin == now) {
        member.begun = more = true;
        if (member.place.is_leaf()) member.waiting.insert(due(plus(now, spec_.endpoint)));
        for (const std::uint32_t child : {member.place.left, member.place.right}) {
          if (child != TreePlace::kNone) member.posted.insert(child);
        }
      }
      for (std::size_t freed = member.waiting.erase(now); freed != 0; --freed) {
        more = true;
        ++member.free;
        packet_free(p, now);
      }
    }
    for (auto message = flying_.begin(); message != flying_.end();) {
      Member& member = members_[message->to];
      const auto posted = member.posted.find(message->from);
      if (message->arrival > now || posted == member.posted.end()) {
        ++message;
        continue;
      }
      member.posted.erase(posted);
      const std::int64_t reduce = member.place.is_leaf() ? 0 : spec_.step[0].reduce;
      member.waiting.insert(due(plus(plus(now, spec_.endpoint), reduce)));
      message = flying_.erase(message);
      more = true;
    }
    return more;
  }

  void packet_free(std::uint32_t p, std::int64_t now) {
    Member& member = members_[p];
    const TreePlace& place = member.place;
    const bool root = place.parent == TreePlace::kNone;
    const int children = (place.left != TreePlace::kNone) + (place.right != TreePlace::kNone);
    if (!root && member.free == std::max(children, 1)) {
      send(p, place.parent, now);
      member.posted.insert(place.parent);
    }
    if (member.free != (root ? children : std::max(children, 1) + 1)) return;
    if (place.left != TreePlace::kNone) send(p, place.left, now);
    if (place.right != TreePlace::kNone) send(p, place.right, now);
    member.end = now;
  }

  void send(std::uint32_t from, std::uint32_t to, std::int64_t now) {
    flying_.push_back({from, to, due(plus(now, delay_(from, to, spec_.request.data)))});
  }

  const PhaseSpec& spec_;
  const DelayBetween& delay_;
  std::vector<Member> members_;
  std::vector<Message> flying_;
};

inline Times message_by_message(const PhaseSpec& spec, const Times& begins,
                                const DelayBetween& delay) {
  if (spec.peers == Peers::tree) {
    Tree tree(spec, begins, delay);
    tree.run();
    return tree.ends();
  }
  Packets packets(spec, begins, delay);
  packets.run();
  return packets.ends();
}

}  // namespace orrery::model::reference
