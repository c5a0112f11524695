"""Duration of a Query.

Missing: the partition is sorted, and the key condition is parsed and validated again for each of its items, which takes
20 ms for a thousand items.
AWS: a key condition is a seek; items outside it cost nothing. Here a condition that compares strings is validated once
and then only evaluated, and only for items that a sorted list of the partition's sort keys finds. MiniStack evaluates
all other conditions for all items.
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Query.KeyConditionExpressions.html
"""

import inspect
import operator
import re
from bisect import bisect_left, bisect_right, insort
from functools import lru_cache

from ministack.services import dynamodb

COMPARISONS = {"=": operator.eq, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}

CONDITION = re.compile(r"""
    \s* (?P<hash>[#\w]+) \s*=\s* (?P<hash_value>:\w+)
    (?: \s+ AND \s+ (?:
        (?P<range>[#\w]+) \s* (?P<comparison>[<>]=?|=) \s* (?P<range_value>:\w+)
        | begins_with \s*\(\s* (?P<prefixed>[#\w]+) \s*,\s* (?P<prefix>:\w+) \s*\)
    ) )? \s* $
""", re.VERBOSE | re.IGNORECASE)


# Where `_query` takes all items of a partition.
ALL_ITEMS = 'candidates = list(table["items"].get(pk_val, {}).values())'

# The highest code point: no sort key with a prefix sorts after the prefix with it.
LAST = chr(0x10FFFF)

# Tables whose sorted keys are kept.
MAX_TABLES = 100


class SortedKeys:
    """The sort keys in order, of each partition that was queried with a condition on them."""

    def __init__(self):
        self._tables = {}

    def of(self, items, partition):
        """The sorted keys of a partition of a table. `items` are the table's: another object after a restore."""
        known = self._tables.get(id(items))
        if known is None or known[0] is not items:
            if len(self._tables) >= MAX_TABLES:
                self._tables.clear()
            known = self._tables[id(items)] = (items, {})
        keys = known[1].get(partition)
        if keys is None:
            keys = known[1][partition] = sorted(items[partition])
        return keys

    def _kept(self, items, partition):
        known = self._tables.get(id(items))
        return known[1].get(partition) if known is not None and known[0] is items else None

    def add(self, items, partition, key):
        keys = self._kept(items, partition)
        if keys is not None and not _has(keys, key):
            insort(keys, key)

    def remove(self, items, partition, key):
        keys = self._kept(items, partition)
        if keys is not None and _has(keys, key):
            del keys[bisect_left(keys, key)]


def _has(keys, key):
    position = bisect_left(keys, key)
    return position < len(keys) and keys[position] == key


def patch():
    _seek()
    evaluate = dynamodb._evaluate_condition
    validated = set()

    def evaluate_validated(expression, item, values, names, slot="ConditionExpression"):
        if slot == "KeyConditionExpression" and expression in validated:
            result = _compare(expression, item, values, names)
            if result is not None:
                return result
        result = evaluate(expression, item, values, names, slot)
        if slot == "KeyConditionExpression" and len(validated) < 10_000:
            validated.add(expression)
        return result

    dynamodb._evaluate_condition = evaluate_validated


def _seek():
    """Lets a Query look at the items only that its condition on the sort key may hold for."""
    sorted_keys = SortedKeys()
    store, remove, source = dynamodb._set_item, dynamodb._remove_item, inspect.getsource(dynamodb._query)

    def set_item(table, partition, key, item):
        replaced = store(table, partition, key, item)
        if replaced is None:
            sorted_keys.add(table["items"], partition, key)
        return replaced

    def remove_item(table, partition, key):
        removed = remove(table, partition, key)
        if removed is not None:
            sorted_keys.remove(table["items"], partition, key)
        return removed

    def candidates(table, partition, condition, values, names, sort_key):
        items = table["items"].get(partition)
        if not items:
            return []
        limits = condition and _limits(condition, values, names, sort_key)
        if not limits or dynamodb._get_attr_type(table, sort_key) != "S":
            return list(items.values())
        keys = sorted_keys.of(table["items"], partition)
        lowest, highest = limits
        # Another thread removes expired items.
        return [items[key] for key in keys[bisect_left(keys, lowest):bisect_right(keys, highest)] if key in items]

    if source.count(ALL_ITEMS) != 1:
        raise RuntimeError("MiniStack's Query takes the items of a partition elsewhere")
    dynamodb._set_item, dynamodb._remove_item, dynamodb._postrider_candidates = set_item, remove_item, candidates
    narrowed = "candidates = _postrider_candidates(table, pk_val, key_cond, eav, ean, sk_name)"
    exec(compile(source.replace(ALL_ITEMS, narrowed), dynamodb.__file__, "exec"), dynamodb.__dict__)


def _limits(condition, values, names, sort_key):
    """The lowest and the highest sort key that a condition may hold for; None for a condition of another form."""
    plan = _plan(condition)
    if plan is None or len(plan) < 2:
        return None
    name, compare, value = plan[1]
    limit = values.get(value, {}).get("S")
    if limit is None or names.get(name, name) != sort_key:
        return None
    if compare is str.startswith:
        return limit, limit + LAST
    return (
        limit if compare in (operator.eq, operator.gt, operator.ge) else "",
        limit if compare in (operator.eq, operator.lt, operator.le) else LAST,
    )


@lru_cache(maxsize=10_000)
def _plan(expression):
    """The comparisons that must all be true, as (attribute, comparison, value). None for a condition of another form."""
    match = CONDITION.match(expression)
    if not match:
        return None
    groups = match.groupdict()
    plan = [(groups["hash"], operator.eq, groups["hash_value"])]
    if groups["range"]:
        plan.append((groups["range"], COMPARISONS[groups["comparison"]], groups["range_value"]))
    if groups["prefixed"]:
        plan.append((groups["prefixed"], str.startswith, groups["prefix"]))
    return plan


def _compare(expression, item, values, names):
    """Whether the item meets the condition; None when MiniStack has to evaluate it. Code points sort as their UTF-8 does.
    """
    plan = _plan(expression)
    if plan is None:
        return None
    for name, compare, value in plan:
        left = item.get(names.get(name, name), {}).get("S")
        right = values.get(value, {}).get("S")
        if left is None or right is None:
            return None
        if not compare(left, right):
            return False
    return True
