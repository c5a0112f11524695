"""Settings that an update of a user pool leaves out.

Missing: every setting that UpdateUserPool leaves out stays.
AWS: AutoVerifiedAttributes that are left out become none. The update fails if UserAttributeUpdateSettings, which stays,
requires the verification of one of them.
https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_UpdateUserPool.html
https://github.com/aws/aws-cli/issues/7151
"""

from ministack.core.responses import error_response_json
from ministack.services import cognito


def patch():
    run = cognito._run_idp_handler

    # CloudFormation, which passes every setting of a template, does not come by here.
    def run_with_defaults(handler, action, data):
        if action != "UpdateUserPool":
            return run(handler, action, data)
        pool, _ = cognito._resolve_pool(data.get("UserPoolId"))
        settings = data.get("UserAttributeUpdateSettings", (pool or {}).get("UserAttributeUpdateSettings")) or {}
        verified = data.get("AutoVerifiedAttributes") or []
        if not set(settings.get("AttributesRequireVerificationBeforeUpdate") or []) <= set(verified):
            message = "All attributes in AttributesRequireVerificationBeforeUpdate must exist in AutoVerifiedAttributes"
            return error_response_json("InvalidParameterException", message, 400)
        return run(handler, action, {**data, "AutoVerifiedAttributes": verified})

    cognito._run_idp_handler = run_with_defaults
