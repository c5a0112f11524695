"""Receipt rules of SES (`AWS::SES::ReceiptRuleSet`, `AWS::SES::ReceiptRule`).

Missing: the resource types, UpdateReceiptRule, and the quotas; the other calls of SES (CreateReceiptRule,
DescribeActiveReceiptRuleSet …) work. Recipients are stored in lower case. The bucket of a new rule gets no object.
AWS: the calls return the rules of a template. The sandbox's SMTP server reads them there and runs their actions. A rule
set has at most 200 rules, and a rule 100 recipients. Whether SES keeps the case of recipients is documented nowhere;
keeping it is the stricter of the two. SES stores an object in the bucket of a new rule, to test that it may.
https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-ses-receiptrule.html
https://docs.aws.amazon.com/ses/latest/APIReference/API_UpdateReceiptRule.html
https://docs.aws.amazon.com/ses/latest/dg/quotas.html
"""

from urllib.parse import parse_qs

from ministack.services import s3, ses

from gaps.provisioning import add_type, expect_success, generated_name

RULE_SET = "AWS::SES::ReceiptRuleSet"
RULE = "AWS::SES::ReceiptRule"

MAX_RULES = 200
MAX_RECIPIENTS = 100


def patch():
    _keep_case()
    _add_update_call()
    _limit_create_call()
    _test_buckets()
    add_type(RULE_SET, _create_rule_set, _delete_rule_set)
    add_type(RULE, _create_rule, _delete_rule, _update_rule)


def _keep_case():
    check = ses._receipt_rule_error

    def check_and_keep_case(rule):
        recipients = list(rule.get("Recipients", []))
        error = check(rule)
        if "Recipients" in rule:
            rule["Recipients"] = recipients
        return error

    ses._receipt_rule_error = check_and_keep_case


def _add_update_call():
    handle = ses.handle_request

    async def handle_update(method, path, headers, body, query_params):
        if method == "POST" and path == "/" and body and b"Action=UpdateReceiptRule&" in body:
            return _update_receipt_rule(parse_qs(body.decode(), keep_blank_values=True))
        return await handle(method, path, headers, body, query_params)

    ses.handle_request = handle_update


def _update_receipt_rule(parameters):
    name = ses._p(parameters, "RuleSetName")
    if name not in ses._receipt_rule_sets:
        return ses._receipt_missing_set(name)
    rule = ses._receipt_rule_from_params(parameters)
    error = ses._receipt_rule_error(rule) or _recipients_error(rule)
    if error:
        return error
    rules = ses._receipt_rule_sets[name]["Rules"]
    position = next((index for index, each in enumerate(rules) if each["Name"] == rule["Name"]), None)
    if position is None:
        return ses._receipt_error("RuleDoesNotExist", f"Rule does not exist: {rule['Name']}")
    rules[position] = rule
    return ses._receipt_result("UpdateReceiptRule")


def _limit_create_call():
    create = ses._create_receipt_rule

    def create_within_quotas(parameters):
        rule_set = ses._receipt_rule_sets.get(ses._p(parameters, "RuleSetName"), {"Rules": []})
        if len(rule_set["Rules"]) >= MAX_RULES:
            return ses._receipt_error("LimitExceeded", f"Maximum number of rules is {MAX_RULES}")
        return _recipients_error(ses._receipt_rule_from_params(parameters)) or create(parameters)

    ses._create_receipt_rule = create_within_quotas


def _test_buckets():
    create = ses._create_receipt_rule

    def create_and_test(parameters):
        response = create(parameters)
        if response[0] == 200:
            for action in ses._receipt_rule_from_params(parameters).get("Actions", []):
                target = action.get("S3Action")
                if target:
                    key = f"{target.get('ObjectKeyPrefix', '')}AMAZON_SES_SETUP_NOTIFICATION"
                    s3._put_object(target["BucketName"], key, b"", {})
        return response

    ses._create_receipt_rule = create_and_test


def _recipients_error(rule):
    if len(rule.get("Recipients", [])) > MAX_RECIPIENTS:
        return ses._receipt_error("LimitExceeded", f"Maximum number of recipients is {MAX_RECIPIENTS}")
    return None


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
