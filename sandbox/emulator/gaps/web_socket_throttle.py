"""Throttling of messages to a WebSocket API.

Missing: there is no limit.
AWS: the settings of the stage, or of the route, are a token bucket for messages as for requests: `burst` at once,
`rate` a second. A message above it does not reach the Lambda. The client gets `Too Many Requests` in the form of API
Gateway's other refusals of messages; that form is inferred, because the documentation gives only the words. (The
gateway of the sandbox throttles handshakes.)
https://docs.aws.amazon.com/apigateway/latest/developerguide/websocket-api-protect.html
"""

import json
import time

from ministack.services import apigateway

_buckets = {}


def patch():
    invoke = apigateway._invoke_ws_lambda

    async def invoke_unless_throttled(api_id, account, region, route, stage, connection_id, event, request_id, *rest, **more):
        settings = _settings(api_id, account, region, stage, route.get("routeKey")) if event == "MESSAGE" else None
        if settings and not _admits((api_id, stage, route.get("routeKey")), *settings):
            refusal = {"message": "Too Many Requests", "connectionId": connection_id, "requestId": request_id}
            return {"statusCode": 429, "body": json.dumps(refusal)}
        return await invoke(api_id, account, region, route, stage, connection_id, event, request_id, *rest, **more)

    apigateway._invoke_ws_lambda = invoke_unless_throttled


def _settings(api_id, account, region, stage, route_key):
    """Rate and burst; None where neither route nor stage has a setting."""
    settings_of_stage = apigateway._stages.get_scoped(account, region, api_id, {}).get(stage, {})
    for settings in (settings_of_stage.get("routeSettings", {}).get(route_key, {}), settings_of_stage.get("defaultRouteSettings", {})):
        rate, burst = settings.get("throttlingRateLimit"), settings.get("throttlingBurstLimit")
        if rate is not None and burst is not None:
            return float(rate), float(burst)
    return None


def _admits(name, rate, burst):
    now = time.monotonic()
    tokens, updated_at = _buckets.get(name, (burst, now))
    tokens = min(burst, tokens + (now - updated_at) * rate)
    _buckets[name] = (tokens - 1 if tokens >= 1 else tokens, now)
    return tokens >= 1
