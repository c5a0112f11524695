"""Starts MiniStack and closes the gaps that keep Postrider's stack from running on it as it runs on AWS.

Each file in `gaps/` closes one gap: it says what is missing and how AWS behaves, and patches MiniStack's internals. The
launcher therefore runs with one version of MiniStack only. The tests of a gap show whether a newer version still has
it.
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
    "default_content_type",
    "response_streaming",
    "account_concurrency",
    "route_responses",
    "integration_credentials",
    "web_socket_handshake",
    "web_socket_invocations",
    "message_size",
    "custom_resource_failures",
    "interrupted_deployments",
    "receipt_rules",
    "email_identity_dkim",
    "managed_login_branding",
    "query_definitions",
    "metric_filters",
    "composite_alarms",
    "trails",
    "secret_reference",
    "user_pool_provider_url",
    "refresh_grants",
    "refresh_rotation",
    "auth_flows",
    "self_service",
    "invitations",
    "user_pool_messages",
    "browser_session",
    "second_factor",
    "table_time_to_live",
    "table_updates",
    "point_in_time_recovery",
    "bucket_tags",
    "table_streams",
    "invocation_log",
    "lambda_https",
    "payload_size",
    "key_expressions",
    "leading_keys",
    "log_filtering",
    "log_group_permissions",
    "invocation_metrics",
    "api_metrics",
    "queue_metrics",
    "queue_batch_actions",
    "web_socket_concurrency",
    "role_assumption_events",
    "role_boundaries",
    "email_identity_tags",
    "request_models",
    "user_pool_updates",
    "account_plan",
]


def refuse_other_versions():
    found = version("ministack")
    if found != MINISTACK:
        sys.exit(f"The sandbox needs MiniStack {MINISTACK}, but {found} is installed: its gaps are closed for one version only.")


def close_gaps():
    """Closes every gap, except those that POSTRIDER_SANDBOX_WITHOUT_GAP names, for tests that must fail then."""
    left_open = os.environ.pop("POSTRIDER_SANDBOX_WITHOUT_GAP", "").split(",")
    for name in GAPS:
        if name not in left_open:
            importlib.import_module(f"gaps.{name}").patch()


def stay_off_https_port():
    """Keeps MiniStack from listening on port 443, which it does with TLS. Two sandboxes could not run at once then."""
    from ministack import app

    app._port_is_bindable = lambda *_: False


def end_with_parent():
    """Ends this process when its standard input ends, which the parent holds open. A killed parent leaves no orphan."""

    def wait():
        while os.read(0, 4096):
            pass
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(15)
        os.killpg(0, signal.SIGKILL)

    if os.getpgrp() == os.getpid():
        threading.Thread(target=wait, daemon=True, name="end-with-parent").start()


def end_when_saved():
    """Ends at once when the state is saved. MiniStack would wait for every running invocation, and would not end the
    Lambda processes.
    """
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


def start_debugger():
    """Lets `npm run sandbox -- debug` run a Lambda under Node's inspector."""
    request_file = os.environ.pop("POSTRIDER_SANDBOX_DEBUG_REQUEST", "")
    if request_file:
        import debugger

        debugger.start(request_file)


def main():
    refuse_other_versions()
    import certificate

    certificate.ensure(os.environ["MINISTACK_SSL_CERT"], os.environ["MINISTACK_SSL_KEY"])
    from ministack import app

    close_gaps()
    stay_off_https_port()
    end_when_saved()
    end_with_parent()
    start_debugger()
    app.main()


if __name__ == "__main__":
    main()
