"""Checks of values by the constraints of a service's model, for `request_models`.

A check is compiled once for each shape. It returns None for a value that the model allows, which costs a few look-ups,
and otherwise a list of `(path, constraint)`. A path has no values: it says `member` for an element of a list, and `key`
and `value` for those of a map.
"""

from gaps.model_patterns import matcher_of

# Shapes that are not checked. Hundreds of attribute values are in a request of DynamoDB, whose model limits only the
# names within them, and the emulator measures whole items.
UNCHECKED = {("dynamodb", "AttributeValue")}

AT_LEAST, AT_MOST = "greater than or equal to", "less than or equal to"


class Constraints:
    """The checks of one service's shapes."""

    def __init__(self, service):
        self._service = service
        self._checks = {}

    def of(self, shape):
        """The check of a shape; None for a shape without constraints."""
        if not self._is_constrained(shape, set()):
            return None
        if shape.name not in self._checks:
            # A shape within itself looks its own check up when it is called.
            self._checks[shape.name] = lambda value: self._checks[shape.name](value)
            self._checks[shape.name] = self._compiled(shape)
        return self._checks[shape.name]

    def _is_constrained(self, shape, seen):
        if shape.name in seen or (self._service, shape.name) in UNCHECKED:
            return False
        seen.add(shape.name)
        limits = shape.metadata
        if any(limits.get(name) is not None for name in ("min", "max", "pattern")) or limits.get("enum") or limits.get("required"):
            return True
        return any(self._is_constrained(part, seen) for part in _parts_of(shape))

    def _compiled(self, shape):
        if shape.type_name == "structure":
            return self._structure(shape)
        if shape.type_name == "list":
            return _with_length(shape, list, self._elements(shape))
        if shape.type_name == "map":
            return _with_length(shape, dict, self._entries(shape))
        return _scalar(shape)

    def _structure(self, shape):
        names = {name: member.serialization.get("name", name) for name, member in shape.members.items()}
        required = [(name, names[name]) for name in shape.required_members]
        checks = [(name, names[name], check) for name, member in shape.members.items() if (check := self.of(member))]

        def check_structure(value):
            if not isinstance(value, dict):
                return [("", "Member must be a structure")]
            found = None
            for name, key in required:
                if value.get(key) is None:
                    found = [*(found or []), (_lower(name), "Member must not be null")]
            for name, key, check in checks:
                member = value.get(key)
                if member is not None and (violations := check(member)):
                    found = [*(found or []), *_within(_lower(name), violations)]
            return found

        return check_structure

    def _elements(self, shape):
        check = self.of(shape.member)

        def check_elements(value):
            for item in value if check else ():
                if item is not None and (found := check(item)):
                    return _within("member", found)
            return None

        return check_elements

    def _entries(self, shape):
        check_key, check_value = self.of(shape.key), self.of(shape.value)

        def check_entries(value):
            for key, item in value.items():
                if check_key and (found := check_key(key)):
                    return _within("key", found)
                if check_value and item is not None and (found := check_value(item)):
                    return _within("value", found)
            return None

        return check_entries


def _parts_of(shape):
    if shape.type_name == "structure":
        return shape.members.values()
    if shape.type_name == "list":
        return (shape.member,)
    return (shape.key, shape.value) if shape.type_name == "map" else ()


def _lower(name):
    return name[:1].lower() + name[1:]


def _within(name, violations):
    return [(f"{name}.{path}" if path else name, constraint) for path, constraint in violations]


def _limits(shape):
    least, most = shape.metadata.get("min"), shape.metadata.get("max")
    return float("-inf") if least is None else least, float("inf") if most is None else most


def _measured(what, size, least, most):
    bound, limit = (AT_LEAST, least) if size < least else (AT_MOST, most)
    return [("", f"Member must have {what} {bound} {limit}")]


def _with_length(shape, kind, check_parts):
    least, most = _limits(shape)

    def check_collection(value):
        if not isinstance(value, kind):
            return [("", f"Member must be a {shape.type_name}")]
        return check_parts(value) if least <= len(value) <= most else _measured("length", len(value), least, most)

    return check_collection


def _scalar(shape):
    least, most = _limits(shape)
    if shape.type_name == "blob":
        return lambda value: None if least <= _octets(value) <= most else _measured("length", _octets(value), least, most)
    if shape.type_name in ("integer", "long", "float", "double"):
        def check_number(value):
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                return [("", "Member must be a number")]
            return None if least <= value <= most else _measured("value", value, least, most)

        return check_number
    return _string(shape, least, most)


def _octets(value):
    """The length of a blob, which JSON has in base64."""
    return len(value) if isinstance(value, bytes) else len(value) * 3 // 4 - value.count("=", -2)


def _string(shape, least, most):
    values, pattern = frozenset(shape.metadata.get("enum") or ()), shape.metadata.get("pattern")
    matches = matcher_of(pattern) if pattern else None

    def check_string(value):
        if not isinstance(value, str):
            return [("", "Member must be a string")]
        if not least <= len(value) <= most:
            return _measured("length", len(value), least, most)
        if values and value not in values:
            return [("", f"Member must satisfy enum value set: [{', '.join(sorted(values))}]")]
        if matches and not matches(value):
            return [("", f"Member must satisfy regular expression pattern: {pattern}")]
        return None

    return check_string
