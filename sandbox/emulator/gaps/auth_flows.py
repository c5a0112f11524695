"""The authentication flows of a client: at the hosted page, and by InitiateAuth and AdminInitiateAuth.

Missing: without IAM enforcement, passwords work for clients that do not allow them, and refresh tokens always work.
Custom authentication starts with a challenge of the emulator when the pool defines none. The hosted page signs people
in for clients without any flow for passwords.
AWS: a client accepts only the flows of its `ExplicitAuthFlows`, and custom authentication without triggers is an error.
The methods of the hosted page depend on the client, and the page answers "Invalid parameter in request" after the
password when the client permits custom authentication only.
https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_InitiateAuth.html
https://docs.aws.amazon.com/cognito/latest/developerguide/user-pool-lambda-define-auth-challenge.html
https://docs.aws.amazon.com/cognito/latest/developerguide/authentication-flows-selection-managedlogin.html
"""

from urllib.parse import parse_qs

from ministack.core.responses import error_response_json
from ministack.services import cognito

REQUIRED_FLOW = {
    "USER_PASSWORD_AUTH": "ALLOW_USER_PASSWORD_AUTH",
    "ADMIN_USER_PASSWORD_AUTH": "ALLOW_ADMIN_USER_PASSWORD_AUTH",
    "ADMIN_NO_SRP_AUTH": "ALLOW_ADMIN_USER_PASSWORD_AUTH",
    "REFRESH_TOKEN_AUTH": "ALLOW_REFRESH_TOKEN_AUTH",
    "REFRESH_TOKEN": "ALLOW_REFRESH_TOKEN_AUTH",
}


# The flows of which one lets the hosted page ask for a password. A client without `ExplicitAuthFlows` has the first.
PASSWORD_FLOWS = {"ALLOW_USER_SRP_AUTH", "ALLOW_USER_PASSWORD_AUTH", "ALLOW_USER_AUTH", "USER_PASSWORD_AUTH"}


def may_ask_for_password(client_id):
    client = cognito._find_pool_by_client_id(client_id)[2] or {}
    flows = set(client.get("ExplicitAuthFlows") or [])
    return not flows or bool(flows & PASSWORD_FLOWS)


def refused_without_flow(submit):
    def submit_if_allowed(method, path, headers, body, query_params):
        form = {name: values[0] for name, values in parse_qs((body or b"").decode("utf-8", errors="replace"), keep_blank_values=True).items()}
        if "password" in form and not may_ask_for_password(form.get("client_id", "")):
            oauth = cognito._extract_oauth_form_params(form)
            page = cognito._login_page_html(**oauth, error_message="Invalid parameter in request")
            return 200, {"Content-Type": "text/html; charset=utf-8"}, page.encode("utf-8")
        return submit(method, path, headers, body, query_params)

    return submit_if_allowed


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
    cognito.handle_login_submit = refused_without_flow(cognito.handle_login_submit)
