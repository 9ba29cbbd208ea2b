// SPDX-License-Identifier: Apache-2.0
//
// Unites the groups of single ranks to groups of the job. United groups have the same ranks and the
// same name; or the same ranks, the same description and the same position in the order of
// creation.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "orrery/core/check.h"
#include "orrery/core/limits.h"
#include "orrery/intake/job/job_internal.h"

namespace orrery::intake {
namespace {

using profile::kNone;
using Ranks = std::vector<std::uint32_t>;

/// A group as recorded by one rank.
struct RecordedGroup {
  std::uint32_t place = 0;
  /// In RankComms::groups; kNone: the group of communications without a recorded group.
  std::uint32_t index = 0;
  std::string name;
  std::string description;
};

/// "0-3,8" as a name; long lists end in "…".
std::string compact_ranks(Ranks ranks) {
  std::sort(ranks.begin(), ranks.end());
  std::string out;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    if (!out.empty()) out += ',';
    out += std::to_string(ranks[i]);
    if (last > i) out += fmt::format("-{}", ranks[last]);
    i = last + 1;
    constexpr std::size_t kLong = 40;
    if (out.size() > kLong && i < ranks.size()) return out + fmt::format("…x{}", ranks.size());
  }
  return out;
}

class GroupUnion {
 public:
  GroupUnion(std::vector<RankComms>& ranks, Job& job) : ranks_(ranks), job_(job) {}

  Result<void> run() {
    if (auto fine = find_world(); !fine) return fine;
    find_users();
    collect();
    for (auto& [members, entries] : by_members_) split(members, entries);
    find_conflicts();
    name_groups();
    move_uses();
    return {};
  }

 private:
  Result<void> find_world();
  void collect();
  [[nodiscard]] Ranks members_of(std::size_t place, std::uint32_t group) const;
  [[nodiscard]] bool has_known_members(std::size_t place, std::uint32_t group,
                                       const Ranks& members) const;
  void find_users();
  void split(const Ranks& members, const std::vector<RecordedGroup>& entries);
  void add(const Ranks& members, const std::vector<const RecordedGroup*>& entries);
  void find_conflicts();
  void name_groups();
  void move_uses();

  std::vector<RankComms>& ranks_;
  Job& job_;
  // By name of a group: ranks that communicate in it.
  std::map<std::string, std::set<std::uint32_t>> users_;
  std::map<Ranks, std::vector<RecordedGroup>> by_members_;
  std::vector<std::vector<const RecordedGroup*>> recorded_groups_of_;  // per job group
};

Result<void> GroupUnion::find_world() {
  const RankComms* first = nullptr;
  for (const RankComms& rank : ranks_) {
    if (!rank.world_size || *rank.world_size == 0) continue;
    if (first == nullptr) first = &rank;
    if (*rank.world_size == *first->world_size) continue;
    return fail(
        Errc::input_mismatch, rank.where,
        fmt::format("rank {} belongs to a job of {} ranks, but rank {} ({}) to a job of {}",
                    rank.rank, *rank.world_size, first->rank, first->where, *first->world_size),
        "give traces of one job at a time");
  }
  if (first != nullptr) job_.world_size = *first->world_size;
  for (const RankFiles& files : job_.ranks)
    job_.world_size = std::max(job_.world_size, files.rank + 1);
  for (const RankComms& rank : ranks_) {
    for (const profile::Group& group : rank.groups) {
      for (const std::uint32_t member : group.ranks) {
        if (member < limits::kRanks) job_.world_size = std::max(job_.world_size, member + 1);
      }
    }
  }
  return {};
}

/// Finds the ranks that communicate in groups of each name.
void GroupUnion::find_users() {
  for (std::size_t place = 0; place < ranks_.size(); ++place) {
    std::uint32_t last = kNone;
    for (const JobComm& use : ranks_[place].uses) {
      if (use.group == kNone || use.group == last) continue;
      last = use.group;
      users_[ranks_[place].groups[last].name].insert(job_.ranks[place].rank);
    }
  }
}

/// The ranks of a group; empty: all or unknown.
Ranks GroupUnion::members_of(std::size_t place, std::uint32_t group) const {
  const profile::Group& recorded = ranks_[place].groups[group];
  if (recorded.ranks.size() == job_.world_size) {
    Ranks sorted = recorded.ranks;
    std::sort(sorted.begin(), sorted.end());
    const bool in_order = std::is_sorted(recorded.ranks.begin(), recorded.ranks.end());
    const bool all = sorted.front() == 0 && sorted.back() + 1 == sorted.size() &&
                     std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
    if (all && in_order) return {};
  }
  if (!recorded.ranks.empty()) return recorded.ranks;
  const std::int32_t size = ranks_[place].sizes[group];
  if (size <= 0 || static_cast<std::uint32_t>(size) >= job_.world_size) return {};
  if (size == 1) return {job_.ranks[place].rank};
  const auto users = users_.find(recorded.name);
  if (users == users_.end() || users->second.size() != static_cast<std::size_t>(size)) return {};
  return {users->second.begin(), users->second.end()};
}

/// True if the members are known, not guessed.
bool GroupUnion::has_known_members(std::size_t place, std::uint32_t group,
                                   const Ranks& members) const {
  if (!members.empty() || job_.world_size <= 1) return true;
  if (group == kNone) return false;
  return !ranks_[place].groups[group].ranks.empty() ||
         static_cast<std::int64_t>(ranks_[place].sizes[group]) >= job_.world_size;
}

void GroupUnion::collect() {
  for (std::uint32_t place = 0; place < ranks_.size(); ++place) {
    const auto& groups = ranks_[place].groups;
    for (std::uint32_t g = 0; g < groups.size(); ++g) {
      by_members_[members_of(place, g)].push_back(
          {place, g, groups[g].name, groups[g].description});
    }
    const auto& uses = ranks_[place].uses;
    const bool without = std::any_of(uses.begin(), uses.end(),
                                     [](const JobComm& use) { return use.group == kNone; });
    if (without) by_members_[{}].push_back({place, kNone, "", ""});
  }
}

/// Splits groups with equal members into groups of the job with one entry per rank. Uses the name
/// if every rank with such groups has it, else description and order.
void GroupUnion::split(const Ranks& members, const std::vector<RecordedGroup>& entries) {
  std::set<std::uint32_t> places;
  std::map<std::string, std::vector<const RecordedGroup*>> by_name;
  for (const RecordedGroup& entry : entries) {
    places.insert(entry.place);
    by_name[entry.name].push_back(&entry);
  }
  std::set<std::string> done;
  std::vector<const RecordedGroup*> one;
  const auto shared = [&](const std::string& name) {
    const auto& of = by_name[name];
    return of.size() == places.size() &&
           std::adjacent_find(of.begin(), of.end(),
                              [](const RecordedGroup* a, const RecordedGroup* b) {
                                return a->place == b->place;
                              }) == of.end();
  };
  std::map<std::string, std::map<std::uint32_t, std::vector<const RecordedGroup*>>> rest;
  for (const RecordedGroup& entry : entries) {
    if (!shared(entry.name)) {
      rest[entry.description][entry.place].push_back(&entry);
    } else if (done.insert(entry.name).second) {
      add(members, by_name[entry.name]);
    }
  }
  for (const auto& [description, by_place] : rest) {
    std::size_t most = 0;
    for (const auto& [place, of] : by_place) most = std::max(most, of.size());
    for (std::size_t i = 0; i < most; ++i) {
      one.clear();
      for (const auto& [place, of] : by_place) {
        if (i < of.size()) one.push_back(of[i]);
      }
      add(members, one);
    }
  }
}

void GroupUnion::add(const Ranks& members, const std::vector<const RecordedGroup*>& entries) {
  const auto number = static_cast<std::uint32_t>(job_.groups.size());
  job_.groups.push_back({"", members});
  job_.group_guessed.push_back(std::none_of(
      entries.begin(), entries.end(),
      [&](const RecordedGroup* e) { return has_known_members(e->place, e->index, members); }));
  recorded_groups_of_.push_back(entries);
  for (const RecordedGroup* entry : entries) {
    if (entry->index == kNone) {
      job_.group_without[entry->place] = number;
    } else {
      job_.group_of[entry->place][entry->index] = number;
    }
  }
}

/// Finds ranks that are members of a group, but use its name only with other ranks.
void GroupUnion::find_conflicts() {
  std::map<std::uint32_t, std::size_t> place_of;
  for (std::size_t p = 0; p < job_.ranks.size(); ++p) place_of.try_emplace(job_.ranks[p].rank, p);
  std::map<std::pair<std::size_t, std::string>, std::uint32_t> named;
  for (std::uint32_t g = 0; g < recorded_groups_of_.size(); ++g) {
    for (const RecordedGroup* entry : recorded_groups_of_[g])
      named.try_emplace({entry->place, entry->name}, g);
  }
  for (std::uint32_t g = 0; g < recorded_groups_of_.size(); ++g) {
    const RecordedGroup& left = *recorded_groups_of_[g].front();
    for (const std::uint32_t member : job_.groups[g].ranks) {
      const auto place = place_of.find(member);
      if (place == place_of.end() || left.index == kNone) continue;
      const bool has =
          std::any_of(recorded_groups_of_[g].begin(), recorded_groups_of_[g].end(),
                      [&](const RecordedGroup* e) { return e->place == place->second; });
      const auto other = named.find({place->second, left.name});
      if (has || other == named.end() || other->second <= g) continue;
      const auto line = [&](std::size_t at, const Ranks& ranks) {
        return fmt::format("{}: group '{}' has ranks {}", label(job_, at), left.name,
                           ranks.empty() ? "all" : compact_ranks(ranks));
      };
      job_.group_conflicts.push_back({"members of a group differ",
                                      line(left.place, job_.groups[g].ranks),
                                      line(place->second, job_.groups[other->second].ranks)});
    }
  }
}

/// Keeps the recorded name if all ranks agree on it and no other group has it.
void GroupUnion::name_groups() {
  std::map<std::string, std::size_t> uses;
  std::vector<std::string> wanted;
  for (std::size_t g = 0; g < job_.groups.size(); ++g) {
    const auto& entries = recorded_groups_of_[g];
    const bool agree = std::all_of(entries.begin(), entries.end(), [&](const RecordedGroup* entry) {
      return entry->name == entries.front()->name;
    });
    std::string name = agree ? entries.front()->name : entries.front()->description;
    if (name.empty()) name = job_.groups[g].ranks.empty() ? "all" : "group";
    ++uses[name];
    wanted.push_back(std::move(name));
  }
  std::set<std::string> taken;
  for (std::size_t g = 0; g < job_.groups.size(); ++g) {
    const Ranks& ranks = job_.groups[g].ranks;
    std::string name = wanted[g];
    if (uses[name] > 1) name += "@" + (ranks.empty() ? std::string("all") : compact_ranks(ranks));
    std::string unique = name;
    for (int i = 2; !taken.insert(unique).second; ++i) unique = fmt::format("{}#{}", name, i);
    job_.groups[g].name = std::move(unique);
  }
}

void GroupUnion::move_uses() {
  for (std::size_t place = 0; place < ranks_.size(); ++place) {
    RankComms& rank = ranks_[place];
    for (JobComm& use : rank.uses) {
      use.group = use.group == kNone ? job_.group_without[place] : job_.group_of[place][use.group];
      ORRERY_CHECK(use.group < job_.groups.size());
      if (job_.group_guessed[use.group])
        job_.findings.add(FindingCode::group_unknown, rank.where + ": " + use.name);
    }
    std::stable_sort(rank.uses.begin(), rank.uses.end(),
                     [](const JobComm& a, const JobComm& b) { return a.group < b.group; });
    job_.comms.push_back(std::move(rank.uses));
    job_.steps.push_back(std::move(rank.steps));
  }
}

}  // namespace

Result<void> unite_groups(std::vector<RankComms>& ranks, Job& job) {
  job.group_of.clear();
  job.group_without.assign(ranks.size(), kNone);
  for (const RankComms& rank : ranks) job.group_of.emplace_back(rank.groups.size(), kNone);
  GroupUnion all(ranks, job);
  return all.run();
}

}  // namespace orrery::intake
