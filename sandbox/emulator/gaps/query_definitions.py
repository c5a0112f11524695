"""Saved queries of CloudWatch Logs (`AWS::Logs::QueryDefinition`).

Missing: the resource type and the calls. Only people who use the AWS console need them, so they are only recorded.
https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-logs-querydefinition.html
"""

import uuid

from gaps.provisioning import add_type


def patch():
    add_type("AWS::Logs::QueryDefinition", _create, lambda *_: None, lambda physical_id, *_: _resource(physical_id))


def _create(_logical_id, _properties, _stack):
    return _resource(str(uuid.uuid4()))


def _resource(definition_id):
    return definition_id, {"QueryDefinitionId": definition_id}
