"""Branding of the hosted sign-in (`AWS::Cognito::ManagedLoginBranding`).

Missing: the resource type. AWS shows the managed sign-in pages only when a client has a branding. The pages here have
one style, so the branding is only recorded.
https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-cognito-managedloginbranding.html
"""

import uuid

from gaps.provisioning import add_type


def patch():
    add_type("AWS::Cognito::ManagedLoginBranding", _create, lambda *_: None, _update)


def _create(_logical_id, properties, _stack):
    branding_id = str(uuid.uuid4())
    return f"{properties['UserPoolId']}|{branding_id}", {"ManagedLoginBrandingId": branding_id}


def _update(physical_id, _old, _new, _stack):
    return physical_id, {"ManagedLoginBrandingId": physical_id.rpartition("|")[2]}
