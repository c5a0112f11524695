"""A custom resource whose Lambda fails before it sends a response.

Missing: the Lambda's error is dropped, and the deployment waits for the resource's timeout, by default an hour.
AWS: does the same after two retries, and the cause is only in the Lambda's log. For development an hour is too long:
here the resource fails at once, with the cause as its reason.
https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/template-custom-resources.html
"""

from ministack.services import lambda_svc
from ministack.services.cloudformation import custom_resource


def patch():
    execute = lambda_svc._execute_function_with_config_scope

    def execute_and_report(function, event):
        result = execute(function, event)
        if result.get("error") and isinstance(event, dict) and "ResponseURL" in event:
            _fail(event["ResponseURL"].rpartition("/")[2], result.get("body"))
        return result

    lambda_svc._execute_function_with_config_scope = execute_and_report


def _fail(token, error):
    pending = custom_resource._pending.get(token)
    if pending and pending["result"] is None:
        reason = error.get("errorMessage") if isinstance(error, dict) else error
        custom_resource.deliver_response(token, {"Status": "FAILED", "Reason": f"The Lambda failed: {reason}"})
