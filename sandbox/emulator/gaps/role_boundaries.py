"""The permissions boundary that a template gives a role.

Missing: CloudFormation does not set it, so the role may do everything that its policies allow. Policies cannot use the
condition key `iam:PermissionsBoundary`.
AWS: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-iam-role.html
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_iam-condition-keys.html
"""

from ministack.core import iam_evaluator
from ministack.services import iam

from gaps.provisioning import after_provisioning

KEY = "iam:permissionsboundary"


def patch():
    value_of = iam_evaluator._resolve_condition_key

    def value_or_boundary(key, context):
        return _boundary_of(context) if key.lower() == KEY else value_of(key, context)

    iam_evaluator._resolve_condition_key = value_or_boundary
    after_provisioning("AWS::IAM::Role", _set_boundary)


def _set_boundary(name, properties):
    iam._roles[name]["PermissionsBoundary"] = properties.get("PermissionsBoundary")


def _boundary_of(context):
    _, is_role, name = context.resource_arn.partition(":role/")
    role = iam._roles.get_scoped(context.principal_account, None, name.rsplit("/", 1)[-1]) if is_role else None
    return (role or {}).get("PermissionsBoundary")
