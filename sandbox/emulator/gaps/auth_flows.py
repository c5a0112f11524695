"""Sign-in by the API: InitiateAuth and AdminInitiateAuth.

Missing: without IAM enforcement, passwords work for clients that do not allow them, and refresh tokens always work.
Custom authentication starts with a challenge of the emulator when the pool defines none.
AWS: a client accepts only the flows of its `ExplicitAuthFlows`, and custom authentication without triggers is an error.
https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_InitiateAuth.html
https://docs.aws.amazon.com/cognito/latest/developerguide/user-pool-lambda-define-auth-challenge.html
"""

from ministack.core.responses import error_response_json
from ministack.services import cognito

REQUIRED_FLOW = {
    "USER_PASSWORD_AUTH": "ALLOW_USER_PASSWORD_AUTH",
    "ADMIN_USER_PASSWORD_AUTH": "ALLOW_ADMIN_USER_PASSWORD_AUTH",
    "ADMIN_NO_SRP_AUTH": "ALLOW_ADMIN_USER_PASSWORD_AUTH",
    "REFRESH_TOKEN_AUTH": "ALLOW_REFRESH_TOKEN_AUTH",
    "REFRESH_TOKEN": "ALLOW_REFRESH_TOKEN_AUTH",
}


def refusal_message(flow, pool, client_id):
    flows = (pool["_clients"].get(client_id) or {}).get("ExplicitAuthFlows") or []
    if flow in REQUIRED_FLOW and any(name.startswith("ALLOW_") for name in flows) and REQUIRED_FLOW[flow] not in flows:
        return f"{flow} flow not enabled for this client"
    if flow == "CUSTOM_AUTH" and not (pool.get("LambdaConfig") or {}).get("DefineAuthChallenge"):
        return "Custom auth lambda trigger is not configured for the user pool."
    return None


def allowed_only(initiate):
    def initiate_if_allowed(data):
        pool, _ = cognito._pool_for_client(data.get("ClientId"))
        message = refusal_message(data.get("AuthFlow"), pool, data.get("ClientId")) if pool else None
        return error_response_json("InvalidParameterException", message, 400) if message else initiate(data)

    return initiate_if_allowed


def patch():
    cognito._initiate_auth = allowed_only(cognito._initiate_auth)
    cognito._admin_initiate_auth = allowed_only(cognito._admin_initiate_auth)
