"""Runs one Lambda under Node's inspector, for `npm run sandbox -- debug <lambda>`.

The command writes a JSON file, and this module reads it several times a second: `{"function": "Postrider-jmap",
"module": "/…/debug/jmap/index.cjs", "port": 9229}`. Without the file nothing is debugged.

All calls of that function then go to one worker process of their own, one after the other. It loads `module` instead of
the deployed code and listens for the inspector on 127.0.0.1. It may pause at a breakpoint for an hour, whatever the
function's timeout is.
"""

import io
import json
import logging
import threading
import time
import zipfile
from pathlib import Path

from ministack.core import lambda_runtime
from ministack.services import lambda_svc

PERIOD = 0.2
TIMEOUT_SECONDS = 3600
POOL_KEY = "debugger"
"""In MiniStack's pool of workers: no function has this key, and the worker ends with the others."""

logger = logging.getLogger(__name__)
_worker = None
_switch = threading.Lock()
"""Held while the worker starts or ends, so that no call meets an inspector that answers and a worker that is not set."""


def start(path):
    """Follows the file at `path` in a thread of its own."""
    acquire = lambda_runtime.acquire_worker

    def acquire_debugged(name, config, code_zip, **options):
        with _switch:
            worker = _worker
        if worker is None or worker.func_name != name:
            return acquire(name, config, code_zip, **options)
        worker.in_use = True
        return worker, "reused"

    lambda_runtime.acquire_worker = lambda_svc.acquire_worker = acquire_debugged
    threading.Thread(target=_follow, args=(Path(path),), daemon=True, name="debugger").start()


def _follow(path):
    current = None
    while True:
        requested = _read(path)
        try:
            if requested != current:
                current = requested
                with _switch:
                    _stop()
                    if requested:
                        _start(json.loads(requested))
            elif _worker and not _worker.in_use:
                # An invocation that failed has ended the process. The debugger is to find the next one.
                lambda_runtime.ensure_spawned(_worker)
        except Exception:
            logger.exception("The Lambda could not be started for the debugger")
            _stop()
        time.sleep(PERIOD)


def _read(path):
    try:
        return path.read_text()
    except FileNotFoundError:
        return None


def _start(settings):
    global _worker
    config = next(
        function["config"] for (_, _, name), function in lambda_svc._functions._data.items() if name == settings["function"])
    variables = config.get("Environment", {}).get("Variables", {})
    inspect = f"--enable-source-maps --inspect=127.0.0.1:{settings['port']} --inspect-publish-uid=http"
    worker = lambda_runtime.Worker(settings["function"], {
        **config,
        "Timeout": TIMEOUT_SECONDS,
        "Environment": {"Variables": {**variables, "NODE_OPTIONS": inspect}},
    }, _code(config["Handler"], settings["module"]))
    lambda_runtime.ensure_spawned(worker)
    with lambda_runtime._lock:
        lambda_runtime._workers[POOL_KEY] = [worker]
    _worker = worker


def _code(handler, module):
    """A function's code that loads a module of the project, where its source map is."""
    code = io.BytesIO()
    with zipfile.ZipFile(code, "w") as archive:
        archive.writestr(f"{handler.rpartition('.')[0]}.js", f"module.exports = require({json.dumps(module)});\n")
    return code.getvalue()


def _stop():
    global _worker
    _worker = None
    with lambda_runtime._lock:
        workers = lambda_runtime._workers.pop(POOL_KEY, [])
    lambda_runtime.kill_workers(workers)
