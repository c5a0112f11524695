import { isolated } from '../../contract/values/isolated.ts';

/** The tag of a template with names and addresses: each text in it is {@link isolated}. */
export const phrase = (parts: TemplateStringsArray, ...values: readonly (string | number)[]): string =>
  String.raw({ raw: parts }, ...values.map((value) => (typeof value === 'string' ? isolated(value) : value)));
