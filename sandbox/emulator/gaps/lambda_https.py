"""HTTPS of Lambdas to servers on this machine.

Missing: the worker makes plain HTTP of every https request to 127.0.0.1 and localhost, because it takes each for one to the emulator.
AWS: https is https. Here only requests to the emulator's own port, or to the default one, are led to the emulator.
"""

from ministack.core import lambda_runtime

LOOPBACK = """    if (host === "127.0.0.1" || host === "localhost" || host === msHost
        || (advertised && host === advertised)) {"""

TO_THE_EMULATOR = """    const isOurs = !options.port || [443, msPort].includes(Number(options.port));
    if (isOurs && (host === "127.0.0.1" || host === "localhost" || host === msHost
        || (advertised && host === advertised))) {"""


def close():
    script = lambda_runtime._NODEJS_WORKER_SCRIPT
    if script.count(LOOPBACK) != 1:
        raise RuntimeError("the worker's script is another one")
    lambda_runtime._NODEJS_WORKER_SCRIPT = script.replace(LOOPBACK, TO_THE_EMULATOR)
