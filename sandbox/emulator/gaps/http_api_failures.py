"""A Lambda that fails behind an HTTP API.

Missing: the caller gets 502 and the error's message.
AWS: the caller gets 500 and `{"message":"Internal Server Error"}`; the error is only in the log.
https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-troubleshooting-lambda.html
"""

from ministack.services import lambda_svc


def patch():
    respond = lambda_svc.lambda_execute_result_to_api_proxy_response

    def respond_without_cause(result):
        if result.get("error") and not result.get("throttle"):
            return {
                "statusCode": 500,
                "headers": {"Content-Type": "application/json"},
                "body": '{"message":"Internal Server Error"}',
            }, None
        return respond(result)

    lambda_svc.lambda_execute_result_to_api_proxy_response = respond_without_cause
