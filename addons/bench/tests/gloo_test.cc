// SPDX-License-Identifier: Apache-2.0
//
// What two processes receive from each other. Needs PyTorch.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "apps/orrery_bench/gloo_communicator.h"

namespace orrery::bench {
namespace {

using Tensors = std::vector<at::Tensor>;
using Check = std::function<bool(Communicator& gloo, std::uint32_t rank)>;

/// Both ranks of a program with this communication play it; true when both have what they should.
bool on_two_ranks(const std::string& communication, const Check& check) {
  std::string store = "/tmp/orrery-gloo-XXXXXX";
  const int file = ::mkstemp(store.data());
  std::vector<pid_t> children;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    const pid_t child = ::fork();
    if (child != 0) {
      children.push_back(child);
      continue;
    }
    bool good = false;
    try {
      const std::string text = "orrery benchmark 1\ngroup 0 \"\" []\ncommunicate " + communication +
                               " (t[], t[]) -> ; last\n";
      const Program program = read_program(text);
      const auto gloo = make_gloo_communicator(program, {store, rank, {0, 1}, 20'000});
      good = check(*gloo, rank);
      gloo->barrier();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "rank %u: %s\n", rank, error.what());
    }
    ::_exit(good ? 0 : 1);
  }
  bool all = true;
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    all = all && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  ::close(file);
  ::unlink(store.c_str());
  return all;
}

void play(Communicator& gloo, const Tensors& sent, const Tensors& received) {
  gloo.begin(0, sent, received);
  const TimeSpan busy = gloo.wait(0);
  if (busy.end_ns <= busy.begin_ns) throw std::runtime_error("it took no time");
}

at::Tensor ones(std::int64_t n, std::uint32_t rank) { return at::ones({n}) * (rank + 1.0); }
at::Tensor row(const std::vector<float>& values) { return at::tensor(at::ArrayRef<float>(values)); }

TEST(Gloo, AddsUp) {
  EXPECT_TRUE(on_two_ranks("all_reduce 0 16", [](Communicator& gloo, std::uint32_t rank) {
    at::Tensor all = ones(4, rank);
    play(gloo, {all}, {all});
    // Not contiguous: what comes is copied back.
    at::Tensor turned = at::ones({2, 3}).t().mul(rank + 1.0);
    play(gloo, {turned}, {turned});
    // Places in tables stay what they are.
    at::Tensor whole = at::full({4}, std::int64_t{rank} + 1, at::kLong);
    const at::Tensor before = whole.clone();
    play(gloo, {whole}, {whole});
    return at::equal(all, row({3, 3, 3, 3})) && at::equal(turned, at::ones({3, 2}) * 3) &&
           at::equal(whole, before);
  }));
  EXPECT_TRUE(on_two_ranks("reduce 0 16 peer 1", [](Communicator& gloo, std::uint32_t rank) {
    at::Tensor all = ones(4, rank);
    play(gloo, {all}, {all});
    return rank == 0 || at::equal(all, row({3, 3, 3, 3}));
  }));
  EXPECT_TRUE(on_two_ranks("reduce_scatter 0 16", [](Communicator& gloo, std::uint32_t rank) {
    const at::Tensor in = row({1, 2, 3, 4}) * (rank + 1.0);
    at::Tensor out = at::zeros({2});
    play(gloo, {in}, {out});
    return at::equal(out, rank == 0 ? row({3, 6}) : row({9, 12})) &&
           at::equal(in, row({1, 2, 3, 4}) * (rank + 1.0));
  }));
}

TEST(Gloo, HandsOut) {
  EXPECT_TRUE(on_two_ranks("broadcast 0 8 peer 1", [](Communicator& gloo, std::uint32_t rank) {
    at::Tensor all = ones(2, rank);
    play(gloo, {all}, {all});
    return at::equal(all, row({2, 2}));
  }));
  EXPECT_TRUE(on_two_ranks("scatter 0 8 peer 1", [](Communicator& gloo, std::uint32_t rank) {
    at::Tensor own = at::zeros({2});
    play(gloo, rank == 1 ? Tensors{row({5, 6, 7, 8})} : Tensors{}, {own});
    return at::equal(own, rank == 0 ? row({5, 6}) : row({7, 8}));
  }));
}

TEST(Gloo, Gathers) {
  EXPECT_TRUE(on_two_ranks("all_gather 0 8", [](Communicator& gloo, std::uint32_t rank) {
    at::Tensor together = at::zeros({4});
    play(gloo, {ones(2, rank)}, {together});
    Tensors apart = {at::zeros({2}), at::zeros({2})};
    play(gloo, {ones(2, rank)}, apart);
    at::Tensor turned = at::zeros({2, 2}).t();
    play(gloo, {ones(2, rank)}, {turned});
    at::Tensor brain = at::zeros({4}, at::kBFloat16);
    play(gloo, {ones(2, rank).to(at::kBFloat16)}, {brain});
    return at::equal(together, row({1, 1, 2, 2})) && at::equal(apart[1], row({2, 2})) &&
           at::equal(turned.contiguous().view({-1}), together) &&
           at::equal(brain.to(at::kFloat), together);
  }));
  EXPECT_TRUE(on_two_ranks("gather 0 8 peer 0", [](Communicator& gloo, std::uint32_t rank) {
    at::Tensor together = at::zeros({4});
    play(gloo, {ones(2, rank)}, rank == 0 ? Tensors{together} : Tensors{});
    return rank == 1 || at::equal(together, row({1, 1, 2, 2}));
  }));
}

TEST(Gloo, Exchanges) {
  EXPECT_TRUE(on_two_ranks("all_to_all 0 16", [](Communicator& gloo, std::uint32_t rank) {
    at::Tensor out = at::zeros({4});
    play(gloo, {row({0, 1, 2, 3}) + rank * 10.0}, {out});
    return at::equal(out, rank == 0 ? row({0, 1, 10, 11}) : row({2, 3, 12, 13}));
  }));
  // Counted in rows of two: a half to itself, one and a half to the other.
  EXPECT_TRUE(on_two_ranks("all_to_all 0 16 in [1,1] out [1,1]",
                           [](Communicator& gloo, std::uint32_t rank) {
                             at::Tensor out = at::zeros({2, 2});
                             play(gloo, {at::ones({2, 2}) * (rank + 1.0)}, {out});
                             return at::equal(out.view({-1}), row({1, 1, 2, 2}));
                           }));
  for (const bool first : {true, false}) {
    const std::string what = first ? "send 0 8 peer 1" : "recv 0 8 peer 1";
    const std::string other = first ? "recv 0 8 peer 0" : "send 0 8 peer 0";
    SCOPED_TRACE(what + other);
    // Each rank plays its own side: both are in both programs.
    EXPECT_TRUE(on_two_ranks(what + " (t[], t[]) -> ; last\ncommunicate " + other,
                             [&](Communicator& gloo, std::uint32_t rank) {
                               at::Tensor message = ones(2, rank);
                               const bool sends = (rank == 0) == first;
                               gloo.begin(rank, sends ? Tensors{message} : Tensors{},
                                          sends ? Tensors{} : Tensors{message});
                               (void)gloo.wait(rank);
                               return at::equal(message, first ? row({1, 1}) : row({2, 2}));
                             }));
  }
}

TEST(Gloo, WhatCannotBeIsToldInWords) {
  EXPECT_TRUE(on_two_ranks("all_to_all 0 16 in [9,9]", [](Communicator& gloo, std::uint32_t) {
    at::Tensor out = at::zeros({4});
    try {
      gloo.begin(0, {at::zeros({4})}, {out});
    } catch (const std::exception& error) {
      return std::string(error.what()) ==
             "communication 1, all_to_all of 16 bytes: a split that cannot be";
    }
    return false;
  }));
}

}  // namespace
}  // namespace orrery::bench
