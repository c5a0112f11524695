"""CORS of an HTTP API.

Missing: a template's `CorsConfiguration` keeps its upper-case keys, which the data plane does not read, so every
preflight request is answered 403. A preflight request from an origin that is not allowed is answered 403 too.
AWS: the API answers a preflight request with 204, with the configured headers for an allowed origin and without any for
another.
https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-cors.html
"""

from ministack.services import apigateway

from gaps.provisioning import before_provisioning, lower_first


def patch():
    before_provisioning("AWS::ApiGatewayV2::Api", _with_api_keys)
    respond = apigateway._cors_preflight_response

    def preflight(configuration, origin):
        if configuration and not apigateway._cors_response_headers(configuration, origin):
            return 204, {}, b""
        return respond(configuration, origin)

    apigateway._cors_preflight_response = preflight


def _with_api_keys(properties):
    configuration = properties.get("CorsConfiguration")
    return {**properties, "CorsConfiguration": lower_first(configuration)} if configuration else properties
