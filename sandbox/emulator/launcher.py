"""Starts MiniStack with the gaps closed that keep Postrider's stack from running on it as it runs on AWS.

Each gap is a file in `gaps/` that says what is missing and how AWS behaves. They reach into MiniStack's internals, so the
launcher runs with one version of it only; tests tell which gaps a next version still has.
"""

import importlib
import os
import signal
import sys
import threading
import time
from importlib.metadata import version

MINISTACK = "1.5.33"

GAPS = [
    "http_api_cors",
    "http_api_failures",
    "stage_settings",
    "route_responses",
    "web_socket_handshake",
    "web_socket_invocations",
    "message_size",
    "custom_resource_failures",
    "interrupted_deployments",
    "receipt_rules",
    "email_identity_dkim",
    "managed_login_branding",
    "query_definitions",
    "composite_alarms",
    "trails",
    "secret_reference",
    "user_pool_provider_url",
    "refresh_grants",
    "refresh_rotation",
    "auth_flows",
    "table_time_to_live",
    "table_updates",
    "bucket_tags",
    "table_streams",
    "log_drain_wait",
    "lambda_https",
    "payload_size",
    "key_expressions",
    "log_filtering",
    "log_group_permissions",
    "invocation_metrics",
    "api_metrics",
    "queue_metrics",
    "queue_batch_actions",
    "web_socket_concurrency",
    "web_socket_throttle",
    "role_assumption_events",
    "role_boundaries",
]


def refuse_other_versions():
    found = version("ministack")
    if found != MINISTACK:
        sys.exit(f"This launcher closes the gaps of MiniStack {MINISTACK}; {found} is installed.")


def close_gaps():
    """Closes every gap, except those that a test leaves open to prove that it notices."""
    left_open = os.environ.pop("POSTRIDER_SANDBOX_WITHOUT_GAP", "").split(",")
    for name in GAPS:
        if name not in left_open:
            importlib.import_module(f"gaps.{name}").close()


def stay_off_https_port():
    """With TLS, MiniStack also takes port 443 when it may. Two sandboxes could not run side by side then."""
    from ministack import app

    app._port_is_bindable = lambda *_: False


def end_with_parent():
    """Whoever started us holds our standard input; when that ends, so do we. A killed parent leaves no orphan."""

    def wait():
        while os.read(0, 4096):
            pass
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(15)
        os.killpg(0, signal.SIGKILL)

    if os.getpgrp() == os.getpid():
        threading.Thread(target=wait, daemon=True, name="end-with-parent").start()


def end_when_saved():
    """Ends at once when the state is saved. MiniStack would wait for each call that is under way, however long it takes, and leave the
    Lambda processes to notice for themselves that nobody calls any more."""
    from ministack import app
    from ministack.core import lambda_runtime

    handle = app._handle_lifespan

    async def handle_and_end(scope, receive, send):
        async def send_and_end(message):
            await send(message)
            if message["type"] == "lifespan.shutdown.complete":
                lambda_runtime.reset()
                os._exit(0)

        await handle(scope, receive, send_and_end)

    app._handle_lifespan = handle_and_end


def main():
    refuse_other_versions()
    import certificate

    certificate.ensure(os.environ["MINISTACK_SSL_CERT"], os.environ["MINISTACK_SSL_KEY"])
    from ministack import app

    close_gaps()
    stay_off_https_port()
    end_when_saved()
    end_with_parent()
    app.main()


if __name__ == "__main__":
    main()
