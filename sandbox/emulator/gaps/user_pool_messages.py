"""Messages with codes of a user pool: its triggers, the codes, and a changed address.

Missing: the trigger for custom messages runs for invitations only, with its words, and its error does not reach the caller in words.
Every code is the same. Without IAM enforcement, any code works. No trigger runs after a confirmed reset of a password.
A changed address replaces the old one at once, without a message, also one of another user. The sign-in page has no link to the page of a
forgotten password, which the gateway serves.
AWS: the trigger runs before each message. If it fails, nothing is sent, and the call fails with
UserLambdaValidationException. A pool that verifies addresses before an update sends a code to the new address and
keeps the old one until then; an address of another user is AliasExistsException. The post-confirmation trigger runs after ConfirmForgotPassword.
https://docs.aws.amazon.com/cognito/latest/developerguide/user-pool-lambda-custom-message.html
https://docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pools-working-with-lambda-triggers.html
https://docs.aws.amazon.com/cognito/latest/developerguide/user-pool-lambda-post-confirmation.html
https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_AdminUpdateUserAttributes.html
"""

import json
import secrets
from html import escape
from urllib.parse import urlencode

from ministack.core.responses import error_response_json
from ministack.services import cognito, lambda_svc


class TriggerFailed(Exception):
    """A trigger failed: the message for the caller."""


def error_message(result):
    body = result.get("body")
    if isinstance(body, (bytes, str)):
        try:
            body = json.loads(body)
        except ValueError:
            return str(body)
    return str((body or {}).get("errorMessage", body)) if isinstance(body, dict) else str(body)


def run_trigger(pool, name, source, user, client_id=None, **request):
    """Runs a trigger of the pool, if it has one, and returns its response."""
    arn = (pool.get("LambdaConfig") or {}).get(name)
    if not arn:
        return {}
    pool_id = pool.get("Id", "")
    event = {
        "version": "1",
        "triggerSource": source,
        "region": cognito._pool_region(pool_id),
        "userPoolId": pool_id,
        "userName": user.get("Username", ""),
        "callerContext": {"awsSdkVersion": "aws-sdk-unknown-unknown", "clientId": client_id or "CLIENT_ID_NOT_APPLICABLE"},
        "request": {"userAttributes": cognito._attr_list_to_dict(user.get("Attributes", [])), **request},
        "response": {},
    }
    record, config, _ = lambda_svc._get_func_record_for_ref(arn)
    if record is None or config is None:
        raise TriggerFailed(f"{name} failed with error: the Lambda does not exist.")
    scope = lambda_svc._execution_record_for_config(record, config)
    result = lambda_svc._execute_function_with_config_scope(scope, event)
    if isinstance(result, dict) and result.get("error"):
        raise TriggerFailed(f"{name} failed with error {error_message(result)}.")
    return cognito._extract_trigger_response(result.get("body") if isinstance(result, dict) else result) or {}


def refused(failure):
    return error_response_json("UserLambdaValidationException", str(failure), 400)


def custom_message(pool, source, user, client_id=None, **request):
    parameters = {"codeParameter": "{####}", "usernameParameter": None, **request}
    return run_trigger(pool, "CustomMessage", source, user, client_id, **parameters)


def invitation_trigger(pool, source, username, user_attrs, client_metadata=None, username_parameter="{username}"):
    user = {"Username": username, "Attributes": cognito._dict_to_attr_list(user_attrs or {})}
    try:
        return custom_message(pool, source, user, usernameParameter=username_parameter, clientMetadata=client_metadata or {})
    except TriggerFailed as failure:
        raise cognito._CustomMessageRejected(str(failure)) from failure


def after_trigger(handler, source):
    """The handler of a call that mails a code, after the trigger."""

    def mail_if_allowed(data):
        client_id = data.get("ClientId")
        pool = cognito._pool_for_client(client_id)[0] if client_id else cognito._resolve_pool(data.get("UserPoolId"))[0]
        user = cognito._resolve_user(pool, data.get("Username"))[0] if pool else None
        if user:
            try:
                user["_custom_message"] = custom_message(pool, source, user, client_id)
            except TriggerFailed as failure:
                return refused(failure)
        return handler(data)

    return mail_if_allowed


def verified_before_update(handler, find):
    """The handler of a call that changes attributes. A changed address gets a code first, and is not changed here."""

    def change_if_allowed(data):
        pool, user = find(data)
        settings = (pool or {}).get("UserAttributeUpdateSettings") or {}
        given = cognito._attr_list_to_dict(data.get("UserAttributes", []))
        is_verified = str(given.get("email_verified", "")).lower() == "true" and "UserPoolId" in data
        other = cognito._resolve_user(pool, given["email"])[0] if user and "email" in given else None
        if other and other["Username"] != user["Username"]:
            return error_response_json("AliasExistsException", "An account with the email already exists.", 400)
        if user and "email" in given and not is_verified and "email" in (settings.get("AttributesRequireVerificationBeforeUpdate") or []):
            try:
                custom_message(pool, "CustomMessage_UpdateUserAttribute", user)
            except TriggerFailed as failure:
                return refused(failure)
            rest = [attribute for attribute in data["UserAttributes"] if attribute.get("Name") != "email"]
            cognito._send_verification_email(pool, user["Username"], given, "")
            return handler({**data, "UserAttributes": rest})
        return handler(data)

    return change_if_allowed


def user_of_token(data):
    user, pool = cognito._user_pool_for_access_token(data.get("AccessToken"))
    return pool, user


def user_of_pool(data):
    pool, _ = cognito._resolve_pool(data.get("UserPoolId"))
    return pool, (cognito._resolve_user(pool, data.get("Username"))[0] if pool else None)


def with_link(page):
    """The sign-in page with a link to the page of a forgotten password."""

    def page_with_link(client_id, redirect_uri, scope, state, response_type, code_challenge="", code_challenge_method="", nonce="", **more):
        query = urlencode({
            "client_id": client_id, "redirect_uri": redirect_uri, "scope": scope, "state": state, "response_type": response_type,
            "code_challenge": code_challenge, "code_challenge_method": code_challenge_method, "nonce": nonce,
        })
        html = page(client_id, redirect_uri, scope, state, response_type, code_challenge, code_challenge_method, nonce, **more)
        return html.replace("</form>", f'</form><a href="/forgotPassword?{escape(query)}">Forgot your password?</a>', 1)

    return page_with_link


def patch():
    send = cognito._send_verification_email

    def send_in_own_words(pool, username, attributes, code, words, attribute_name):
        """A message whose words the trigger gave, as AWS sends it if the words have the place of the code."""
        body = words["emailMessage"].replace("{####}", code)
        extra = {"Username": username, "AttributeName": attribute_name}
        return cognito._deliver_cognito_email(
            pool, attributes["email"], words.get("emailSubject"), body, type_name="CognitoVerificationMessage", extra=extra)

    def send_random_code(pool, username, attr_dict, code, attribute_name="email"):
        user, _ = cognito._resolve_user(pool, username)
        words = (user or {}).pop("_custom_message", None) or {}
        fresh = f"{secrets.randbelow(10 ** 6):06}"
        for field in ("_reset_code", "_confirmation_code"):
            if user and user.get(field) == code:
                user[field] = fresh
        if "{####}" in (words.get("emailMessage") or "") and (attr_dict or {}).get("email"):
            return send_in_own_words(pool, username, attr_dict, fresh, words, attribute_name)
        return send(pool, username, attr_dict, fresh, attribute_name)

    confirm = cognito._confirm_forgot_password

    def confirm_and_run_trigger(data):
        error = cognito._confirmation_code_error("ConfirmForgotPassword", data)
        answer = error or confirm(data)
        pool, _ = cognito._pool_for_client(data.get("ClientId"))
        user = cognito._resolve_user(pool, data.get("Username"))[0] if pool else None
        if answer[0] != 200 or not user:
            return answer
        try:
            run_trigger(pool, "PostConfirmation", "PostConfirmation_ConfirmForgotPassword", user, data.get("ClientId"))
        except TriggerFailed as failure:
            return refused(failure)
        return answer

    cognito._send_verification_email = send_random_code
    cognito._apply_custom_message_trigger = invitation_trigger
    cognito._forgot_password = after_trigger(cognito._forgot_password, "CustomMessage_ForgotPassword")
    cognito._admin_reset_user_password = after_trigger(cognito._admin_reset_user_password, "CustomMessage_ForgotPassword")
    cognito._resend_confirmation_code = after_trigger(cognito._resend_confirmation_code, "CustomMessage_ResendCode")
    cognito._confirm_forgot_password = confirm_and_run_trigger
    cognito._update_user_attributes = verified_before_update(cognito._update_user_attributes, user_of_token)
    cognito._admin_update_user_attributes = verified_before_update(cognito._admin_update_user_attributes, user_of_pool)
    cognito._login_page_html = with_link(cognito._login_page_html)
    cognito._username_page_html = with_link(cognito._username_page_html)
