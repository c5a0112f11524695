/** What a change gives, field by field: an empty text takes away what is there, so that the field is given as undefined (docs/specification.md#messages). */
export const givenFields = <T extends object>(wanted: T): Partial<T> =>
  Object.fromEntries(Object.entries(wanted).flatMap(([name, value]: [string, unknown]) => (value === undefined ? [] : [[name, value === '' ? undefined : value]]))) as Partial<T>;
