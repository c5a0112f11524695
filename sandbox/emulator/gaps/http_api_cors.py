"""CORS of an HTTP API.

Missing: a template's `CorsConfiguration` keeps its capitals, which the data plane does not look for, so that every preflight is
answered 403. A preflight from an origin that is not allowed is answered 403 too.
AWS: a preflight is answered 204 by the gateway, with the configured headers for an allowed origin and without any for another.
https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-cors.html
"""

from ministack.services import apigateway

from gaps.provisioning import before_provisioning, lower_first


def close():
    before_provisioning("AWS::ApiGatewayV2::Api", _as_the_service_spells_it)
    answer = apigateway._cors_preflight_response

    def preflight(configuration, origin):
        if configuration and not apigateway._cors_response_headers(configuration, origin):
            return 204, {}, b""
        return answer(configuration, origin)

    apigateway._cors_preflight_response = preflight


def _as_the_service_spells_it(properties):
    configuration = properties.get("CorsConfiguration")
    return {**properties, "CorsConfiguration": lower_first(configuration)} if configuration else properties
