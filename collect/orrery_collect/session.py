# SPDX-License-Identifier: Apache-2.0
"""The profiler and the execution trace observer over the same steps, and their files."""

from __future__ import annotations

import functools
import gzip
import inspect
import json
import os
import shutil
from typing import Any, Callable, Dict, List, Optional

import torch

from .facts import Json, distributed_info
from .host_only import HostOnly


# Any: its type annotations differ between versions
profiler: Any = torch.profiler


def has_kineto() -> bool:
    for place in (profiler, torch.autograd):
        asked = getattr(place, "kineto_available", None)
        if asked is not None:
            return bool(asked())
    return False


def observer() -> Optional[Any]:
    """The execution trace observer, whose name depends on the version, or None."""
    for name in ("ExecutionTraceObserver", "ExecutionGraphObserver"):
        made = getattr(profiler, name, None)
        if made is not None:
            return made()
    return None


def sync_events_config() -> Optional[Any]:
    """Requests synchronization events of the device; None if this version lacks them."""
    try:
        return profiler._ExperimentalConfig(enable_cuda_sync_events=True)
    except (AttributeError, TypeError):
        return None


class Kineto:
    """torch.profiler's profile, in separate calls."""

    def __init__(self, missing: List[Json]) -> None:
        known = inspect.signature(profiler.profile.__init__).parameters
        config = sync_events_config() if "experimental_config" in known else None
        options: Json = {"record_shapes": True}
        if config is not None:
            options["experimental_config"] = config
        # The host, and the devices that this build and machine support
        activities = profiler.supported_activities()
        if len(activities) < 2:
            missing.append({"what": "device work", "why": "Kineto sees no device here"})
        elif config is None:
            missing.append({"what": "synchronization events (cuda_sync)",
                            "why": "this PyTorch's profiler has no enable_cuda_sync_events"})
        self._profile: Any = profiler.profile(activities=activities, **options)
        # Prepared one step early, like the warm-up of a schedule, because CUPTI starts slowly
        self._by_parts = hasattr(self._profile, "prepare_trace")

    def prepare(self) -> None:
        if self._by_parts:
            self._profile.prepare_trace()

    def start(self) -> None:
        if self._by_parts:
            self._profile.start_trace()
        else:
            self._profile.start()
        self._name_groups()

    def _name_groups(self) -> None:
        """Versions before 2.2 write a distributedInfo without the process groups."""
        asked = getattr(self._profile, "_get_distributed_info", None)
        written = asked() if asked is not None else None
        info = distributed_info()
        if info is not None and "pg_config" not in (written or {}):
            self._profile.add_metadata_json("distributedInfo", json.dumps(info))

    def stop(self) -> None:
        if self._by_parts:
            self._profile.stop_trace()
        else:
            self._profile.stop()

    def save(self, path: str, _: List[Json]) -> None:
        self._profile.export_chrome_trace(path)


class Session:
    """One recording. Call prepare, start, stop, save in this order; abandon at any time."""

    def __init__(self, prefix: str, missing: List[Json]) -> None:
        self._prefix = prefix
        self._missing = missing
        self._timed: Any = Kineto(missing) if has_kineto() else HostOnly(missing)
        self._observer = observer()
        if self._observer is None:
            missing.append({"what": "execution trace", "why": "this PyTorch cannot write one"})
        self._raw = prefix + ".et.part.json"
        self._parts = [prefix + ".kineto.part.json.gz", prefix + ".et.part.json.gz"]
        self._started = False

    def prepare(self) -> None:
        self._timed.prepare()
        if self._observer is not None:
            self._observer.register_callback(self._raw)

    def start(self) -> None:
        self._started = True
        self._timed.start()
        if self._observer is not None:
            self._observer.start()

    def stop(self) -> None:
        self._started = False
        if self._observer is not None:
            self._observer.stop()
        self._timed.stop()
        if self._observer is not None:
            self._observer.unregister_callback()  # writes the file's end

    def save(self, files: Dict[str, str]) -> None:
        """Writes each file completely or not at all, and adds its name to `files` by kind. If one
        file fails, those written before it remain."""
        nodes: List[Json] = []
        if self._observer is not None:
            if os.path.exists(self._raw):
                nodes = self._nodes()
                self._pack(self._prefix + ".et.json.gz")
                files["et"] = os.path.basename(self._prefix) + ".et.json.gz"
            else:
                self._missing.append({"what": "execution trace",
                                      "why": "PyTorch wrote none; a process can have only one observer"})
        self._timed.save(self._parts[0], nodes)
        os.replace(self._parts[0], self._prefix + ".kineto.json.gz")
        files["kineto"] = os.path.basename(self._prefix) + ".kineto.json.gz"

    def _nodes(self) -> List[Json]:
        """The nodes of the execution trace. Several versions sometimes write broken JSON: this is
        reported, and the file stays unchanged."""
        try:
            with open(self._raw, encoding="utf-8") as file:
                return list(json.load(file)["nodes"])
        except ValueError as error:
            self._missing.append({"what": "a sound execution trace",
                                  "why": f"PyTorch wrote JSON that is not valid: {error}"})
            return []

    def _pack(self, path: str) -> None:
        with open(self._raw, "rb") as plain, open(self._parts[1], "wb") as file:
            with gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
                shutil.copyfileobj(plain, packed, 1 << 20)
        os.replace(self._parts[1], path)
        os.remove(self._raw)

    def abandon(self) -> None:
        """Releases all resources, in any state."""
        actions: List[Callable[[], Any]] = []
        if self._started:
            actions.append(self._timed.stop)
        if self._observer is not None:
            actions.append(self._observer.unregister_callback)
        actions += [functools.partial(os.remove, path) for path in [self._raw, *self._parts]]
        for action in actions:
            try:
                action()
            except Exception:  # the resource may not exist
                pass
