"""The log lines of a Lambda invocation.

Missing: the emulator reads log lines for a time, and waits 50 ms for lines that do not come. A line that its reader has
not queued in that time belongs to the next invocation of the same process, and is lost when there is none.
AWS: every line that a handler writes before it responds is in the log of its invocation, and nothing waits for lines
that do not come. Here the process marks the end of its lines before it responds.
"""

import queue
import time

from ministack.core import lambda_runtime

END = "\x00end of the log of an invocation\x00"

WRITE = "const _realStdoutWrite = process.stdout.write.bind(process.stdout);\nconst _stderrWrite = process.stderr.write.bind(process.stderr);\n"

# Writes to pipes are synchronous, so the mark follows all lines of the handler. The first response of a process says
# that it is ready, and belongs to no invocation.
WRITE_WITH_END = """const _stderrWrite = process.stderr.write.bind(process.stderr);
const _realStdoutWrite = ((write) => (line) => {
  if (!line.startsWith('{"status":"ready"')) _stderrWrite(%r + "\\n");
  return write(line);
})(process.stdout.write.bind(process.stdout));
""" % END

# A process that ends without a mark closes its pipe. The maximum is for a pipe that a child of it keeps open.
MAXIMUM_WAIT = 60


def patch():
    script = lambda_runtime._NODEJS_WORKER_SCRIPT
    if script.count(WRITE) != 1:
        raise RuntimeError("MiniStack's Node.js worker script has changed: look at gaps/invocation_log.py")
    lambda_runtime._NODEJS_WORKER_SCRIPT = script.replace(WRITE, WRITE_WITH_END)
    emulators_drain = lambda_runtime.Worker._drain_stderr_bounded
    lambda_runtime.Worker._drain_stderr_bounded = lambda worker: (
        _lines_to_end(worker) if worker.config.get("Runtime", "").startswith("nodejs") else emulators_drain(worker)
    )
    # The lines of a process that was killed, because it timed out.
    lambda_runtime.Worker._drain_stderr = _lines_to_end


def _lines_to_end(worker):
    """The lines up to the mark, or up to the end of a process that wrote none."""
    lines = []
    maximum = time.monotonic() + MAXIMUM_WAIT
    while time.monotonic() < maximum:
        has_ended = worker._stderr_thread is None or not worker._stderr_thread.is_alive()
        try:
            line = worker._stderr_queue.get(timeout=0 if has_ended else 0.05)
        except queue.Empty:
            if has_ended:
                break
            continue
        line, mark, _ = line.partition(END)
        if line or not mark:
            lines.append(line)
        if mark:
            break
    return "\n".join(lines)
