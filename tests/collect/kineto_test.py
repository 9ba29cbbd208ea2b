# SPDX-License-Identifier: Apache-2.0
"""Tests of the recorder with stand-ins for PyTorch versions that are not installed."""

import contextlib
import gzip
import json
import os
import sys
import types
import unittest
from typing import Any, Dict, List, Optional
from unittest import mock

import torch

import orrery_collect
from orrery_collect import facts, session
from support import InFolder, load


class Profile:
    """Stand-in for torch.profiler.profile of 2.x: records its calls."""

    calls: List[str] = []

    def __init__(self, *, activities: Any = None, record_shapes: bool = False,
                 experimental_config: Any = None) -> None:
        self.calls.append(f"shapes={record_shapes} config={experimental_config} "
                          f"activities={sorted(activities)}")

    def prepare_trace(self) -> None:
        self.calls.append("prepare")

    def start_trace(self) -> None:
        self.calls.append("start")

    def stop_trace(self) -> None:
        self.calls.append("stop")

    def add_metadata_json(self, key: str, value: str) -> None:
        self.calls.append(f"{key} of {len(json.loads(value)['pg_config'])} group")

    def export_chrome_trace(self, path: str) -> None:
        with gzip.open(path, "wt") as file:
            json.dump({"traceEvents": []}, file)


class OldProfile:
    """Stand-in for older versions, without preparation and configuration."""

    def __init__(self, *, activities: Any = None, record_shapes: bool = False) -> None:
        Profile.calls.append(f"shapes={record_shapes}")

    def start(self) -> None:
        Profile.calls.append("start")

    def stop(self) -> None:
        Profile.calls.append("stop")

    export_chrome_trace = Profile.export_chrome_trace


class Observer:
    """Stand-in for torch.profiler.ExecutionTraceObserver."""

    path: Optional[str] = None

    def register_callback(self, path: str) -> "Observer":
        Profile.calls.append("register")
        self.path = path
        return self

    def start(self) -> None:
        Profile.calls.append("observe")

    def stop(self) -> None:
        Profile.calls.append("observe no more")

    def unregister_callback(self) -> None:
        if self.path:
            with open(self.path, "w") as file:
                file.write('{"schema": "1.1.1-chakra.0.0.4", "nodes": []}')


def sync_config(enable_cuda_sync_events: bool) -> str:
    return f"sync={enable_cuda_sync_events}"


def old_config(profiler_metrics: Any = None) -> str:
    return "old"


def as_if(**attributes: Any) -> "contextlib.ExitStack":
    """Replaces attributes of torch.profiler; None removes an attribute."""
    stack = contextlib.ExitStack()
    usual: Dict[str, Any] = {"kineto_available": lambda: True, "profile": Profile,
                             "supported_activities": lambda: {"CPU", "CUDA"},
                             "_ExperimentalConfig": sync_config, "ExecutionTraceObserver": Observer}
    for name, value in {**usual, **attributes}.items():
        stack.enter_context(mock.patch.object(torch.profiler, name, value, create=True))
    return stack


class WithKineto(InFolder):
    def setUp(self) -> None:
        super().setUp()
        Profile.calls.clear()

    def record(self) -> List[str]:
        with orrery_collect.Recorder(str(self.folder), warmup=0, clean=0, record=1) as recorder:
            recorder.step()
            recorder.step()
        return Profile.calls

    def test_device_shapes_and_synchronizations_are_asked_for(self) -> None:
        with as_if():
            calls = self.record()
        self.assertEqual(calls, ["shapes=True config=sync=True activities=['CPU', 'CUDA']", "prepare",
                                 "register", "start", "observe", "observe no more", "stop"])
        self.assertEqual(self.facts()["missing"], [])
        self.assertEqual(self.facts()["files"], {"kineto": "rank0.kineto.json.gz", "et": "rank0.et.json.gz"})
        self.assertEqual(load(self.folder / "rank0.et.json.gz")["schema"], "1.1.1-chakra.0.0.4")

    def test_without_synchronization_events_it_says_so(self) -> None:
        with as_if(_ExperimentalConfig=old_config):
            calls = self.record()
        self.assertIn("config=None", calls[0])
        self.assertIn("cuda_sync", self.facts()["missing"][0]["what"])

    def test_a_profiler_without_parts_is_started_whole(self) -> None:
        with as_if(profile=OldProfile):
            calls = self.record()
        self.assertEqual(calls, ["shapes=True", "register", "start", "observe", "observe no more", "stop"])

    def test_no_device_and_no_observer_are_said(self) -> None:
        with as_if(supported_activities=lambda: {"CPU"}, ExecutionTraceObserver=None,
                   ExecutionGraphObserver=None):
            self.record()
        said = [line["what"] for line in self.facts()["missing"]]
        self.assertEqual(said, ["device work", "execution trace"])
        self.assertEqual(self.names(), ["rank0.facts.json", "rank0.kineto.json.gz"])

    def test_an_observer_that_is_taken_is_said(self) -> None:
        with as_if(), mock.patch.object(Observer, "register_callback"):
            self.record()
        self.assertIn("only one observer", self.facts()["missing"][0]["why"])

    def test_process_groups_are_added_where_kineto_leaves_them_out(self) -> None:
        info = {"backend": "nccl", "rank": 0, "world_size": 1, "pg_config": [{"pg_name": "0"}]}
        with as_if(), mock.patch.object(session, "distributed_info", return_value=info):
            calls = self.record()
            self.assertIn("distributedInfo of 1 group", calls)
            Profile.calls.clear()
            with mock.patch.object(Profile, "_get_distributed_info", lambda _: info, create=True):
                self.assertNotIn("distributedInfo of 1 group", self.record())


class Facts(unittest.TestCase):
    def test_groups_are_found_where_later_versions_keep_them(self) -> None:
        group = types.SimpleNamespace(group_desc="mesh_tp")
        key = mock.MagicMock(wraps=group, group_desc="mesh_tp")
        world = types.SimpleNamespace(pg_names={key: "5"}, pg_group_ranks={key: {12: 1, 4: 0}})
        dist = types.SimpleNamespace(distributed_c10d=types.SimpleNamespace(_world=world),
                                     get_backend=lambda *_: "nccl", get_rank=lambda: 4,
                                     get_world_size=lambda: 16)
        with mock.patch.object(facts, "distributed", return_value=dist):
            info = facts.distributed_info()
        assert info is not None
        self.assertEqual(info["pg_config"], [{"pg_name": "5", "pg_desc": "mesh_tp", "backend_config": "nccl",
                                              "pg_size": 2, "ranks": [4, 12]}])
        self.assertEqual((info["rank"], info["world_size"], info["pg_count"]), (4, 16, 1))

    def test_a_rank_is_taken_from_the_launcher(self) -> None:
        for environment in ({"RANK": "3", "WORLD_SIZE": "8"}, {"SLURM_PROCID": "3", "SLURM_NTASKS": "8"}):
            with self.subTest(environment), mock.patch.dict(os.environ, environment):
                self.assertEqual(facts.rank_and_size()[:2], (3, 8))


class Hooks(InFolder):
    def lightning(self, name: str) -> Any:
        made = types.ModuleType(name)
        base = type("Callback", (), {"on_fit_start": lambda self: None})
        setattr(made, "Callback", base)
        parent = types.ModuleType(name.split(".", maxsplit=1)[0])
        return mock.patch.dict(sys.modules, {parent.__name__: parent, name: made})

    def test_lightning_records_through_its_callback(self) -> None:
        for name in ("lightning.pytorch", "pytorch_lightning"):
            with self.subTest(name), self.lightning(name):
                callback = orrery_collect.lightning_callback(str(self.folder), warmup=0, clean=1, record=1)
            callback.on_fit_start()
            for batch in range(3):
                callback.on_train_batch_start("trainer", "module", "batch", batch)
                torch.ones(2) + 1
                callback.on_train_batch_end("trainer", "module", "outputs", "batch", batch)
            callback.on_train_end("trainer", "module")
            self.assertEqual(self.facts()["recorded"]["steps"], 1)

    def test_without_lightning_it_says_so_at_once(self) -> None:
        with mock.patch.dict(sys.modules, {"lightning.pytorch": None, "pytorch_lightning": None}):
            with self.assertRaisesRegex(ImportError, "lightning"):
                orrery_collect.lightning_callback(str(self.folder))


if __name__ == "__main__":
    unittest.main()
