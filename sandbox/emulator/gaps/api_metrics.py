"""Metrics of API calls (AWS/ApiGateway).

Missing: all of them.
AWS: for each API and each of its stages, of an HTTP API the requests, the failed ones and their time; of a WebSocket API the messages
either way, the failed ones and the time of the Lambda. What the front door refuses does not come here and is not measured.
https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-metrics.html
https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-websocket-api-logging.html
"""

import time

from ministack.services import apigateway, cloudwatch

NAMESPACE = "AWS/ApiGateway"


def close():
    _measure_requests()
    _measure_messages()
    _measure_callbacks()


def _measure_requests():
    handle = apigateway._handle_execute_in_scope

    async def handle_and_measure(api_id, stage, *rest, **more):
        begun, status = time.time(), 500
        try:
            answer = await handle(api_id, stage, *rest, **more)
            status = answer[0]
            return answer
        finally:
            errors = {"4xx": 400 <= status < 500, "5xx": status >= 500}
            _record(api_id, stage, {"Count": 1, **errors}, {"Latency": _since(begun)})

    apigateway._handle_execute_in_scope = handle_and_measure


def _measure_messages():
    invoke = apigateway._invoke_ws_lambda

    async def invoke_and_measure(api_id, account, region, route, stage, connection_id, event, *rest, **more):
        begun = time.time()
        response = await invoke(api_id, account, region, route, stage, connection_id, event, *rest, **more)
        status = int(response.get("statusCode", 200)) if isinstance(response, dict) else 200
        answered = event == "MESSAGE" and isinstance(response, dict) and bool(response.get("body"))
        counts = {"ConnectCount": 1} if event == "CONNECT" else {"MessageCount": 1 + answered} if event == "MESSAGE" else {}
        errors = {"ExecutionError": status >= 500, "IntegrationError": 400 <= status < 500}
        _record(api_id, stage, {**counts, **errors}, {"IntegrationLatency": _since(begun)})
        return response

    apigateway._invoke_ws_lambda = invoke_and_measure


def _measure_callbacks():
    manage = apigateway.handle_connections_api

    async def manage_and_measure(method, api_id, stage, *rest, **more):
        answer = await manage(method, api_id, stage, *rest, **more)
        if method == "POST" and answer[0] == 200:
            _record(api_id, stage, {"MessageCount": 1}, {})
        return answer

    apigateway.handle_connections_api = manage_and_measure


def _since(begun):
    return (time.time() - begun) * 1000.0


def _record(api_id, stage, counts, milliseconds):
    for dimensions in ({"ApiId": api_id}, {"ApiId": api_id, "Stage": stage}):
        for name, value in counts.items():
            _count(name, float(value), dimensions)
        for name, value in milliseconds.items():
            cloudwatch.record_metric(NAMESPACE, name, value, "Milliseconds", dimensions)


def _count(name, value, dimensions):
    """The same number again in a minute is counted where it stands: metrics are kept for weeks, and stored with all else."""
    now = time.time()
    points = cloudwatch._metric_bucket((NAMESPACE, name, cloudwatch._dims_key(dimensions)))
    if points and points[-1]["Value"] == value and points[-1]["Timestamp"] // 60 == now // 60:
        points[-1]["Count"] += 1.0
    else:
        points.append({"Timestamp": now, "Value": value, "Count": 1.0, "Unit": "Count", "Dimensions": dimensions})
