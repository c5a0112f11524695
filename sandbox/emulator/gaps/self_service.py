"""What users may do for themselves: SignUp, and the actions that take an access token.

Missing: anybody can sign up at a pool where only administrators create users. Without IAM enforcement, an access token
without the scope of the user pool's own API can change attributes, and an expired or forged one too.
AWS: SignUp is refused with NotAuthorizedException. These actions need a valid access token with the scope
`aws.cognito.signin.user.admin`.
https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_SignUp.html
https://docs.aws.amazon.com/cognito/latest/developerguide/authentication-flows-public-server-side.html
"""

from ministack.core.responses import error_response_json
from ministack.services import cognito


def sign_up_error(data):
    pool, _ = cognito._pool_for_client(data.get("ClientId"))
    if pool and (pool.get("AdminCreateUserConfig") or {}).get("AllowAdminCreateUserOnly") in (True, "true"):
        return error_response_json("NotAuthorizedException", "SignUp is not permitted for this user pool", 400)
    return None


def patch():
    run = cognito._run_idp_handler

    def run_if_permitted(handler, action, data):
        error = sign_up_error(data) if action == "SignUp" else cognito._access_token_error(data)
        return error or run(handler, action, data)

    cognito._run_idp_handler = run_if_permitted
