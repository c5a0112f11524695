import { refusalOf } from '../jmap/requests.ts';
import type { EmailAddress, SetError } from '../jmap/types.ts';

/** Which addresses the server refused, with its sentence, by the addresses in small letters: those that the sentence names. */
export const refusedAddresses = (addresses: readonly EmailAddress[], refusal: SetError | undefined): ReadonlyMap<string, string> => {
  if (!refusal) return new Map();
  const sentence = refusalOf(refusal);
  const named = new Set(sentence.toLowerCase().split(/[\s"',;]+/));
  return new Map(addresses.flatMap(({ email }) => (named.has(email.toLowerCase()) ? [[email.toLowerCase(), sentence]] : [])));
};
