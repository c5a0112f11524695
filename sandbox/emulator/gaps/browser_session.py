"""The cookie with which the hosted page keeps a browser signed in.

Missing: there is no cookie, so the page asks for the password each time, and the `auth_time` of a token is the time at
which the token was made, also of a refreshed one.
AWS: the browser stays signed in for an hour, whatever happens to the password or the tokens meanwhile. The page then
signs in without a question, and its tokens have the `auth_time` of the first sign-in, as refreshed tokens do. The
classic page knows no `prompt`, so it ignores it. /logout ends the cookie.
https://docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pools-managed-login.html
https://docs.aws.amazon.com/cognito/latest/developerguide/authorization-endpoint.html
https://docs.aws.amazon.com/cognito/latest/developerguide/logout-endpoint.html
"""

import json
import secrets
import threading
import time
from http.cookies import SimpleCookie
from urllib.parse import parse_qs, urlsplit

from ministack.services import cognito

COOKIE = "cognito"
LIFETIME = 3600

# cookie -> the pool, the username, and the time of the sign-in.
browsers = {}
# The sign-in that a call of this thread is about: its time, for the tokens.
current = threading.local()


def session_of(headers, pool_id):
    cookies = SimpleCookie(headers.get("cookie") or "")
    session = browsers.get(cookies[COOKIE].value) if COOKIE in cookies else None
    is_valid = session and session["pool_id"] == pool_id and time.time() < session["auth_time"] + LIFETIME
    user = ((cognito._get_pool_unscoped(pool_id) or {}).get("_users") or {}).get(session["username"]) if is_valid else None
    return session if user and user.get("Enabled", True) else None


def remembering(redirect):
    """The redirect with a code, after a sign-in or for a browser that is signed in."""

    def redirect_and_remember(client_id, pool_id, redirect_uri, scope, username, *more, auth_time=None):
        status, headers, body = redirect(client_id, pool_id, redirect_uri, scope, username, *more)
        signed_in_at = auth_time or int(time.time())
        [code] = parse_qs(urlsplit(headers.get("Location", "")).query).get("code", [""])
        if code in cognito._authorization_codes:
            cognito._authorization_codes[code]["auth_time"] = signed_in_at
        if status == 302 and auth_time is None:
            token = secrets.token_urlsafe(24)
            browsers[token] = {"pool_id": pool_id, "username": username, "auth_time": signed_in_at}
            headers = {**headers, "Set-Cookie": f"{COOKIE}={token}; Path=/; Max-Age={LIFETIME}; HttpOnly"}
        return status, headers, body

    return redirect_and_remember


def without_question(authorize, redirect):
    def authorize_browser(method, path, headers, query_params):
        answer = authorize(method, path, headers, query_params)
        client_id = cognito._qp(query_params, "client_id")
        pool_id = cognito._find_pool_by_client_id(client_id)[0]
        session = session_of(headers, pool_id) if answer[0] == 200 else None
        if not session:
            return answer
        of = lambda name: cognito._qp(query_params, name)
        return redirect(
            client_id, pool_id, of("redirect_uri"), of("scope"), session["username"], of("nonce"), of("code_challenge"),
            of("code_challenge_method"), of("state"), auth_time=session["auth_time"],
        )

    return authorize_browser


def forgetting(logout):
    def logout_and_forget(method, path, headers, query_params):
        status, answer_headers, body = logout(method, path, headers, query_params)
        if status != 302:
            return status, answer_headers, body
        cookies = SimpleCookie(headers.get("cookie") or "")
        if COOKIE in cookies:
            browsers.pop(cookies[COOKIE].value, None)
        return status, {**answer_headers, "Set-Cookie": f"{COOKIE}=; Path=/; Max-Age=0; HttpOnly"}, body

    return logout_and_forget


def keeping_time(token_endpoint):
    """Gives the tokens of a code, and of each refresh, the time of the sign-in."""

    def answer(data, query_params, raw_body=b"", headers=None):
        form = {name: values[0] for name, values in parse_qs(raw_body.decode("utf-8", errors="replace")).items()}
        grant = cognito._authorization_codes.get(form.get("code", "")) or cognito._refresh_tokens.get(form.get("refresh_token", "")) or {}
        current.auth_time = auth_time = grant.get("auth_time")
        try:
            status, answer_headers, body = token_endpoint(data, query_params, raw_body, headers)
        finally:
            current.auth_time = None
        token = json.loads(body).get("refresh_token") if status == 200 else None
        if auth_time and token in cognito._refresh_tokens:
            cognito._refresh_tokens[token]["auth_time"] = auth_time
        return status, answer_headers, body

    return answer


def signed_with_time(sign):
    def sign_with_time(claims, *more):
        auth_time = getattr(current, "auth_time", None)
        return sign({**claims, "auth_time": auth_time} if auth_time and "auth_time" in claims else claims, *more)

    return sign_with_time


def patch():
    # The redirect without the second factor, which this browser has passed.
    cognito._issue_auth_code_redirect = remembering(cognito._issue_auth_code_redirect)
    cognito.handle_oauth2_authorize = without_question(cognito.handle_oauth2_authorize, cognito._issue_auth_code_redirect)
    cognito.handle_logout = forgetting(cognito.handle_logout)
    cognito._oauth2_token = keeping_time(cognito._oauth2_token)
    cognito._signed_jwt = signed_with_time(cognito._signed_jwt)
