import { isId, isObject, type JsonObject } from '../../../contract/jmap/data-type.ts';
import type { ContentLine } from './content-lines.ts';
import { jCardProperty, type Parameters } from './jcard-of-line.ts';
import { contextMaps, contextTypes, labeledMaps, objectParameters } from './vcard-properties.ts';
import { textValue } from './vcard-values.ts';

/** A set as JSContact has it. */
export const setOf = (members: readonly string[]): JsonObject => Object.fromEntries(members.map((member) => [member, true]));

/** The Card whose properties are filled in. */
export class CardBuilder {
  readonly #maps = new Map<string, Map<string, JsonObject>>();
  readonly #sets = new Map<string, Set<string>>();
  /** A number for each map below which, from its size on, all ids are taken. */
  readonly #numbers = new Map<string, number>();
  readonly #properties = new Map<string, unknown>();
  #unlabeled: Map<string, string[]> | undefined;
  readonly #lines: readonly ContentLine[];
  readonly #kept = new Set<ContentLine>();
  /** The first label of each group, all labels of groups, and the number of other lines in each group. */
  readonly #labels = new Map<string, ContentLine>();
  readonly #allLabels: ContentLine[] = [];
  readonly #groups = new Map<string, number>();
  readonly #usedLabels = new Set<ContentLine>();

  constructor(lines: readonly ContentLine[]) {
    this.#lines = lines;
    for (const line of lines) {
      if (line.group === undefined) continue;
      if (this.isLabelOfGroup(line)) this.#allLabels.push(line);
      if (line.name !== 'x-ablabel') this.#groups.set(line.group, (this.#groups.get(line.group) ?? 0) + 1);
      else if (!this.#labels.has(line.group)) this.#labels.set(line.group, line);
    }
  }

  get(name: string): unknown {
    return this.#properties.get(name);
  }

  /** Sets a property that a Card has once. @returns whether it was absent. */
  setOnce(name: string, value: unknown): boolean {
    if (this.#properties.has(name)) return false;
    this.#properties.set(name, value);
    return true;
  }

  set(name: string, value: unknown): void {
    this.#properties.set(name, value);
  }

  remove(name: string): void {
    this.#properties.delete(name);
  }

  /** Adds a member to a set. */
  include(set: string, member: string): void {
    const members = this.#sets.get(set) ?? new Set<string>();
    this.#sets.set(set, members.add(member));
  }

  /** Takes the next address without a label: in a group, or of contexts. */
  addressWithoutLabel(place: string): string | undefined {
    if (!this.#unlabeled) {
      const unlabeled = new Map<string, string[]>();
      for (const [id, { full, contexts, vCardParams }] of [...this.entries('addresses')].toReversed()) {
        const group = isObject(vCardParams) ? vCardParams['group'] : undefined;
        for (const key of full === undefined ? [`of ${Object.keys(contexts ?? {}).join(' ')}`, `in ${String(group)}`] : []) {
          const ids = unlabeled.get(key) ?? [];
          ids.push(id);
          unlabeled.set(key, ids);
        }
      }
      this.#unlabeled = unlabeled;
    }
    const ids = this.#unlabeled.get(place) ?? [];
    while (ids.length > 0 && this.entries('addresses').get(ids.at(-1)!)?.['full'] !== undefined) ids.pop();
    return ids.pop();
  }

  /** Takes the objects of a map that is within another object. */
  takeEntries(map: string): JsonObject | undefined {
    const entries = this.#maps.get(map);
    this.#maps.delete(map);
    return entries && Object.fromEntries(entries);
  }

  /** Takes a set. @returns whether it was there. */
  takeSet(set: string): boolean {
    return this.#sets.delete(set);
  }

  entries(map: string): Map<string, JsonObject> {
    const found = this.#maps.get(map) ?? new Map<string, JsonObject>();
    this.#maps.set(map, found);
    return found;
  }

  /** Adds an object to a map, with what its parameters say. */
  add(map: string, value: JsonObject, parameters: Parameters): void {
    const entries = this.entries(map);
    const given = parameters.take('prop-id');
    // Not from the size alone: a file could name the next ids of every property, so that each one would be counted again.
    let number = Math.max(entries.size + 1, this.#numbers.get(map) ?? 0);
    while (entries.has(`${map[0]}${number}`)) number += 1;
    this.#numbers.set(map, number);
    const id = given !== undefined && isId(given) && !entries.has(given) ? given : `${map[0]}${number}`;
    entries.set(id, { ...value, ...this.#common(map, parameters) });
  }

  /** Keeps a property that JSContact has no place for. A second one of those that a vCard has once gets another name. */
  keep(line: ContentLine): void {
    this.#kept.add(line);
  }

  build(): JsonObject {
    for (const label of this.#allLabels) if (!this.#usedLabels.has(label)) this.keep(label);
    return {
      '@type': 'Card',
      version: '1.0',
      ...Object.fromEntries(this.#properties),
      ...Object.fromEntries([...this.#sets].map(([name, members]) => [name, setOf([...members])])),
      ...Object.fromEntries([...this.#maps].filter(([, entries]) => entries.size > 0).map(([name, entries]) => [name, Object.fromEntries(entries)])),
    };
  }

  /** The kept properties, in the order of their lines, each once. */
  kept(): readonly unknown[] {
    return this.#lines
      .filter((line) => this.#kept.has(line))
      .map((line) => jCardProperty(/^(?:uid|prodid|rev|kind|language|created)$/.test(line.name) ? { ...line, name: `x-${line.name}` } : line));
  }

  isLabelOfGroup(line: ContentLine): boolean {
    return line.group !== undefined && line.name === 'x-ablabel';
  }

  #common(map: string, parameters: Parameters): JsonObject {
    parameters.take('value');
    const properties: { [name: string]: unknown } = {};
    for (const [parameter, property] of objectParameters.get(map) ?? []) {
      const value = parameters.take(parameter);
      if (value !== undefined) properties[property] = value;
    }
    if (contextMaps.has(map)) {
      const contexts = parameters.takeTypes(contextTypes);
      if (contexts.length > 0) properties['contexts'] = setOf(contexts);
      const pref = Number(parameters.get('pref') ?? (parameters.types.includes('pref') ? 1 : Number.NaN));
      if (pref >= 1 && pref <= 100) {
        properties['pref'] = Math.floor(pref);
        parameters.take('pref');
        parameters.types = parameters.types.filter((type) => type !== 'pref');
      }
    }
    if (map === 'emails') parameters.types = parameters.types.filter((type) => type !== 'internet');
    const group = parameters.get('group') ?? '';
    const label = labeledMaps.has(map) ? this.#labels.get(group) : undefined;
    if (label) {
      this.#usedLabels.add(label);
      properties['label'] = textValue(label);
      if (this.#groups.get(group) === 1) parameters.take('group');
    }
    const left = parameters.left();
    return Object.keys(left).length > 0 ? { ...properties, vCardParams: left } : properties;
  }
}
