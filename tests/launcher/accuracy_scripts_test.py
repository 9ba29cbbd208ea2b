#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of benchmarks/fit_bands.py, of the tables of benchmarks/scoreboard.py on made-up steps, and of
benchmarks/device_ratios.py on planted ratios. 0.1 CPU s.

Usage: accuracy_scripts_test.py SOURCE_FOLDER
"""
import math
import pathlib
import random
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop(1))
sys.path.insert(0, str(ROOT / "benchmarks"))
sys.dont_write_bytecode = True
import device_ratios  # noqa: E402
import fit_bands  # noqa: E402
import scoreboard  # noqa: E402


def point(number, error, kind="dense", source="one", release="unstated", family="llama"):
    """A step measured as 1 s; `error`: predicted over measured, less 1. The models' interval is ± 5 %."""
    predicted = 1 + error
    return {"id": f"p{number}", "source": source, "measured_s": 1, "predicted_s": predicted, "error_ratio": error,
            "predicted_range_s": [predicted * 0.95, predicted * 1.05], "models_range_s": [predicted * 0.95, predicted * 1.05],
            "left_out_s": dict.fromkeys(fit_bands.LEFT_OUT, predicted), "without_s": {},
            "point_traits": {"source": source, "family": family, "release": release, "device": "h100-sxm", "kind": kind,
                             "precision": "fp8"}}


def points(count, width, **traits):
    chance = random.Random(1)
    return [point(i, chance.gauss(0, width), **traits) for i in range(count)]


class Bands(unittest.TestCase):
    def steps(self, *groups):
        return [fit_bands.Step(one) for group in groups for one in group]

    def inside(self, steps, entries):
        return sum(low <= step.error("source") <= high
                   for step in steps for low, high in [fit_bands.interval(step, entries)]) / len(steps)

    def test_four_fifths_are_inside(self):
        steps = self.steps(points(400, 0.12))
        entries = fit_bands.fit(steps)
        self.assertAlmostEqual(self.inside(steps, entries), 0.8, delta=0.02)

    def test_models_that_cover_everything_need_no_terms(self):
        entries = fit_bands.fit(self.steps(points(100, 0.001)))
        self.assertTrue(entries)
        for one in entries:
            self.assertEqual(set(one["terms"].values()), {(0, 0)})

    def test_kinds_have_their_own_terms(self):
        steps = self.steps(points(100, 0.06), points(100, 0.3, kind="experts"))
        entries = {one["name"]: one["terms"] for one in fit_bands.fit(steps)}
        self.assertEqual(set(entries), {"dense, fp8", "dense", "experts, fp8", "experts"})
        self.assertLess(entries["dense, fp8"]["plan"][1], entries["experts, fp8"]["plan"][1])

    def test_too_few_steps_have_no_terms(self):
        self.assertEqual(fit_bands.fit(self.steps(points(fit_bands.FEWEST - 1, 0.2))), [])

    def test_what_releases_explain_is_their_term(self):
        steps = self.steps(*([point(i, 0.3 if release == "26.06" else -0.3, release=release) for i in range(30)]
                             for release in ("26.04", "26.06")))
        shares = fit_bands.shares(steps)
        self.assertAlmostEqual(sum(shares.values()), 1)
        self.assertGreater(shares["release"], 0.5)
        self.assertAlmostEqual(shares["plan"], 0)


class Scoreboard(unittest.TestCase):
    def test_every_group_has_a_sentence(self):
        every = {"predictions": points(12, 0.05) + points(2, 0.01, release="26.04") + points(3, 0.01, release="26.06")}
        rows = scoreboard.by_family(every).splitlines()[2:]
        self.assertEqual([row.split(" | ")[2] for row in rows], ["not stated", "since 26.06", "to 26.04.01"])
        self.assertIn("hopper", rows[0])
        self.assertIn("(nine steps of ten)", rows[0])
        self.assertIn("too few to trust", rows[2])
        self.assertIn("trust it to", rows[1])

    def test_words_name_a_bias(self):
        self.assertEqual(scoreboard.trust([-0.2] * 5), "trust it to 20 %: too short, by 20 % in the median")
        self.assertEqual(scoreboard.trust([0.3, -0.3, 0.01, 0.02, -0.01]), "trust it to 30 %: errors of both signs")

    def test_effects_count_points_of_the_core_and_of_all(self):
        some = points(10, 0.01)
        some[3]["without_s"]["gaps"] = 2
        some[7]["without_s"]["gaps"] = 2
        result = {"predictions": some, "ablations": [{"effect": "gaps"}]}
        row = scoreboard.without(result, {"p3", "p4"}).splitlines()[-1].split(" | ")
        self.assertEqual((row[0], row[1], row[5]), ("| `gaps`", "1", "2"))


class DeviceRatios(unittest.TestCase):
    def observed(self, *means):
        return [device_ratios.Observation(device, model, mean, 20, 100) for device, model, mean in means]

    def ratio(self, name, *means):
        """log(b / a) of the class, and its error."""
        terms, _ = device_ratios.solve(name, self.observed(*means))
        return terms["b"][0] - terms["a"][0], math.hypot(terms["a"][1], terms["b"][1])

    def test_a_planted_ratio_is_learned(self):
        means = [(d, f"m{i}", 0.4 * (d == "b") + 0.1 * i) for i in range(6) for d in "ab"]
        ratio, error = self.ratio("attention", *means)
        self.assertAlmostEqual(ratio, 0.4, delta=0.02)
        self.assertLess(error, 0.15)

    def test_what_devices_share_cancels(self):
        ratio, _ = self.ratio("softmax", *[(d, m, 0.9) for d in "ab" for m in ("m", "n")])
        self.assertAlmostEqual(ratio, 0, places=9)

    def test_few_recordings_count_less_and_have_a_wider_error(self):
        one = self.ratio("gemm large", ("a", "m", 0), ("b", "m", 0.5))
        six = self.ratio("gemm large", *[(d, f"m{i}", 0.5 * (d == "b")) for i in range(6) for d in "ab"])
        self.assertGreater(six[0], one[0])
        self.assertGreater(one[0], 0.2)
        self.assertGreater(one[1], six[1])

    def test_the_inverse_is_one(self):
        chance = random.Random(2)
        matrix = [[chance.random() + 3 * (i == j) for j in range(5)] for i in range(5)]
        inverse = device_ratios.inverse(matrix)
        for i in range(5):
            for j in range(5):
                product = sum(matrix[i][k] * inverse[k][j] for k in range(5))
                self.assertAlmostEqual(product, i == j, places=9)

    def test_hosts_have_classes_by_words(self):
        self.assertEqual(device_ratios.host_class("cudaLaunchKernel", 5e6), "host Launch")
        self.assertEqual(device_ratios.host_class("aten::addmm", 5e6), "host mm")
        self.assertEqual(device_ratios.host_class("aten::view", 5e6), "host")
        self.assertEqual(device_ratios.host_class("aten::view", 5e9), "long host")


unittest.main()
