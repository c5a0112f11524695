"""The second factor, a code of an authenticator app: at the hosted page, and by the API.

Missing: a pool that requires it signs people in who have not set it up, and the hosted page never asks for it. The
answers to its challenges need no session, and the page for a new password stays valid for five minutes. A code works
more than once. AdminDeleteSoftwareToken does not exist, and AdminSetUserMFAPreference knows no passkeys.
AWS: the hosted page sets it up at the first sign-in, and asks for a code at each later one. The API answers MFA_SETUP
to who has none, and takes AssociateSoftwareToken, VerifySoftwareToken and the challenge's answer with the session of
the step before. Each step waits for the `AuthSessionValidity` of the app client. A used code is refused until the next one. AdminDeleteSoftwareToken declares UserNotConfirmedException,
so it is the answer for who has a temporary password. A passkey needs another factor beside it.
https://docs.aws.amazon.com/cognito/latest/developerguide/user-pool-settings-mfa.html
https://docs.aws.amazon.com/cognito/latest/developerguide/user-pool-settings-mfa-totp.html
https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_AdminDeleteSoftwareToken.html
https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_WebAuthnMfaSettingsType.html
"""

import base64
import html
import json
import secrets
import threading
import time
from urllib.parse import parse_qs

from ministack.core.responses import error_response_json, json_response
from ministack.services import cognito

FACTOR = "SOFTWARE_TOKEN_MFA"
PASSKEY = "WEB_AUTHN_MFA"

# session -> its user and app client, when it ends, and the next step that it permits: FACTOR, "associate", "verify" or
# "MFA_SETUP".
sessions = {}
# token of a page -> its user, the secret that it sets up, when it ends, and the function that continues the sign-in.
pages = {}
# The app client of the password that a call of this thread has checked.
current = threading.local()
# secret -> the time step of the code that was used last.
used_steps = {}


def end_of_step(client_id):
    client = cognito._find_pool_by_client_id(client_id)[2] or {}
    return time.time() + 60 * float(client.get("AuthSessionValidity") or 3)


def new_session(user, client_id, step):
    session = base64.b64encode(secrets.token_bytes(32)).decode()
    sessions[session] = {"user": user, "client_id": client_id, "step": step, "expires_at": end_of_step(client_id)}
    return session


def new_secret():
    return base64.b32encode(secrets.token_bytes(20)).decode()


def session_for(token, step):
    """The session that permits the step, if it has not ended. A session is used once."""
    session = sessions.get(token)
    if not session or session["step"] != step or session["expires_at"] < time.time():
        return None
    return sessions.pop(token)


def matches_once(secret, code):
    """Whether it is a code of the current step or a neighbour, and later than the one that was used last."""
    step = int(time.time() // 30)
    for offset in (-1, 0, 1):
        if secret and step + offset > used_steps.get(secret, 0) and cognito._totp_code(secret, offset) == code:
            used_steps[secret] = step + offset
            return True
    return False


def has_factor(user):
    return FACTOR in user.get("_mfa_enabled", [])


def needs_factor(pool, user):
    return pool.get("MfaConfiguration") == "ON" or (pool.get("MfaConfiguration") == "OPTIONAL" and has_factor(user))


def set_up(user, secret):
    user["_totp_secret"] = secret
    user["_mfa_enabled"] = [FACTOR]
    user["_preferred_mfa"] = FACTOR


def challenge(pool, user, pid, username):
    if not needs_factor(pool, user):
        return None
    if has_factor(user):
        return {
            "ChallengeName": FACTOR,
            "Session": new_session(user, current.client_id, FACTOR),
            "ChallengeParameters": {"USER_ID_FOR_SRP": username, "FRIENDLY_DEVICE_NAME": "TOTP device"},
        }
    return {
        "ChallengeName": "MFA_SETUP",
        "Session": new_session(user, current.client_id, "associate"),
        "ChallengeParameters": {"USER_ID_FOR_SRP": username, "MFAS_CAN_SETUP": json.dumps([FACTOR])},
    }


def invalid_session():
    return error_response_json("NotAuthorizedException", "Invalid session for the user, session is expired.", 400)


def in_session(handle, step, handle_for):
    """The handler of a call that takes an access token, or the session of the step before."""

    def handle_in_session(data):
        if not data.get("Session"):
            return handle(data)
        session = session_for(data["Session"], step)
        return handle_for(session, data) if session else invalid_session()

    return handle_in_session


def associate(session, _data):
    user = session["user"]
    user["_totp_pending_secret"] = new_secret()
    return json_response({"SecretCode": user["_totp_pending_secret"], "Session": new_session(user, session["client_id"], "verify")})


def verify(session, data):
    user = session["user"]
    if not matches_once(user.get("_totp_pending_secret"), data.get("UserCode", "")):
        return error_response_json("EnableSoftwareTokenMFAException", "Code mismatch", 400)
    set_up(user, user.pop("_totp_pending_secret"))
    return json_response({"Status": "SUCCESS", "Session": new_session(user, session["client_id"], "MFA_SETUP")})


def with_client(check_password):
    def check_of_client(pool, pid, cid, *more, **options):
        current.client_id = cid
        return check_password(pool, pid, cid, *more, **options)

    return check_of_client


def answered(respond):
    def respond_in_session(data):
        name = data.get("ChallengeName")
        if name in (FACTOR, "MFA_SETUP") and not session_for(data.get("Session"), name):
            return invalid_session()
        answer = respond(data)
        if name != "NEW_PASSWORD_REQUIRED" or answer[0] != 200:
            return answer
        pool, pid = cognito._pool_for_client(data.get("ClientId"))
        username = (data.get("ChallengeResponses") or {}).get("USERNAME")
        user, _ = cognito._resolve_user(pool, username)
        current.client_id = data.get("ClientId")
        next_challenge = challenge(pool, user, pid, username)
        return json_response(next_challenge) if next_challenge else answer

    return respond_in_session


def code_page(token, page, error=""):
    message = f'<div class="error">{html.escape(error)}</div>' if error else ""
    secret = page["secret"]
    setup = f"""<p>Set up an authenticator app: scan the QR code, or enter this key.</p>
<p><code id="secret">{secret}</code></p>""" if secret else ""
    body = f"""{message}{setup}
<form method="POST" action="/login">
<input type="hidden" name="mfa_token" value="{html.escape(token)}">
<label for="code">Code of your authenticator app</label>
<input type="text" id="code" name="authenticator_code" inputmode="numeric" autocomplete="one-time-code" required autofocus>
<button type="submit">Sign in</button>
</form>"""
    content = cognito._page_shell("Sign in", "Set up a second factor" if secret else "Enter the code", body)
    return 200, {"Content-Type": "text/html; charset=utf-8"}, content.encode()


def after_password(redirect):
    def redirect_after_factor(client_id, pool_id, redirect_uri, scope, username, *more):
        pool = cognito._get_pool_unscoped(pool_id)
        user, _ = cognito._resolve_user(pool, username)
        if not user or not needs_factor(pool, user):
            return redirect(client_id, pool_id, redirect_uri, scope, username, *more)
        token = secrets.token_urlsafe(24)
        secret = None if has_factor(user) else new_secret()
        pages[token] = {
            "user": user, "secret": secret, "expires_at": end_of_step(client_id),
            "resume": lambda: redirect(client_id, pool_id, redirect_uri, scope, username, *more),
        }
        return code_page(token, pages[token])

    return redirect_after_factor


def with_code(submit):
    def submit_code(method, path, headers, body, query_params):
        form = {name: values[0] for name, values in parse_qs((body or b"").decode("utf-8", errors="replace")).items()}
        if "mfa_token" not in form:
            return submit(method, path, headers, body, query_params)
        page = pages.get(form["mfa_token"])
        if not page or page["expires_at"] < time.time():
            return cognito._oauth2_error("invalid_request", "Session has expired. Please sign in again.")
        user, secret = page["user"], page["secret"]
        if not matches_once(secret or user.get("_totp_secret"), form.get("authenticator_code", "")):
            return code_page(form["mfa_token"], page, "Invalid code. Try the next one.")
        del pages[form["mfa_token"]]
        if secret:
            set_up(user, secret)
        return page["resume"]()

    return submit_code


def ending(start_new_password):
    """The page for a new password."""

    def start_with_end(pool_id, client_id, *more):
        token = start_new_password(pool_id, client_id, *more)
        cognito._pending_new_password[token]["expires_at"] = end_of_step(client_id)
        return token

    return start_with_end


def delete_software_token(data):
    pool, error = cognito._resolve_pool(data.get("UserPoolId"))
    user, error = (None, error) if error else cognito._resolve_user(pool, data.get("Username"))
    if error:
        return error
    if pool.get("MfaConfiguration", "OFF") == "OFF":
        return error_response_json("OperationNotEnabledException", "MFA is not enabled for the user pool.", 400)
    if user.get("UserStatus") != "CONFIRMED":
        return error_response_json("UserNotConfirmedException", "User is not confirmed.", 400)
    if PASSKEY in user.get("_mfa_enabled", []):
        return error_response_json("InvalidParameterException", "WebAuthn MFA requires enabling an additional MFA setting.", 400)
    user.pop("_totp_secret", None)
    user["_mfa_enabled"] = [factor for factor in user.get("_mfa_enabled", []) if factor != FACTOR]
    user["_preferred_mfa"] = ""
    return json_response({})


def with_passkeys(set_preference):
    """Passkeys count as a factor beside another one, which the same request must enable."""

    def set_with_passkeys(data):
        wanted = (data.get("WebAuthnMfaSettings") or {}).get("Enabled")
        if wanted and not (data.get("SoftwareTokenMfaSettings") or {}).get("Enabled"):
            return error_response_json("InvalidParameterException", "WebAuthn MFA requires enabling an additional MFA setting.", 400)
        answer = set_preference(data)
        user = None if answer[0] != 200 or wanted is None else cognito._resolve_user(cognito._resolve_pool(data["UserPoolId"])[0], data["Username"])[0]
        if user:
            user["_mfa_enabled"] = [name for name in user.get("_mfa_enabled", []) if name != PASSKEY] + ([PASSKEY] if wanted else [])
        return answer

    return set_with_passkeys


def patch():
    dispatch = cognito._dispatch_idp

    async def dispatch_with_deletion(action, data):
        return delete_software_token(data) if action == "AdminDeleteSoftwareToken" else await dispatch(action, data)

    cognito._dispatch_idp = dispatch_with_deletion
    cognito._totp_matches = matches_once
    cognito._admin_set_user_mfa_preference = with_passkeys(cognito._admin_set_user_mfa_preference)
    cognito._mfa_challenge_for_user = challenge
    cognito._password_auth_result = with_client(cognito._password_auth_result)
    cognito._start_new_password_session = ending(cognito._start_new_password_session)
    cognito._associate_software_token = in_session(cognito._associate_software_token, "associate", associate)
    cognito._verify_software_token = in_session(cognito._verify_software_token, "verify", verify)
    cognito._respond_to_auth_challenge = answered(cognito._respond_to_auth_challenge)
    cognito._admin_respond_to_auth_challenge = answered(cognito._admin_respond_to_auth_challenge)
    cognito._issue_auth_code_redirect = after_password(cognito._issue_auth_code_redirect)
    cognito.handle_login_submit = with_code(cognito.handle_login_submit)
