"""Updates of a table that has no name in the template.

Missing: MiniStack looks for a changed AWS::DynamoDB::GlobalTable under a newly generated name, does not find it, and
replaces the table. Its items are lost.
AWS: only a change of the name, the keys or the local indexes replaces a table; all other changes are made in place.
https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-dynamodb-globaltable.html
"""

from gaps.provisioning import HANDLERS

REPLACING = ("TableName", "KeySchema", "LocalSecondaryIndexes")


def patch():
    handlers = HANDLERS["AWS::DynamoDB::GlobalTable"]
    update = handlers["update"]

    def update_by_name(physical_id, old, new, *rest):
        if not new.get("TableName") and all(old.get(each) == new.get(each) for each in REPLACING):
            old, new = ({**properties, "TableName": physical_id} for properties in (old, new))
        return update(physical_id, old, new, *rest)

    handlers["update"] = update_by_name
