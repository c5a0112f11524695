/**
 * The fields that an update sets. An empty text removes the stored value, so such a field is present with the value
 * undefined (docs/specification.md#messages). The JMAP Lambda uses it, so it is not beside the schemas, which need zod.
 */
export const givenFields = <T extends object>(update: T): Partial<T> =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the fields keep their names
  Object.fromEntries(
    Object.entries(update).flatMap(([name, value]: [string, unknown]) => (value === undefined ? [] : [[name, value === '' ? undefined : value]])),
  ) as Partial<T>;
