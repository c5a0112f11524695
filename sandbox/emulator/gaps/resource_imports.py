"""Imports of tables, bucket policies and secrets into a stack.

Missing: an IMPORT change set takes no AWS::DynamoDB::GlobalTable, AWS::S3::BucketPolicy and
AWS::SecretsManager::Secret.
AWS: it takes each by the primary identifier of its schema.
https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/import-resources-manually.html
"""

from ministack.services import dynamodb, s3, secretsmanager
from ministack.services.cloudformation import changesets, provisioners

from gaps.provisioning import HANDLERS

NOT_FOUND = "Resource of type '{}' with identifier '{}' was not found."


def patch():
    _add("AWS::DynamoDB::GlobalTable", "TableName", lambda name: name in dynamodb._tables,
         lambda name: (name, provisioners._ddb_attrs(dynamodb._tables[name])))
    _add("AWS::S3::BucketPolicy", "Bucket", lambda bucket: bucket in s3._bucket_policies,
         lambda bucket: (f"{bucket}-policy", {}))
    _add("AWS::SecretsManager::Secret", "Id", _has_secret, lambda arn: (arn, {"Arn": arn, "Id": arn}))


def _add(kind, key, exists, adopt):
    def problem(value):
        return None if exists(value) else NOT_FOUND.format(kind, value)

    changesets._IMPORT_LOOKUPS[kind] = ((key,), problem)
    HANDLERS[kind]["import"] = lambda identifier: adopt(identifier[key])


def _has_secret(arn):
    return any(secret["ARN"] == arn for secret in secretsmanager._secrets.values())
