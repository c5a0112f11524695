"""Responses to a WebSocket message (`AWS::ApiGatewayV2::RouteResponse`).

Missing: the resource type. The data plane sends the Lambda's return value to the client for every route, and the
error's message when the Lambda fails.
AWS: only a route with a route response sends a response to its client. A Lambda that fails gives `{"message": "Internal
server error", "connectionId": …, "requestId": …}` on any route.
https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-websocket-api-route-response.html
"""

import json

from ministack.services import apigateway

from gaps.provisioning import add_type, expect_success, lower_first

KIND = "AWS::ApiGatewayV2::RouteResponse"


def patch():
    add_type(KIND, _create, _delete)
    invoke = apigateway._invoke_ws_lambda

    async def invoke_and_filter_response(api_id, account, region, route, stage, connection_id, event, request_id, *rest, **more):
        response = await invoke(api_id, account, region, route, stage, connection_id, event, request_id, *rest, **more)
        if event != "MESSAGE" or response is None:
            return response
        if _failed(response):
            return internal_server_error(connection_id, request_id)
        return response if _has_route_response(api_id, route) else None

    apigateway._invoke_ws_lambda = invoke_and_filter_response


def internal_server_error(connection_id, request_id):
    """The message to the client when the response cannot be sent."""
    message = {"message": "Internal server error", "connectionId": connection_id, "requestId": request_id}
    return {"statusCode": 500, "body": json.dumps(message)}


def _failed(response):
    return not isinstance(response, dict) or int(response.get("statusCode", 200)) >= 500


def _has_route_response(api_id, route):
    responses = apigateway._route_responses.get(api_id, {}).get(route["routeId"], {})
    return bool(route.get("routeResponseSelectionExpression")) and bool(responses)


def _create(_logical_id, properties, _stack):
    api_id, route_id = _route_of(properties)
    response = expect_success(apigateway._create_route_response(api_id, route_id, lower_first(properties)), KIND)
    return response["routeResponseId"], {"RouteResponseId": response["routeResponseId"]}


def _delete(physical_id, properties):
    apigateway._delete_route_response(*_route_of(properties), physical_id)


def _route_of(properties):
    """MiniStack's `Ref` of a route is `<api id>/<route id>`."""
    return properties["ApiId"], properties["RouteId"].rpartition("/")[2]
