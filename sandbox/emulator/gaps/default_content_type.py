"""Content type of a request to a REST API that has none.

Missing: such a body matches no binary media type, so that a Lambda gets it as text.
AWS: it is application/json, and */* includes all content types.
https://docs.aws.amazon.com/apigateway/latest/developerguide/integration-passthrough-behaviors.html
https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-payload-encodings.html
"""

import base64

from ministack.services import apigateway_v1


def patch():
    build = apigateway_v1._build_lambda_event_v1

    def build_with_default(api_id, stage_name, stage, resource, path, method, headers, body, *rest, binary_media_types=None, **named):
        event = build(api_id, stage_name, stage, resource, path, method, headers, body, *rest, binary_media_types=binary_media_types, **named)
        is_default = body and not headers.get("content-type")
        if is_default and apigateway_v1._media_type_matches("application/json", binary_media_types):
            return {**event, "body": base64.b64encode(body).decode("ascii"), "isBase64Encoded": True}
        return event

    apigateway_v1._build_lambda_event_v1 = build_with_default
