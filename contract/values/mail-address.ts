/**
 * Mail addresses and domain names. The schemas of the admin API are elsewhere, so that the JMAP Lambda needs no zod.
 */

const label = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

/**
 * Parses a host name of at least two labels. It is returned in lower case, with U-labels as A-labels (RFC 1123 §2.1,
 * RFC 5891; docs/specification.md#messages).
 * @returns undefined for any other text, such as an address literal, a trailing dot or a single label.
 */
export const parseDomainName = (value: string): string | undefined => {
  if (value.length > 253 || /[\s/?#@:\\%[\]]/u.test(value)) return undefined;
  const host = URL.parse(`http://${value}`)?.hostname ?? '';
  const labels = host.split('.');
  return host.length <= 253 && labels.length >= 2 && labels.every((part) => label.test(part)) && !/^\d+$/.test(labels.at(-1) ?? '') ? host : undefined;
};

/** Whether a domain name belongs to nobody: `invalid`, and every name below it (RFC 6761 §6.4). It may be in any letter case. */
export const isNobodysDomain = (domain: string): boolean => `.${domain.toLowerCase()}`.endsWith('.invalid');

/** A dot-atom of atext (RFC 5322 §3.2.3). */
const dotAtom = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;

/** Whether the text is a local part: 1–64 characters of RFC 5322 atext, with single dots between them. */
export const isLocalPart = (value: string): boolean => value.length <= 64 && dotAtom.test(value);

/** A quoted local part (RFC 5321 §4.1.2). A quote or a backslash in its content follows a backslash. */
const quotedLocalPart = /^"((?:[^"\\]|\\[^])*)"$/;

/**
 * The local part with as few quotes as possible: without quotes when it needs none, and without needless backslashes.
 * All forms name the same mailbox; RFC 5321 §4.1.2 recommends this one.
 */
export const withLeastQuotes = (localPart: string): string => {
  const content = quotedLocalPart.exec(localPart)?.[1]?.replaceAll(/\\([^])/g, '$1');
  if (content === undefined) return localPart;
  return dotAtom.test(content) ? content : `"${content.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
};

/** The address with the necessary quotes in its local part (RFC 5322 §3.4.1). A person may have typed it without them. */
export const quotedIfNeeded = (email: string): string => {
  const at = email.lastIndexOf('@');
  const localPart = email.slice(0, Math.max(at, 0));
  if (localPart.startsWith('"')) return `${withLeastQuotes(localPart)}${email.slice(at)}`;
  if (at <= 0 || isLocalPart(localPart) || !/[ "(),:;<>@[\\\]]|^\.|\.$|\.\./.test(localPart)) return email;
  return `"${localPart.replaceAll(/["\\]/g, String.raw`\$&`)}"${email.slice(at)}`;
};

/**
 * An address in the form by which addresses are compared: in lower case, with as few quotes as possible, and with the
 * domain as A-labels. Text that is no address is returned in lower case.
 */
export const comparableAddress = (address: string): string => {
  const at = address.lastIndexOf('@');
  const domain = address.slice(at + 1);
  return (at < 0 ? address : `${withLeastQuotes(address.slice(0, at))}@${parseDomainName(domain) ?? domain}`).toLowerCase();
};

/** The domain of an address; empty if it has none. */
export const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1);

/** The local part of an address. */
export const localPartOf = (email: string): string => email.slice(0, email.lastIndexOf('@'));

/** The address without the detail of its local part (RFC 5233 §2); undefined if it has none. */
export const withoutDetail = (email: string): string | undefined => {
  const separator = localPartOf(email).indexOf('+');
  return separator > 0 ? `${email.slice(0, separator)}@${domainOf(email)}` : undefined;
};

/** Parses an email address. @returns the address in lower case, its domain as A-labels; undefined if it is invalid. */
export const parseEmailAddress = (value: string): string | undefined => {
  const at = value.lastIndexOf('@');
  const domain = parseDomainName(value.slice(at + 1));
  const address = `${value.slice(0, Math.max(at, 0)).toLowerCase()}@${domain}`;
  return at > 0 && domain !== undefined && isLocalPart(value.slice(0, at)) && address.length <= 254 ? address : undefined;
};
