"""The WebSocket handshake's response.

Missing: the subprotocol that the $connect Lambda selects is not sent, and every refusal arrives as 403.
AWS: the `Sec-WebSocket-Protocol` header of the Lambda's response goes to the client. A refusal has the Lambda's status,
and is 502 when the Lambda failed.
https://docs.aws.amazon.com/apigateway/latest/developerguide/websocket-connect-route-subprotocol.html
"""

import contextvars

from ministack.services import apigateway

MESSAGES = {401: "Unauthorized", 403: "Forbidden", 502: "Internal server error"}

_handshake = contextvars.ContextVar("handshake")


def patch():
    invoke, handle = apigateway._invoke_ws_lambda, apigateway.handle_websocket

    async def invoke_and_record(api_id, account, region, route, stage, connection_id, event, request_id, *rest, **more):
        response = await invoke(api_id, account, region, route, stage, connection_id, event, request_id, *rest, **more)
        if event == "CONNECT":
            _handshake.get().update(response=response or {}, connection_id=connection_id, request_id=request_id)
        return response

    async def handle_with_response(scope, receive, send, *rest, **more):
        handshake = {}
        _handshake.set(handshake)

        async def send_response(message):
            if message["type"] == "websocket.accept":
                handshake["accepted"] = True
                message = _with_subprotocol(message, scope, handshake.get("response", {}))
            if message["type"] == "websocket.close" and "response" in handshake and "accepted" not in handshake:
                return await _refuse(scope, send, handshake)
            await send(message)

        return await handle(scope, receive, send_response, *rest, **more)

    apigateway._invoke_ws_lambda, apigateway.handle_websocket = invoke_and_record, handle_with_response


def _with_subprotocol(message, scope, response):
    headers = {name.lower(): value for name, value in (response.get("headers") or {}).items()}
    selected = headers.get("sec-websocket-protocol")
    return {**message, "subprotocol": selected} if selected in scope.get("subprotocols", []) else message


async def _refuse(scope, send, handshake):
    response = handshake["response"]
    status = 502 if response.get("failed") else int(response.get("statusCode", 500))
    await apigateway._refuse_ws_handshake(
        scope, send, status, MESSAGES.get(status, "Forbidden"), handshake["connection_id"], handshake["request_id"])
