"""Adds resource types to MiniStack's CloudFormation, or extends those that it has.

A type's handlers are functions `create(logical_id, properties, stack) -> (physical_id, attributes)`,
`update(physical_id, old_properties, new_properties, stack)` and `delete(physical_id, properties)`.
"""

import json
import random
import string

from ministack.services.cloudformation.provisioners import _RESOURCE_HANDLERS as HANDLERS


def add_type(kind, create, delete, update=None):
    """Adds a resource type. Without `update`, a change creates a new resource and deletes the old one."""

    def replace(physical_id, old, new, stack, logical_id=None):
        return create(logical_id or physical_id, new, stack)

    HANDLERS[kind] = {"create": create, "update": update or replace, "update_with_logical_id": update is None, "delete": delete}


def after_provisioning(kind, act):
    """Calls `act(physical_id, properties)` after a resource of this type was created or updated."""
    handlers = HANDLERS[kind]
    create, update = handlers["create"], handlers.get("update")

    def create_and_act(logical_id, properties, stack):
        physical_id, attributes = create(logical_id, properties, stack)
        act(physical_id, properties)
        return physical_id, attributes

    def update_and_act(physical_id, old, new, *rest):
        physical_id, attributes = update(physical_id, old, new, *rest)
        act(physical_id, new)
        return physical_id, attributes

    handlers["create"] = create_and_act
    if update:
        handlers["update"] = update_and_act


def before_provisioning(kind, change):
    """Passes `change(properties)` to a type's handlers instead of the properties."""
    handlers = HANDLERS[kind]
    create, update = handlers["create"], handlers["update"]
    handlers["create"] = lambda logical_id, properties, stack: create(logical_id, change(properties), stack)
    handlers["update"] = lambda physical_id, old, new, *rest: update(physical_id, change(old), change(new), *rest)


def with_attributes(kind, attributes_of):
    """Adds `attributes_of(physical_id, properties)` to the attributes for `Fn::GetAtt`."""
    handlers = HANDLERS[kind]
    create, update = handlers["create"], handlers["update"]

    def add(result, properties):
        physical_id, attributes = result
        return physical_id, {**(attributes or {}), **attributes_of(physical_id, properties)}

    handlers["create"] = lambda logical_id, properties, stack: add(create(logical_id, properties, stack), properties)
    handlers["update"] = lambda physical_id, old, new, *rest: add(update(physical_id, old, new, *rest), new)


def generated_name(stack, logical_id):
    """A physical name as CloudFormation generates it: stack, logical id, twelve random characters."""
    return f"{stack}-{logical_id}-{''.join(random.choices(string.ascii_uppercase + string.digits, k=12))}"


def lower_first(value):
    """Lower-cases the first letter of every key, at every depth: `AllowOrigins` of a template is `allowOrigins` in the
    service's API.
    """
    if isinstance(value, dict):
        return {key[:1].lower() + key[1:]: lower_first(inner) for key, inner in value.items()}
    return value


def expect_success(response, what):
    """Fails the resource with the service's error message when the service refused the call."""
    status, _, body = response
    if status >= 400:
        raise ValueError(f"{what}: {body.decode() if isinstance(body, bytes) else body}")
    return json.loads(body) if body and body[:1] in (b"{", "{") else None
