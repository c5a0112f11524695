"""Receipt rules of SES (`AWS::SES::ReceiptRuleSet`, `AWS::SES::ReceiptRule`).

Missing: the resource types; the calls of SES (CreateReceiptRule, DescribeActiveReceiptRuleSet …) work.
AWS: the calls return the rules of a template. The sandbox's SMTP server reads them there and runs their actions.
https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-ses-receiptrule.html
"""

from ministack.services import ses

from gaps.provisioning import add_type, expect_success, generated_name

RULE_SET = "AWS::SES::ReceiptRuleSet"
RULE = "AWS::SES::ReceiptRule"


def patch():
    add_type(RULE_SET, _create_rule_set, _delete_rule_set)
    add_type(RULE, _create_rule, _delete_rule, _update_rule)


def _create_rule_set(logical_id, properties, stack):
    name = properties.get("RuleSetName") or generated_name(stack, logical_id)[:64]
    expect_success(ses._create_receipt_rule_set({"RuleSetName": [name]}), RULE_SET)
    return name, {}


def _delete_rule_set(physical_id, _properties):
    expect_success(ses._delete_receipt_rule_set({"RuleSetName": [physical_id]}), RULE_SET)


def _create_rule(logical_id, properties, stack):
    name = properties["Rule"].get("Name") or generated_name(stack, logical_id)[:64]
    _put_rule(name, properties)
    return name, {}


def _put_rule(name, properties):
    rule = {key: value for key, value in properties.items() if key in ("RuleSetName", "After", "Rule")}
    parameters = _query_parameters({**rule, "Rule": {**properties["Rule"], "Name": name}})
    expect_success(ses._create_receipt_rule(parameters), RULE)


def _delete_rule(physical_id, properties):
    ses._delete_receipt_rule({"RuleSetName": [properties["RuleSetName"]], "RuleName": [physical_id]})


def _update_rule(physical_id, old, new, stack):
    if old["RuleSetName"] != new["RuleSetName"] or old["Rule"].get("Name") != new["Rule"].get("Name"):
        return _create_rule(physical_id, new, stack)
    _delete_rule(physical_id, old)
    _put_rule(physical_id, new)
    return physical_id, {}


def _query_parameters(value, name=""):
    """The parameters of a call in the query protocol: `Rule.Actions.member.1.S3Action.BucketName`."""
    if isinstance(value, dict):
        inner = ((f"{name}.{key}" if name else key, item) for key, item in value.items())
    elif isinstance(value, list):
        inner = ((f"{name}.member.{number}", item) for number, item in enumerate(value, 1))
    else:
        return {name: [str(value).lower() if isinstance(value, bool) else str(value)]}
    return {key: text for path, item in inner for key, text in _query_parameters(item, path).items()}
