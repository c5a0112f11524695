"""Size of messages to the client of a WebSocket API.

Missing: there is no limit.
AWS: 128 KB. A longer response of a Lambda becomes an internal server error; PostToConnection refuses a longer message
with 413. (The gateway of the sandbox measures messages from clients, because it sees the frames.)
https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-execution-service-websocket-limits-table.html
"""

import json

from ministack.services import apigateway

from gaps.route_responses import internal_server_error

MAXIMUM_MESSAGE_BYTES = 128 * 1024


def patch():
    invoke, manage = apigateway._invoke_ws_lambda, apigateway.handle_connections_api

    async def invoke_and_measure(api_id, account, region, route, stage, connection_id, event, request_id, *rest, **more):
        response = await invoke(api_id, account, region, route, stage, connection_id, event, request_id, *rest, **more)
        body = response.get("body") if event == "MESSAGE" and isinstance(response, dict) else None
        too_long = isinstance(body, str) and len(body.encode()) > MAXIMUM_MESSAGE_BYTES
        return internal_server_error(connection_id, request_id) if too_long else response

    async def measure_and_manage(method, api_id, stage, connection_id, body, headers):
        if method == "POST" and len(body or b"") > MAXIMUM_MESSAGE_BYTES:
            error_type = {"Content-Type": "application/json", "x-amzn-ErrorType": "PayloadTooLargeException"}
            return 413, error_type, json.dumps({"message": "Message too long"}).encode()
        return await manage(method, api_id, stage, connection_id, body, headers)

    apigateway._invoke_ws_lambda, apigateway.handle_connections_api = invoke_and_measure, measure_and_manage
