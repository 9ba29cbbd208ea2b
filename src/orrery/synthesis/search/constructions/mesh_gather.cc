// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/search/constructions/mesh_gather.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/core/check.h"

namespace orrery::synthesis {

namespace {

/// All nodes send in rounds, each as long as a link needs for one piece.
class MeshRounds {
 public:
  MeshRounds(const Mesh& mesh, Schedule& schedule, std::uint32_t each)
      : mesh_(mesh),
        sides_(2 * mesh.dims),
        schedule_(schedule),
        pieces_(static_cast<std::uint32_t>(schedule.pieces.size())),
        route_of_link_(mesh.wires.size()),
        queues_(mesh.wires.size() * mesh.dims),
        first_dim_(pieces_) {
    std::uint32_t route = 0;
    for (std::size_t i = 0; i < mesh.wires.size(); ++i)
      route_of_link_[i] = mesh.wires[i] == Mesh::kNoWire ? 0 : route++;
    for (std::uint32_t piece = 0; piece < pieces_; ++piece) {
      std::uint32_t sum = piece % each;
      for (std::uint32_t rest = piece / each; rest > 0; rest /= mesh.size) sum += rest % mesh.size;
      first_dim_[piece] = sum % mesh.dims;
    }
  }

  void run(std::int64_t duration) {
    const std::uint32_t each = pieces_ / mesh_.places;
    for (std::uint32_t piece = 0; piece < pieces_; ++piece) queue_from(piece / each, piece, 0);
    const auto rounds_until_arrival =
        static_cast<std::size_t>((duration + mesh_.latency.count() + duration - 1) / duration);
    const std::size_t all = std::size_t{pieces_} * (mesh_.places - 1);
    auto& sends = schedule_.sends;
    sends.reserve(all);
    sent_over_.reserve(all);
    std::vector<std::size_t> round_begins;  // first send of each round
    for (std::int64_t round = 0; sends.size() < all; ++round) {
      round_begins.push_back(sends.size());
      if (round_begins.size() > rounds_until_arrival) {
        for (std::size_t i = round_begins[round_begins.size() - 1 - rounds_until_arrival];
             i < round_begins[round_begins.size() - rounds_until_arrival]; ++i)
          arrive(sent_over_[i], sends[i].piece);
      }
      for (std::uint32_t link = 0; link < mesh_.wires.size(); ++link)
        send(link, Time(round * duration));
    }
  }

 private:
  struct Queue {
    std::vector<std::uint32_t> pieces;
    std::size_t next = 0;
  };

  /// The queue of pieces for which this side is their dimension number `stage`.
  Queue& queue(std::uint32_t link, std::uint32_t stage) {
    return queues_[std::size_t{link} * mesh_.dims + stage];
  }
  void put(std::uint32_t place, std::uint32_t side, std::uint32_t stage, std::uint32_t piece) {
    const std::uint32_t link = place * sides_ + side;
    if (mesh_.wires[link] != Mesh::kNoWire) queue(link, stage).pieces.push_back(piece);
  }
  /// Queues a piece along all its dimensions from number `stage` on.
  void queue_from(std::uint32_t place, std::uint32_t piece, std::uint32_t stage) {
    for (; stage < mesh_.dims; ++stage) {
      const std::uint32_t dim = (first_dim_[piece] + stage) % mesh_.dims;
      put(place, 2 * dim, stage, piece);
      put(place, 2 * dim + 1, stage, piece);
    }
  }
  void arrive(std::uint32_t link, std::uint32_t piece) {
    const std::uint32_t side = link % sides_, dim = side / 2;
    std::uint32_t stride = 1;
    for (std::uint32_t d = 0; d < dim; ++d) stride *= mesh_.size;
    const std::uint32_t from = link / sides_, to = side % 2 == 0 ? from + stride : from - stride;
    const std::uint32_t stage = (dim + mesh_.dims - first_dim_[piece]) % mesh_.dims;
    put(to, side, stage, piece);
    queue_from(to, piece, stage + 1);
  }
  // Pieces in earlier dimensions are first, since more sends depend on them.
  void send(std::uint32_t link, Time now) {
    for (std::uint32_t stage = 0; stage < mesh_.dims; ++stage) {
      Queue& one = queue(link, stage);
      if (one.next == one.pieces.size()) continue;
      schedule_.sends.push_back({one.pieces[one.next++], route_of_link_[link], 0, now});
      sent_over_.push_back(link);
      return;
    }
  }

  const Mesh& mesh_;
  std::uint32_t sides_;
  Schedule& schedule_;
  std::uint32_t pieces_;
  std::vector<std::uint32_t> route_of_link_;  // by link: place × sides + side
  std::vector<Queue> queues_;                 // by link, then turn
  std::vector<std::uint32_t> first_dim_;      // by piece
  std::vector<std::uint32_t> sent_over_;      // by send: link
};

void add_routes(const Mesh& mesh, const Group& group, Schedule& schedule) {
  for (std::uint32_t place = 0; place < mesh.places; ++place) {
    std::uint32_t stride = 1;
    for (std::uint32_t side = 0; side < 2 * mesh.dims; ++side) {
      const std::uint32_t wire = mesh.wires[std::size_t{place} * 2 * mesh.dims + side];
      const std::uint32_t to = side % 2 == 0 ? place + stride : place - stride;
      if (side % 2 == 1) stride *= mesh.size;
      if (wire == Mesh::kNoWire) continue;
      schedule.routes.push_back({group.members[place], group.members[to], mesh.rate, mesh.latency,
                                 static_cast<std::uint32_t>(schedule.wires.size()), 1});
      schedule.wires.push_back(wire);
    }
  }
}

}  // namespace

std::optional<Mesh> mesh_of(const FabricState& fabric, std::span<const NodeIndex> members,
                            bool reverse_links) {
  Mesh mesh;
  mesh.places = static_cast<std::uint32_t>(members.size());
  mesh.dims = static_cast<std::uint32_t>(std::max<std::size_t>(fabric.sizes.size(), 1));
  const std::int64_t size = fabric.sizes.empty() ? mesh.places : fabric.sizes.front();
  std::int64_t product = 1;
  for (std::uint32_t d = 0; d < mesh.dims; ++d) {
    if (size < 2 || (!fabric.sizes.empty() && fabric.sizes[d] != size) ||
        __builtin_mul_overflow(product, size, &product))
      return std::nullopt;
  }
  if (product != mesh.places || mesh.places != fabric.node_count() ||
      !std::equal(members.begin(), members.end(), fabric.rank_devices.begin(),
                  fabric.rank_devices.end()) ||
      fabric.wires.size() != 2 * mesh.dims * (mesh.places - mesh.places / std::size_t(size)))
    return std::nullopt;
  mesh.size = static_cast<std::uint32_t>(size);
  for (std::uint32_t place = 0; place < mesh.places; ++place) {
    std::uint32_t stride = 1;
    for (std::uint32_t side = 0; side < 2 * mesh.dims; ++side) {
      const bool up = side % 2 == 0;
      const std::uint32_t here = place / stride % mesh.size;
      const std::uint32_t other = up ? place + stride : place - stride;
      if (!up) stride *= mesh.size;
      if (here == (up ? mesh.size - 1 : 0)) {
        mesh.wires.push_back(Mesh::kNoWire);
        continue;
      }
      const NodeIndex from = members[reverse_links ? other : place],
                      to = members[reverse_links ? place : other];
      const auto found = wire_between(fabric, from, to);
      if (!found) return std::nullopt;
      const Wire& wire = fabric.wires[*found];
      if (place == 0 && side == 0) {
        mesh.rate = wire.rate();
        mesh.latency = wire.latency;
      }
      if (mesh.rate != wire.rate() || mesh.latency != wire.latency) return std::nullopt;
      mesh.wires.push_back(*found);
    }
  }
  return mesh;
}

SearchResult mesh_gather(const Mesh& mesh, const Group& group, const SearchOptions& options) {
  SearchResult found;
  const std::uint64_t pairs = std::uint64_t{mesh.places} * (mesh.places - 1);
  Time least{};
  for (std::uint32_t each : {1U, 2U, 4U, 8U, 16U, 32U}) {
    if (options.chunks > 0) each = static_cast<std::uint32_t>(options.chunks);
    Schedule schedule;
    schedule.groups = {group};
    schedule.pieces = pieces_of({&group, 1}, each);
    std::int64_t bytes = 0;
    for (const Piece& piece : schedule.pieces) bytes = std::max(bytes, piece.bytes);
    if (least > Time{} && (bytes < kSmallPiece || each * pairs > kQuickSends)) break;
    ORRERY_CHECK(schedule.pieces.size() == std::size_t{each} * mesh.places);
    add_routes(mesh, group, schedule);
    MeshRounds(mesh, schedule, each).run(transfer_duration(bytes, mesh.rate).count());
    const Time time = schedule.end();
    if (least == Time{} || time < least) {
      least = time;
      found.schedule = std::move(schedule);
      found.method = fmt::format("mesh: along one dimension after another; {} piece{} each", each,
                                 each == 1 ? "" : "s");
    }
    if (options.chunks > 0 || least <= options.stop_at) break;
  }
  return found;
}

}  // namespace orrery::synthesis
