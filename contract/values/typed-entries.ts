/** The names of an object's members. The object must have no others than those of its type. */
export const keysOf = <T extends object>(object: T): (keyof T & string)[] =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.keys() has no type of the names
  Object.keys(object) as (keyof T & string)[];

/** A member of an object: its name, and a value of that name's type. */
export type EntryOf<T extends object> = { [Name in keyof T & string]-?: readonly [name: Name, value: Exclude<T[Name], undefined>] }[keyof T & string];

/** The members of an object. The object must have no others than those of its type, and none that is undefined. */
export const entriesOf = <T extends object>(object: T): EntryOf<T>[] =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.entries() has no type of the names
  Object.entries(object) as unknown[] as EntryOf<T>[];

/** An object with a value for each name. */
export const recordOf = <Name extends string, Value>(names: readonly Name[], valueOf: (name: Name) => Value): Record<Name, Value> =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.fromEntries() has no type of the names
  Object.fromEntries(names.map((name) => [name, valueOf(name)])) as Record<Name, Value>;
