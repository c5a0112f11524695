"""Metrics of API calls (AWS/ApiGateway).

Missing: all of them.
AWS: each API and each of its stages has metrics. An HTTP API has its requests, the failed ones and their latency. A
REST API has them under its name. A WebSocket API has the messages in both directions, the failed ones and the latency
of the Lambda. Requests that the gateway of the sandbox refuses do not reach the emulator and are not measured.
https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-metrics.html
https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-websocket-api-logging.html
"""

import time

from ministack.services import apigateway, apigateway_v1, cloudwatch

NAMESPACE = "AWS/ApiGateway"


def patch():
    _measure_requests(apigateway, "4xx", "5xx", _by_id)
    _measure_requests(apigateway_v1, "4XXError", "5XXError", _by_name)
    _measure_messages()
    _measure_callbacks()


def _by_id(api_id):
    return {"ApiId": api_id}


def _by_name(api_id):
    return {"ApiName": apigateway_v1._rest_apis.get(api_id, {}).get("name", api_id)}


def _measure_requests(service, client_errors, server_errors, api_dimension):
    handle = service._handle_execute_in_scope

    async def handle_and_measure(api_id, stage, *rest, **more):
        begun, status = time.time(), 500
        try:
            response = await handle(api_id, stage, *rest, **more)
            status = response[0]
            return response
        finally:
            counts = {"Count": 1, client_errors: 400 <= status < 500, server_errors: status >= 500}
            _record(api_dimension(api_id), stage, counts, {"Latency": _milliseconds_since(begun)})

    service._handle_execute_in_scope = handle_and_measure


def _measure_messages():
    invoke = apigateway._invoke_ws_lambda

    async def invoke_and_measure(api_id, account, region, route, stage, connection_id, event, *rest, **more):
        begun = time.time()
        response = await invoke(api_id, account, region, route, stage, connection_id, event, *rest, **more)
        status = int(response.get("statusCode", 200)) if isinstance(response, dict) else 200
        has_response = event == "MESSAGE" and isinstance(response, dict) and bool(response.get("body"))
        counts = {"ConnectCount": 1} if event == "CONNECT" else {"MessageCount": 1 + has_response} if event == "MESSAGE" else {}
        errors = {"ExecutionError": status >= 500, "IntegrationError": 400 <= status < 500}
        _record(_by_id(api_id), stage, {**counts, **errors}, {"IntegrationLatency": _milliseconds_since(begun)})
        return response

    apigateway._invoke_ws_lambda = invoke_and_measure


def _measure_callbacks():
    manage = apigateway.handle_connections_api

    async def manage_and_measure(method, api_id, stage, *rest, **more):
        response = await manage(method, api_id, stage, *rest, **more)
        if method == "POST" and response[0] == 200:
            _record(_by_id(api_id), stage, {"MessageCount": 1}, {})
        return response

    apigateway.handle_connections_api = manage_and_measure


def _milliseconds_since(begun):
    return (time.time() - begun) * 1000.0


def _record(api, stage, counts, milliseconds):
    for dimensions in (api, {**api, "Stage": stage}):
        for name, value in counts.items():
            _count(name, float(value), dimensions)
        for name, value in milliseconds.items():
            cloudwatch.record_metric(NAMESPACE, name, value, "Milliseconds", dimensions)


def _count(name, value, dimensions):
    """Counts an equal value of the same minute in the existing data point. Metrics are stored for weeks."""
    now = time.time()
    points = cloudwatch._metric_bucket((NAMESPACE, name, cloudwatch._dims_key(dimensions)))
    if points and points[-1]["Value"] == value and points[-1]["Timestamp"] // 60 == now // 60:
        points[-1]["Count"] += 1.0
    else:
        points.append({"Timestamp": now, "Value": value, "Count": 1.0, "Unit": "Count", "Dimensions": dimensions})
