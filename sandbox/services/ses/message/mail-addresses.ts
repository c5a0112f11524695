import { addressParser, decodeWords } from 'postal-mime';
import { valuesOf, type HeaderField } from './header-block.ts';

/** The domain of an address: the text after the last `@`, lower-cased; empty without `@`. */
export const domainOf = (address: string): string => (address.includes('@') ? address.slice(address.lastIndexOf('@') + 1).toLowerCase() : '');

/** The bare addresses of a list such as `"A" <a@example.test>, b@example.test`, groups included. */
export const bareAddresses = (list: string): string[] => addressParser(list, { flatten: true }).flatMap(({ address }) => (address ? [address] : []));

/** All addresses of the fields with this name, decoded for display: `Zoë <zoe@example.test>`. */
export const readableAddresses = (fields: readonly HeaderField[], name: string): string[] =>
  valuesOf(fields, name)
    .flatMap((list) => addressParser(list, { flatten: true }))
    .map(({ name: person, address }) => (person ? `${decodeWords(person)} <${address ?? ''}>` : (address ?? '')));

/** The text of the first field of this name, encoded words decoded (RFC 2047). */
export const readableText = (fields: readonly HeaderField[], name: string): string | undefined => {
  const value = valuesOf(fields, name)[0];
  return value === undefined ? undefined : decodeWords(value);
};

/** Whether SES accepts this as an address: ASCII, a local part, one `@`, and a domain of host-name labels. */
export const isAddress = (address: string): boolean =>
  address.length <= 320 && /^[^\s@<>()[\],;:\\"]+@(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9-]*[a-z0-9]$/i.test(address) && !/[^\x21-\x7e]/.test(address);
