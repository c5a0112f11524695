"""Reads requests by the model of a service, for `request_models`.

The value of a request is what a body of JSON would have, by the names on the wire. A request that is no operation of the
model is left to the emulator.
"""

import json
import re
from urllib.parse import parse_qsl
from xml.etree import ElementTree

NUMBERS = {"integer": int, "long": int, "float": float, "double": float}

LABEL = re.compile(r"\{([^}+]+)(\+?)\}")


def name_of(name, shape):
    return shape.serialization.get("name", name)


def scalar(shape, text):
    """The value of a text: a number of the shape, or the text."""
    try:
        return NUMBERS.get(shape.type_name, str)(text)
    except ValueError:
        return text


def json_request(model, headers, body):
    """`(operation, value)` of a request whose header names the operation."""
    name = headers.get("x-amz-target", "").rpartition(".")[2]
    return (name, json.loads(body or b"{}")) if name in model.operation_names else None


def query_request(model, query, body):
    """`(operation, value)` of a form."""
    form = {}
    for name, text in [*((name, values[0]) for name, values in query.items()), *parse_qsl(body.decode(), keep_blank_values=True)]:
        node = form
        for part in name.split("."):
            node = node.setdefault(part, {})
        node[""] = text
    name = form.get("Action", {}).get("")
    if name not in model.operation_names:
        return None
    shape = model.operation_model(name).input_shape
    return name, _from_form(shape, form) if shape else {}


def _from_form(shape, node):
    if shape.type_name == "structure":
        members = {name_of(name, member): member for name, member in shape.members.items()}
        return {name: _from_form(member, node[name]) for name, member in members.items() if name in node}
    if shape.type_name == "list":
        items = node if _is_flat(shape) else node.get(name_of("member", shape.member), {})
        return [_from_form(shape.member, item) for item in _numbered(items)]
    if shape.type_name == "map":
        key, value = name_of("key", shape.key), name_of("value", shape.value)
        entries = _numbered(node if _is_flat(shape) else node.get("entry", {}))
        return {entry.get(key, {}).get("", ""): _from_form(shape.value, entry.get(value, {})) for entry in entries}
    return scalar(shape, node.get("", ""))


def _is_flat(shape):
    return bool(shape.serialization.get("flattened"))


def _numbered(node):
    return [node[number] for number in sorted((name for name in node if name.isdigit()), key=int)]


class Routes:
    """The operations of a service that are found by method, path and query."""

    def __init__(self, model):
        self._routes = {}
        for name in model.operation_names:
            operation = model.operation_model(name)
            path, _, literals = operation.http["requestUri"].partition("?")
            labels = [label for label, _ in LABEL.findall(path)]
            pattern = re.compile(LABEL.sub(lambda label: "(.+)" if label[2] else "([^/]+)", path.rstrip("/")) + "/?", re.DOTALL)
            shape = operation.input_shape
            located = [shape.members[member] for member in shape.required_members] if shape else []
            given = [(member.serialization.get("location"), name_of("", member)) for member in located]
            given = [(location, wire) for location, wire in given if location in ("header", "querystring")]
            route = dict(parse_qsl(literals, keep_blank_values=True)), pattern, labels, given, operation
            weight = len(LABEL.sub("", path)), len(route[0])
            self._routes.setdefault(operation.http["method"], []).append((weight, route))

    def find(self, method, path, headers, query):
        """`(operation, labels)` of the most specific operation. Its required headers and parameters tell it from others."""
        best, found = None, None
        for weight, (literals, pattern, labels, given, operation) in self._routes.get(method, ()):
            if any(query.get(name, [None])[0] != value for name, value in literals.items()):
                continue
            match = pattern.fullmatch(path)
            if not match:
                continue
            has_all = all(wire.lower() in headers if location == "header" else wire in query for location, wire in given)
            rank = *weight, len(given) if has_all else -1
            if best is None or rank > best:
                best, found = rank, (operation, dict(zip(labels, match.groups())))
        return found


def rest_request(routes, method, path, headers, body, query):
    """`(operation, value)` of a request to a path, with a body of JSON or XML."""
    found = routes.find(method, path, headers, query)
    if found is None:
        return None
    operation, labels = found
    shape = operation.input_shape
    if shape is None:
        return operation.name, {}
    value = _located(shape, labels, headers, query)
    is_xml = operation.service_model.metadata["protocol"] == "rest-xml"
    payload = shape.serialization.get("payload")
    if payload is None:
        value = {**(_document(shape, body, is_xml) or {}), **value}
    elif body:
        member = shape.members[payload]
        is_document = member.type_name == "structure"
        value[name_of(payload, member)] = _document(member, body, is_xml) if is_document else body
    return operation.name, value


def _located(shape, labels, headers, query):
    value = {}
    for name, member in shape.members.items():
        location, wire = member.serialization.get("location"), name_of(name, member)
        if location == "uri" and wire in labels:
            value[wire] = scalar(member, labels[wire])
        elif location == "header" and wire.lower() in headers:
            value[wire] = _of_header(member, headers[wire.lower()])
        elif location == "headers":
            prefix = wire.lower()
            value[wire] = {header[len(prefix):]: text for header, text in headers.items() if header.startswith(prefix)}
        elif location == "querystring" and wire in query:
            is_list = member.type_name == "list"
            value[wire] = [scalar(member.member, text) for text in query[wire]] if is_list else scalar(member, query[wire][0])
    return value


def _of_header(shape, text):
    return [scalar(shape.member, part.strip()) for part in text.split(",")] if shape.type_name == "list" else scalar(shape, text)


def _document(shape, body, is_xml):
    if not body:
        return None
    return _from_xml(shape, ElementTree.fromstring(body)) if is_xml else json.loads(body)


def _from_xml(shape, element):
    if shape.type_name == "structure":
        value = {}
        for name, member in shape.members.items():
            wire = name_of(name, member)
            if member.serialization.get("xmlAttribute"):
                texts = [text for attribute, text in element.attrib.items() if attribute.rpartition("}")[2] == wire.rpartition(":")[2]]
                value.update({wire: text for text in texts})
            elif items := _children(element, wire):
                is_flat = member.type_name == "list" and _is_flat(member)
                value[wire] = [_from_xml(member.member, item) for item in items] if is_flat else _from_xml(member, items[0])
        return value
    if shape.type_name == "list":
        return [_from_xml(shape.member, item) for item in _children(element, name_of("member", shape.member))]
    return scalar(shape, element.text or "")


def _children(element, name):
    return [child for child in element if child.tag.rpartition("}")[2] == name]
