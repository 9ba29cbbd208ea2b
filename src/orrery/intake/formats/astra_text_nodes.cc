// SPDX-License-Identifier: Apache-2.0
//
// Builds the nodes of an ASTRA-sim 1.0 workload with their dependencies.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "orrery/core/limits.h"
#include "orrery/core/system/atomic_file.h"
#include "orrery/graph/graph.h"
#include "orrery/intake/formats/astra_text.h"
#include "orrery/trace/chakra/records/writer.h"
#include "orrery/trace/io/byte_source.h"
#include "orrery/trace/io/window.h"

namespace orrery::intake {
namespace {

using trace::chakra::NodeRecord;
using Id = std::optional<std::uint64_t>;

class NodeMaker {
 public:
  NodeMaker(const AstraWorkload& workload,
            const std::function<Result<void>(const AstraNode&)>& on_node)
      : workload_(workload), on_node_(on_node), weights_(workload.layers.size()) {}

  Result<void> pass() {
    switch (workload_.parallelism) {
      case Parallelism::micro:
        for (const AstraLayer& layer : workload_.layers) comm(layer, layer.weight_gradient, {});
        break;
      case Parallelism::data:
        data_pass();
        break;
      case Parallelism::model:
      case Parallelism::hybrid:
        model_pass();
        break;
      case Parallelism::dlrm:
        dlrm_pass();
        break;
      case Parallelism::transformer:
        transformer_pass();
        break;
    }
    if (error_) return tl::unexpected(*error_);
    return {};
  }

  AstraTextReport report;

 private:
  std::uint64_t emit(AstraNode& made, std::initializer_list<Id> deps) {
    NodeRecord& node = made.record;
    node.id = report.nodes++;
    for (const Id& dep : deps) {
      if (dep) node.data_deps.push_back(*dep);
    }
    std::sort(node.data_deps.begin(), node.data_deps.end());
    node.data_deps.erase(std::unique(node.data_deps.begin(), node.data_deps.end()),
                         node.data_deps.end());
    report.edges += node.data_deps.size();
    if (!error_) {
      if (auto done = on_node_(made); !done) error_ = done.error();
    }
    return node.id;
  }

  Id compute(const AstraLayer& layer, std::string_view phase, const AstraStep& step,
             std::initializer_list<Id> deps) {
    AstraNode made{.record = {}, .duration = step.duration};
    NodeRecord& node = made.record;
    node.name = fmt::format("COMP_NODE_{}_{}", layer.name, phase);
    node.type = static_cast<std::uint64_t>(graph::NodeKind::comp);
    node.duration_micros = static_cast<std::uint64_t>(step.duration.count() / kPsPerUs);
    return emit(made, deps);
  }

  /// No id if the step has no communication.
  Id comm(const AstraLayer& layer, const AstraStep& step, std::initializer_list<Id> deps) {
    if (step.comm_type < 0) return {};
    constexpr std::string_view kWords[] = {"ALLREDUCE", "", "ALLGATHER", "",
                                           "",          "", "ALLTOALL",  "REDUCESCATTER"};
    AstraNode made{.record = {}, .duration = {}, .comm = &step};
    NodeRecord& node = made.record;
    node.name = fmt::format("COMM_COLL_NODE_{}_{}", layer.name,
                            kWords[static_cast<std::size_t>(step.comm_type)]);
    node.type = static_cast<std::uint64_t>(graph::NodeKind::coll);
    node.add(trace::chakra::attribute_int64("comm_type", step.comm_type));
    node.add(trace::chakra::attribute_int64("comm_size", step.comm_size));
    return emit(made, deps);
  }

  static Id either(const Id& first, const Id& second) { return first ? first : second; }

  /// Forward: layer by layer. Backward: the gradient of the weights, its collective (only the next
  /// pass waits for it), then the gradient of the inputs.
  void data_pass() {
    const auto& layers = workload_.layers;
    Id before;
    for (std::size_t i = 0; i < layers.size(); ++i)
      before = compute(layers[i], "FWD", layers[i].forward, {before, weights_[i]});
    for (std::size_t i = layers.size(); i-- > 0;) {
      const Id gradient = compute(layers[i], "BWD_WG", layers[i].weight_gradient, {before});
      weights_[i] = either(comm(layers[i], layers[i].weight_gradient, {gradient}), gradient);
      if (i != 0) before = compute(layers[i], "BWD_IG", layers[i].input_gradient, {gradient});
    }
  }

  /// Every collective of the forward pass and of input gradients blocks the next layer. Only with
  /// `hybrid`, the weights have a separate collective.
  void model_pass() {
    const auto& layers = workload_.layers;
    const bool hybrid = workload_.parallelism == Parallelism::hybrid;
    Id before, gradient_before;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const Id forward = compute(layers[i], "FWD", layers[i].forward, {before, weights_[i]});
      before = either(comm(layers[i], layers[i].forward, {forward}), forward);
    }
    for (std::size_t i = layers.size(); i-- > 0;) {
      const Id gradient =
          compute(layers[i], "BWD_IG", layers[i].input_gradient, {before, gradient_before});
      if (i != 0) before = either(comm(layers[i], layers[i].input_gradient, {gradient}), gradient);
      gradient_before = compute(layers[i], "BWD_WG", layers[i].weight_gradient, {gradient});
      weights_[i] = gradient_before;
      if (hybrid)
        weights_[i] =
            either(comm(layers[i], layers[i].weight_gradient, {gradient_before}), gradient_before);
    }
  }

  /// Forward and input gradients: each collective blocks what follows it. The collective of a
  /// weight gradient overlaps the layers before it; only the next pass waits for it. Source:
  /// Workload::iterate_hybrid_parallel_Transformer_fwd_in_bckwd of aliyun/SimAI.
  void transformer_pass() {
    const auto& layers = workload_.layers;
    Id before;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const Id forward = compute(layers[i], "FWD", layers[i].forward, {before, weights_[i]});
      before = either(comm(layers[i], layers[i].forward, {forward}), forward);
    }
    for (std::size_t i = layers.size(); i-- > 0;) {
      const Id inputs = compute(layers[i], "BWD_IG", layers[i].input_gradient, {before});
      const Id received = either(comm(layers[i], layers[i].input_gradient, {inputs}), inputs);
      before = compute(layers[i], "BWD_WG", layers[i].weight_gradient, {received});
      weights_[i] = either(comm(layers[i], layers[i].weight_gradient, {before}), before);
    }
  }

  /// The exchange of embeddings (layer 0) overlaps the bottom layers and joins at the last of them.
  /// In the backward pass it follows the layer above.
  void dlrm_pass() {
    const auto& layers = workload_.layers;
    constexpr auto kAllToAll = static_cast<std::int32_t>(graph::CollectiveType::all_to_all);
    const std::size_t last_bottom = workload_.last_bottom;
    Id before, exchanged, returned;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      before = compute(layers[i], "FWD", layers[i].forward,
                       {before, weights_[i], i == last_bottom ? exchanged : Id()});
      if (layers[i].forward.comm_type != kAllToAll) continue;
      const Id sent = comm(layers[i], layers[i].forward, {before});
      if (i == 0) exchanged = sent;
    }
    for (std::size_t i = layers.size(); i-- > 0;) {
      const Id gradient = compute(layers[i], "BWD_WG", layers[i].weight_gradient,
                                  {before, i == 0 ? returned : Id()});
      weights_[i] = either(comm(layers[i], layers[i].weight_gradient, {gradient}), gradient);
      if (i != 0) before = compute(layers[i], "BWD_IG", layers[i].input_gradient, {gradient});
      if (i == last_bottom + 1) returned = comm(layers[0], layers[0].input_gradient, {before});
    }
  }

  const AstraWorkload& workload_;
  const std::function<Result<void>(const AstraNode&)>& on_node_;
  std::vector<Id> weights_;  // by layer: dependencies of its next forward step
  std::optional<Error> error_;
};

Result<std::string> read_text_file(const std::string& path) {
  auto file = trace::open_file(path);
  if (!file) return tl::unexpected(file.error());
  auto source = trace::decompress(std::move(*file), path);
  if (!source) return tl::unexpected(source.error());
  trace::Window window(**source);
  auto more = window.need(limits::kConfigBytes + 1);
  if (!more) return tl::unexpected(more.error());
  if (*more) {
    return fail(Errc::limit_exceeded, path,
                fmt::format("is larger than {} bytes", limits::kConfigBytes));
  }
  return std::string(window.text());
}

std::string path_of_rank(const std::string& prefix, std::uint32_t rank) {
  return fmt::format("{}.{}.et", prefix, rank);
}

Result<void> copy_file(const std::string& from, const std::string& to, FilePlacement how) {
  auto source = trace::open_file(from);
  if (!source) return tl::unexpected(source.error());
  auto file = AtomicFile::create(to, how);
  if (!file) return tl::unexpected(file.error());
  std::vector<char> block(1 << 20);
  for (;;) {
    const auto size = (*source)->read(std::as_writable_bytes(std::span(block)));
    if (!size) return tl::unexpected(size.error());
    if (*size == 0) return file->finish();
    if (auto done = file->write({block.data(), *size}); !done) return done;
  }
}

/// Writes the trace once and copies it for the other ranks.
Result<AstraTextReport> write_ranks(const AstraWorkload& workload, const std::string& prefix,
                                    const AstraTextOptions& options) {
  const std::string first = path_of_rank(prefix, 0);
  const FilePlacement how{.force = options.force, .skip_sync = options.ranks > 1};
  auto writer = trace::chakra::TraceWriter::create(first, how);
  if (!writer) return tl::unexpected(writer.error());
  trace::chakra::MetadataRecord metadata;
  metadata.version = trace::chakra::kVersion;
  metadata.add(trace::chakra::attribute_string("schema", "1.0.2-chakra.0.0.4"));
  metadata.add(trace::chakra::attribute_string("parallelism", workload.word));
  if (auto done = writer->write(metadata); !done) return tl::unexpected(done.error());
  auto report = astra_nodes(workload, options,
                            [&](const AstraNode& node) { return writer->write(node.record); });
  if (!report) return report;
  if (auto done = writer->close(); !done) return tl::unexpected(done.error());
  for (std::uint32_t rank = 1; rank < options.ranks; ++rank) {
    if (auto done = copy_file(first, path_of_rank(prefix, rank), how); !done)
      return tl::unexpected(done.error());
  }
  return report;
}

}  // namespace

Result<AstraTextReport> astra_nodes(const AstraWorkload& workload, const AstraTextOptions& options,
                                    const std::function<Result<void>(const AstraNode&)>& on_node) {
  constexpr std::uint64_t kPerLayer = 6;
  const std::uint64_t most = workload.layers.size() * kPerLayer * options.passes;
  if (most > limits::kNodesPerRank) {
    return fail(Errc::limit_exceeded, workload.word,
                fmt::format("more than {} nodes in one rank", limits::kNodesPerRank),
                "use fewer passes");
  }
  NodeMaker node_maker(workload, on_node);
  for (std::uint32_t pass = 0; pass < options.passes; ++pass) {
    if (auto done = node_maker.pass(); !done) return tl::unexpected(done.error());
  }
  node_maker.report.ranks = options.ranks;
  return node_maker.report;
}

Result<AstraWorkload> read_astra_text(const std::string& path, const AstraTextOptions& options,
                                      Findings& findings) {
  auto text = read_text_file(path);
  if (!text) return tl::unexpected(text.error());
  return parse_astra_text(*text, path, options, findings);
}

Result<AstraTextReport> convert_astra_text(const std::string& path, const std::string& prefix,
                                           const AstraTextOptions& options, Findings& findings) {
  if (options.ranks == 0 || options.passes == 0 || options.ranks > limits::kRanks) {
    return fail(
        Errc::usage, path,
        fmt::format("a text workload needs 1 to {} ranks and at least one pass", limits::kRanks));
  }
  auto workload = read_astra_text(path, options, findings);
  if (!workload) return tl::unexpected(workload.error());
  if (workload->parallelism == Parallelism::transformer)
    return fail(
        Errc::input_unsupported, path,
        "is a workload of AICB with times in nanoseconds, but Chakra traces have microseconds",
        "'orrery run' reads the file itself: orrery run " + path + " --cluster FILE");
  for (std::uint32_t rank = 0; rank < options.ranks; ++rank) {
    if (auto absent = check_absent(path_of_rank(prefix, rank), options.force); !absent)
      return tl::unexpected(absent.error());
  }
  return write_ranks(*workload, prefix, options);
}

}  // namespace orrery::intake
