// SPDX-License-Identifier: Apache-2.0
#include "addons/calculon/calculon_search.h"

#include <algorithm>
#include <mutex>
#include <thread>

#include "orrery/core/system/thread_pool.h"

namespace orrery::estimate::calculon {

namespace {

std::vector<std::int64_t> factors(std::int64_t of) {
  std::vector<std::int64_t> found;
  for (std::int64_t one = 1; one <= of / one; ++one) {
    if (of % one != 0) continue;
    found.push_back(one);
    if (one != of / one) found.push_back(of / one);
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// The best of several candidates, and the outcomes of the others.
class SearchTally {
 public:
  explicit SearchTally(std::size_t most) : most_(most) {}

  void refuse(Refusal why, std::uint64_t count) {
    found_.candidates += count;
    found_.refused[static_cast<std::size_t>(why)] += count;
  }
  [[nodiscard]] bool wants(double samples) const {
    return found_.best.size() < most_ || samples > found_.best.back().samples_per_second;
  }
  void count() {
    ++found_.candidates;
    ++found_.feasible;
  }
  void add(const RankedPlan& one) {
    const auto place = std::upper_bound(found_.best.begin(), found_.best.end(), one,
                                        [](const RankedPlan& a, const RankedPlan& b) {
                                          return a.samples_per_second > b.samples_per_second;
                                        });
    found_.best.insert(place, one);
    if (found_.best.size() > most_) found_.best.pop_back();
  }
  /// Merges the result of a later part of the search.
  void merge(const Search& later) {
    found_.candidates += later.candidates;
    found_.feasible += later.feasible;
    for (std::size_t i = 0; i < kRefusalCount; ++i) found_.refused[i] += later.refused[i];
    for (const RankedPlan& one : later.best)
      if (wants(one.samples_per_second)) add(one);
  }
  [[nodiscard]] const Search& found() const { return found_; }

 private:
  std::size_t most_;
  Search found_;
};

struct Pair {
  std::int64_t tensor, pipeline;
};

std::vector<Pair> pairs(const Model& model, std::int64_t devices) {
  std::vector<Pair> found;
  for (const std::int64_t tensor : factors(devices)) {
    if (model.hidden % tensor != 0 || model.attn_heads % tensor != 0) continue;
    for (const std::int64_t pipeline : factors(std::min(devices / tensor, model.num_blocks)))
      if (devices % (tensor * pipeline) == 0 && model.num_blocks % pipeline == 0)
        found.push_back({tensor, pipeline});
  }
  return found;
}

/// Evaluates all plans with one pair of tensor and pipeline parallelism.
class PairSearch {
 public:
  PairSearch(const Model& model, const Machine& machine, const SearchRequest& asked,
             const Pair& pair)
      : model_(model), machine_(machine), tally_(asked.best) {
    plan_.num_procs = asked.devices;
    plan_.tensor_par = pair.tensor;
    plan_.pipeline_par = pair.pipeline;
    plan_.data_par = asked.devices / (pair.tensor * pair.pipeline);
    plan_.batch_size =
        std::max(asked.most_batch / plan_.data_par, std::int64_t{1}) * plan_.data_par;
    plan_.datatype = asked.datatype;
    plan_.attention_type = asked.attention;
    plan_.fused_activation = asked.fused_activation;
    chunks_ = pair.pipeline == 1 ? std::vector<std::int64_t>{1}
                                 : factors(model.num_blocks / pair.pipeline);
    for (const std::int64_t size : factors(plan_.local_batch()))
      if (size * model.seq_size % pair.tensor == 0) microbatches_.push_back(size);
    set_networks();
  }

  Search all() {
    for (const auto recompute : {Recompute::full, Recompute::attn_only, Recompute::none}) {
      plan_.activation_recompute = recompute;
      for (const auto joining : {PartJoining::ar, PartJoining::p2p_rs_ag, PartJoining::rs_ag}) {
        plan_.tensor_par_comm_type = joining;
        const bool redo = joining == PartJoining::rs_ag && recompute != Recompute::full;
        for (int again = redo ? 1 : 0; again >= 0; --again) {
          plan_.seq_par_ag_redo = again != 0;
          overlaps();
        }
      }
    }
    return tally_.found();
  }

 private:
  /// The allowed networks of this pair: for tensor parallelism, and the others given that one.
  void set_networks() {
    const auto count = [&](std::int64_t parallel) {
      return parallel > 1 ? std::ssize(machine_.networks) : std::ptrdiff_t{1};
    };
    Plan plan = plan_;
    for (plan.tensor_par_net = 0; plan.tensor_par_net < count(plan.tensor_par);
         ++plan.tensor_par_net) {
      auto& nets = networks_.emplace_back();
      for (plan.pipeline_par_net = 0; plan.pipeline_par_net < count(plan.pipeline_par);
           ++plan.pipeline_par_net) {
        for (plan.data_par_net = 0; plan.data_par_net < count(plan.data_par); ++plan.data_par_net) {
          const auto why = refused(model_, machine_, plan);
          if (why) {
            ++nets.refused[static_cast<std::size_t>(*why)];
          } else {
            nets.fit.push_back({plan.pipeline_par_net, plan.data_par_net});
          }
        }
      }
    }
  }

  void overlaps() {
    for (const auto overlap : {Overlap::none, Overlap::ring, Overlap::pipe}) {
      if (overlap != Overlap::none && plan_.tensor_par == 1) break;
      plan_.tensor_par_overlap = overlap;
      for (const std::int64_t size : microbatches_) {
        plan_.microbatch_size = size;
        for (std::size_t net = 0; net < networks_.size(); ++net) {
          plan_.tensor_par_net = static_cast<std::int64_t>(net);
          block();
        }
      }
    }
  }

  /// The number of candidates with the same block costs for one choice of networks.
  [[nodiscard]] std::uint64_t equivalent() const {
    const std::uint64_t copies = plan_.data_par > 1 ? 4 : 1;  // sharding, overlap
    return chunks_.size() * copies * offload_masks();
  }
  [[nodiscard]] unsigned offload_masks() const {
    if (machine_.tier2.capacity <= 0) return 1;
    return plan_.activation_recompute == Recompute::full ? 4 : 8;
  }

  void block() {
    const Networks& nets = networks_[static_cast<std::size_t>(plan_.tensor_par_net)];
    for (std::size_t why = 0; why < kRefusalCount; ++why)
      if (nets.refused[why] > 0)
        tally_.refuse(static_cast<Refusal>(why), nets.refused[why] * equivalent());
    if (nets.fit.empty()) return;
    const Layers layers = layers_of(model_, plan_);
    const Block half = block_of(model_, machine_, plan_, layers);
    for (int shard = plan_.data_par > 1 ? 1 : 0; shard >= 0; --shard) {
      plan_.optimizer_sharding = shard != 0;
      Block whole = half;
      add_optimizer(whole, machine_, plan_, layers);
      for (const std::int64_t chunks : chunks_) {
        plan_.pipeline_interleaving = chunks;
        offloads(whole, nets);
      }
    }
    plan_.pipeline_interleaving = 1;
    plan_.optimizer_sharding = false;
  }

  struct Networks {
    std::array<std::uint64_t, kRefusalCount> refused{};
    /// Networks for pipeline and data parallelism.
    std::vector<std::pair<std::int64_t, std::int64_t>> fit;
  };

  void offloads(const Block& block, const Networks& nets) {
    const std::uint64_t each = nets.fit.size() * (plan_.data_par > 1 ? 2 : 1);
    for (unsigned mask = 0; mask < offload_masks(); ++mask) {
      plan_.weight_offload = (mask & 1) != 0;
      plan_.optimizer_offload = (mask & 2) != 0;
      plan_.activations_offload = (mask & 4) != 0;
      if (plan_.offloads() && model_.num_blocks / plan_.pipeline_par <= 2) {
        tally_.refuse(Refusal::offload_needs_blocks, each);
        continue;
      }
      const Space space = space_of(model_, plan_, block);
      if (const auto why = refused(machine_, space)) {
        tally_.refuse(*why, each);
        continue;
      }
      for (const auto& [pipeline, data] : nets.fit) {
        plan_.pipeline_par_net = pipeline;
        plan_.data_par_net = data;
        for (int overlap = plan_.data_par > 1 ? 1 : 0; overlap >= 0; --overlap) {
          plan_.data_par_overlap = overlap != 0;
          time(block, space);
        }
      }
    }
    plan_.weight_offload = plan_.optimizer_offload = plan_.activations_offload = false;
    plan_.data_par_overlap = false;
    plan_.pipeline_par_net = plan_.data_par_net = 0;
  }

  void time(const Block& block, const Space& space) {
    const double seconds = times_of(model_, machine_, plan_, block).total();
    const double samples = static_cast<double>(plan_.batch_size) / seconds;
    tally_.count();
    if (tally_.wants(samples)) tally_.add({plan_, samples, seconds, space});
  }

  const Model& model_;
  const Machine& machine_;
  Plan plan_;
  std::vector<std::int64_t> chunks_, microbatches_;
  std::vector<Networks> networks_;  // by network of tensor parallelism
  SearchTally tally_;
};

}  // namespace

Result<Search> search(const Model& model, const Machine& machine, const SearchRequest& asked,
                      const std::function<void(std::size_t, std::size_t)>& progress) {
  const auto type = static_cast<std::size_t>(asked.datatype);
  if (!machine.matrix[type] || !machine.vector[type])
    return tl::unexpected(refusal(Refusal::data_type, model, machine, {}, {}));
  const std::vector<Pair> all = pairs(model, asked.devices);
  std::vector<Search> parts(all.size());
  std::mutex mutex;
  std::size_t done = 0;
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  ThreadPool pool(asked.threads > 0 ? asked.threads : cores);
  pool.parallel_for(static_cast<std::uint32_t>(all.size()), [&](std::uint32_t i) {
    parts[i] = PairSearch(model, machine, asked, all[i]).all();
    const std::scoped_lock lock(mutex);
    ++done;
    if (progress) progress(done, all.size());
  });
  SearchTally tally(asked.best);
  for (const Search& part : parts) tally.merge(part);
  return tally.found();
}

}  // namespace orrery::estimate::calculon
