"""Size of a Lambda's request and response.

Missing: there is no limit.
AWS: 6 MB each way for a synchronous invocation. Behind an HTTP API a longer request is answered 413; a longer response
is a failure (500).
https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
"""

import json

from ministack.services import apigateway, lambda_svc

MAXIMUM_PAYLOAD_BYTES = 6_291_556


def patch():
    _measure_responses()
    _measure_requests()


def _measure_responses():
    dispatch = lambda_svc._execute_function_dispatch

    def dispatch_and_measure(*arguments):
        result = dispatch(*arguments)
        size = _size(result.get("body"))
        if size <= MAXIMUM_PAYLOAD_BYTES or result.get("error"):
            return result
        message = f"Response payload size ({size} bytes) exceeded maximum allowed payload size ({MAXIMUM_PAYLOAD_BYTES} bytes)."
        body = {"errorType": "Function.ResponseSizeTooLarge", "errorMessage": message}
        return {"error": True, "function_error": "Unhandled", "body": body, "log": result.get("log", "")}

    lambda_svc._execute_function_dispatch = dispatch_and_measure


def _measure_requests():
    invoke = apigateway._invoke_lambda_proxy

    async def measure_and_invoke(integration, api_id, stage, path, method, headers, body, *rest, **more):
        if _event_size(headers, body) > MAXIMUM_PAYLOAD_BYTES:
            return 413, {"Content-Type": "application/json"}, b'{"message":"Request Entity Too Large"}'
        return await invoke(integration, api_id, stage, path, method, headers, body, *rest, **more)

    apigateway._invoke_lambda_proxy = measure_and_invoke


def _event_size(headers, body):
    """The size of the event, accurate to some hundred bytes: text is sent as JSON, all else in base64."""
    if not body or len(body) < MAXIMUM_PAYLOAD_BYTES // 8:
        return 0
    if apigateway._v2_request_body_is_text(headers.get("content-type")):
        return len(json.dumps(body.decode("utf-8", errors="replace"), ensure_ascii=False).encode()) + len(json.dumps(headers))
    return (len(body) + 2) // 3 * 4 + len(json.dumps(headers))


def _size(payload):
    if isinstance(payload, dict) and len(str(payload.get("body") or "")) < MAXIMUM_PAYLOAD_BYTES // 8:
        return 0
    return len(json.dumps(payload, ensure_ascii=False).encode())
