"""HTTPS from Lambdas to servers on this machine.

Missing: the worker sends every HTTPS request to 127.0.0.1 and localhost as plain HTTP, because it takes each for a
request to the emulator.
AWS: HTTPS requests are not changed. Here only requests to the emulator's port, or to the default port, go to the
emulator.
"""

from ministack.core import lambda_runtime

LOOPBACK = """    if (host === "127.0.0.1" || host === "localhost" || host === msHost
        || (advertised && host === advertised)) {"""

TO_THE_EMULATOR = """    const isOurs = !options.port || [443, msPort].includes(Number(options.port));
    if (isOurs && (host === "127.0.0.1" || host === "localhost" || host === msHost
        || (advertised && host === advertised))) {"""


def patch():
    script = lambda_runtime._NODEJS_WORKER_SCRIPT
    if script.count(LOOPBACK) != 1:
        raise RuntimeError("MiniStack's Node.js worker script has changed: look at gaps/lambda_https.py")
    lambda_runtime._NODEJS_WORKER_SCRIPT = script.replace(LOOPBACK, TO_THE_EMULATOR)
