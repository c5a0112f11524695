"""`Ref` of a secret.

Missing: `Ref` returns the secret's name. AWS: it returns the secret's ARN.
https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-secretsmanager-secret.html
"""

from ministack.services import secretsmanager
from ministack.services.cloudformation.provisioners import _RESOURCE_HANDLERS as HANDLERS


def patch():
    handlers = HANDLERS["AWS::SecretsManager::Secret"]
    create, update, delete = handlers["create"], handlers["update"], handlers["delete"]

    def create_as_arn(*arguments):
        return _by_arn(create(*arguments))

    def update_as_arn(physical_id, *arguments):
        return _by_arn(update(_name_of(physical_id), *arguments))

    handlers["create"] = create_as_arn
    handlers["update"] = update_as_arn
    handlers["delete"] = lambda physical_id, properties: delete(_name_of(physical_id), properties)


def _by_arn(result):
    _, attributes = result
    return attributes["Arn"], attributes


def _name_of(arn):
    names = (name for name, secret in secretsmanager._secrets.items() if secret["ARN"] == arn)
    return next(names, arn)
