/** Mail addresses and domain names, without the schemas of the admin API, so that the JMAP Lambda needs no zod. */

const label = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

/**
 * A host name of at least two labels, lower-cased; a U-label becomes its A-label (RFC 1123 §2.1, RFC 5891;
 * docs/specification.md#messages).
 * @returns undefined for anything else, such as an address literal, a trailing dot or a single label.
 */
export const parseDomainName = (value: string): string | undefined => {
  if (value.length > 253 || /[\s/?#@:\\%[\]]/u.test(value)) return undefined;
  const host = URL.parse(`http://${value}`)?.hostname ?? '';
  const labels = host.split('.');
  return host.length <= 253 && labels.length >= 2 && labels.every((part) => label.test(part)) && !/^\d+$/.test(labels.at(-1) ?? '')
    ? host
    : undefined;
};

/** RFC 5322 §3.2.3 atext. */
const dotAtom = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;

/** Whether the text is 1–64 of RFC 5322 atext with single dots between. */
export const isLocalPart = (value: string): boolean => value.length <= 64 && dotAtom.test(value);

/** A quoted local part (RFC 5321 §4.1.2). A quote or a backslash in its content follows a backslash. */
const quotedLocalPart = /^"((?:[^"\\]|\\[^])*)"$/;

/**
 * The local part with the least quoting: without quotes when it needs none, and without needless backslashes. All forms
 * name one mailbox, and the sender writes this one (RFC 5321 §4.1.2).
 */
export const withLeastQuotes = (localPart: string): string => {
  const content = quotedLocalPart.exec(localPart)?.[1]?.replaceAll(/\\([^])/g, '$1');
  if (content === undefined) return localPart;
  return dotAtom.test(content) ? content : `"${content.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
};

/**
 * An address in the form by which addresses are compared: in lower case, with the least quotes, and the domain as
 * A-labels. Text that is no address is in lower case.
 */
export const comparableAddress = (address: string): string => {
  const at = address.lastIndexOf('@');
  const domain = address.slice(at + 1);
  return (at < 0 ? address : `${withLeastQuotes(address.slice(0, at))}@${parseDomainName(domain) ?? domain}`).toLowerCase();
};

/** Parses an email address. @returns the address in lower case, its domain as A-labels; undefined if it is invalid. */
export const parseEmailAddress = (value: string): string | undefined => {
  const at = value.lastIndexOf('@');
  const domain = parseDomainName(value.slice(at + 1));
  const address = `${value.slice(0, Math.max(at, 0)).toLowerCase()}@${domain}`;
  return at > 0 && domain !== undefined && isLocalPart(value.slice(0, at)) && address.length <= 254 ? address : undefined;
};
