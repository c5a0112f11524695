"""Sign-in by the API, InitiateAuth and AdminInitiateAuth.

Missing: without IAM enforcement passwords are taken for clients that do not allow them, and refresh tokens always; custom authentication begins with a
challenge of the emulator's own where the pool defines none.
AWS: a client takes the flows of its `ExplicitAuthFlows` only, and custom authentication is an error without the triggers.
https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_InitiateAuth.html
https://docs.aws.amazon.com/cognito/latest/developerguide/user-pool-lambda-define-auth-challenge.html
"""

from ministack.core.responses import error_response_json
from ministack.services import cognito

ALLOWING = {
    "USER_PASSWORD_AUTH": "ALLOW_USER_PASSWORD_AUTH",
    "ADMIN_USER_PASSWORD_AUTH": "ALLOW_ADMIN_USER_PASSWORD_AUTH",
    "ADMIN_NO_SRP_AUTH": "ALLOW_ADMIN_USER_PASSWORD_AUTH",
    "REFRESH_TOKEN_AUTH": "ALLOW_REFRESH_TOKEN_AUTH",
    "REFRESH_TOKEN": "ALLOW_REFRESH_TOKEN_AUTH",
}


def refusal(flow, pool, client_id):
    flows = (pool["_clients"].get(client_id) or {}).get("ExplicitAuthFlows") or []
    if flow in ALLOWING and any(name.startswith("ALLOW_") for name in flows) and ALLOWING[flow] not in flows:
        return f"{flow} flow not enabled for this client"
    if flow == "CUSTOM_AUTH" and not (pool.get("LambdaConfig") or {}).get("DefineAuthChallenge"):
        return "Custom auth lambda trigger is not configured for the user pool."
    return None


def allowed_only(initiate):
    def answer(data):
        pool, _ = cognito._pool_for_client(data.get("ClientId"))
        words = refusal(data.get("AuthFlow"), pool, data.get("ClientId")) if pool else None
        return error_response_json("InvalidParameterException", words, 400) if words else initiate(data)

    return answer


def close():
    cognito._initiate_auth = allowed_only(cognito._initiate_auth)
    cognito._admin_initiate_auth = allowed_only(cognito._admin_initiate_auth)
