"""Lambdas behind a WebSocket API.

Missing: one process handles all messages of a function, one after the other, and writes no log.
AWS: concurrent invocations run in separate execution environments, and each writes START, END and REPORT to the
function's log group.
https://docs.aws.amazon.com/lambda/latest/dg/lambda-concurrency.html
"""

from ministack.core import lambda_runtime
from ministack.services import lambda_svc


def patch():
    lambda_runtime.get_or_create_worker = lambda name, config, _code, qualifier="$LATEST": _HttpApiInvocation(name, config)


class _HttpApiInvocation:
    """Replaces a worker: invokes the function as an HTTP API does."""

    def __init__(self, name, config):
        self.name = name
        self.config = config

    def invoke(self, event, _request_id):
        record = lambda_svc._execution_record_for_config(lambda_svc._functions[self.name], self.config)
        result = lambda_svc._execute_function_with_config_scope(record, event)
        if result.get("error"):
            return {"status": "ok", "result": {"statusCode": 500, "failed": True}}
        response, _ = lambda_svc.lambda_execute_result_to_api_proxy_response(result)
        return {"status": "ok", "result": response}
