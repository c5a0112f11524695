"""Invitations that are sent again: AdminCreateUser with RESEND.

Missing: everybody is invited again, also a person who has chosen a password, and the mail has the old password.
AWS: only a user in the state FORCE_CHANGE_PASSWORD is invited again, with a new temporary password. For others it is
UnsupportedUserStateException.
https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_AdminCreateUser.html
"""

from ministack.core.responses import error_response_json
from ministack.services import cognito


def patch():
    create = cognito._admin_create_user

    def create_or_invite_again(data):
        if (data.get("MessageAction") or "").upper() == "RESEND":
            pool, error = cognito._resolve_pool(data.get("UserPoolId"))
            user, _ = (None, None) if error else cognito._resolve_user(pool, data.get("Username"))
            if user and user.get("UserStatus") != "FORCE_CHANGE_PASSWORD":
                message = "Resend not possible. User status is not FORCE_CHANGE_PASSWORD."
                return error_response_json("UnsupportedUserStateException", message, 400)
            if user:
                old = user["_password"]
                user["_password"] = data.get("TemporaryPassword") or cognito._generate_temp_password()
                answer = create(data)
                if answer[0] != 200:
                    user["_password"] = old
                return answer
        return create(data)

    cognito._admin_create_user = create_or_invite_again
