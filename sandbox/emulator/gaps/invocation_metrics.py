"""Metrics of Lambda invocations (AWS/Lambda).

Missing: only invocations by the Invoke API are measured.
AWS: every invocation is measured, whether the caller is API Gateway, a queue or another service.
https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html
"""

import time

from ministack.services import lambda_svc


def patch():
    execute = lambda_svc._execute_function_with_config_scope
    emit = lambda_svc._emit_lambda_metrics

    def execute_and_measure(func, event):
        begun = time.time()
        result = execute(func, event)
        if not result.get("throttle"):
            name = func.get("config", {}).get("FunctionName")
            emit(name, duration_ms=(time.time() - begun) * 1000.0, error=bool(result.get("error")), throttle=False)
        return result

    def emit_throttles_only(name, duration_ms, error, throttle):
        if throttle:
            emit(name, duration_ms=duration_ms, error=error, throttle=throttle)

    lambda_svc._execute_function_with_config_scope = execute_and_measure
    lambda_svc._emit_lambda_metrics = emit_throttles_only
