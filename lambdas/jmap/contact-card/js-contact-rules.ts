import { isId, isObject, isOfType, typeName, type JsonObject } from '../../../contract/jmap/data-type.ts';
import { cardObjects, cardType, cardVersion, jsContactObject, type JsContactObjectName, type JsContactType } from '../../../contract/jmap/js-contact.ts';

/** A value that JSContact does not allow. */
type JsContactProblem = {
  /** The path of the value, such as `emails/e1/address`. */
  readonly path: string;
  readonly problem: string;
};

/** Maximum preference (RFC 9553 §1.5.3). */
const maxPreference = 100;

const isNumberFrom1 = (value: unknown, max = Infinity): boolean => isOfType('UnsignedInt', value) && value !== 0 && value <= max;

/** Tests values against types, and collects the problems. */
class JsContactCheck {
  readonly problems: JsContactProblem[] = [];

  check(type: JsContactType, value: unknown, path: string): void {
    if (type === 'Set') this.#expect(isObject(value) && Object.values(value).every((each) => each === true), path, 'must be an object whose values are true');
    else if (type === 'Preference') this.#expect(isNumberFrom1(value, maxPreference), path, `must be a number from 1 to ${maxPreference}`);
    else if (type === 'Position') this.#expect(isNumberFrom1(value), path, 'must be a number of at least 1');
    else if (typeof type === 'object' && 'objects' in type) this.#checkObject(type.objects, value, path);
    else if (typeof type === 'object' && 'objectList' in type) this.#checkList(type.objectList, value, path);
    else if (typeof type === 'object' && 'objectsById' in type) this.#checkMap(type.objectsById, value, path, isId);
    else if (typeof type === 'object' && 'objectsByText' in type) this.#checkMap(type.objectsByText, value, path, () => true);
    else this.#expect(isOfType(type, value), path, `must be of type ${typeName(type)}`);
  }

  #expect(holds: boolean, path: string, problem: string): void {
    if (!holds) this.problems.push({ path, problem });
  }

  #checkList(name: JsContactObjectName, value: unknown, path: string): void {
    if (!Array.isArray(value)) return this.#expect(false, path, `must be a list of ${name} objects`);
    for (const [index, each] of value.entries()) this.#checkObject([name], each, `${path}/${index}`);
  }

  #checkMap(name: JsContactObjectName, value: unknown, path: string, isKey: (key: string) => boolean): void {
    if (!isObject(value)) return this.#expect(false, path, `must be an object of ${name} objects`);
    for (const [key, each] of Object.entries(value)) {
      this.#expect(isKey(key), path, `must have Ids as keys, unlike ${JSON.stringify(key.slice(0, 100))}`);
      this.#checkObject([name], each, `${path}/${key}`);
    }
  }

  #checkObject(names: readonly JsContactObjectName[], value: unknown, path: string): void {
    if (!isObject(value)) return this.#expect(false, path, `must be an object of type ${names.join(' or ')}`);
    const given = value['@type'] ?? names[0];
    const name = names.find((each) => each === given);
    if (!name) return this.#expect(false, `${path}/@type`, `must be ${names.join(' or ')}`);
    const { properties, required = [], anyOf } = jsContactObject(name);
    for (const property of required) this.#expect(Object.hasOwn(value, property), `${path}/${property}`, 'is missing');
    if (anyOf)
      this.#expect(
        anyOf.some((property) => Object.hasOwn(value, property)),
        path,
        `must have ${anyOf.join(' or ')}`,
      );
    for (const [property, type] of Object.entries(properties)) {
      if (Object.hasOwn(value, property)) this.check(type, value[property], `${path}/${property}`);
    }
  }
}

/** The problems of a Card (RFC 9553 §2). Unknown properties, such as those of vendors, are not checked. */
export const jsContactProblems = (card: JsonObject): readonly JsContactProblem[] => {
  const check = new JsContactCheck();
  for (const [name, type] of Object.entries(cardObjects)) if (Object.hasOwn(card, name)) check.check(type, card[name], name);
  const { problems } = check;
  if (card['@type'] !== cardType) problems.push({ path: '@type', problem: `must be "${cardType}"` });
  if (card['version'] !== cardVersion) problems.push({ path: 'version', problem: `must be "${cardVersion}"` });
  if (card['uid'] === '') problems.push({ path: 'uid', problem: 'must not be empty' });
  if (card['members'] !== undefined && card['kind'] !== 'group') {
    problems.push({ path: 'members', problem: 'must be absent unless the kind is "group"' });
  }
  return problems;
};
