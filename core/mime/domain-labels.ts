import { domainToUnicode } from 'node:url';

/** Maximum characters of a label (RFC 1035 §2.3.4). */
const maxLabel = 63;

/** The U-label of an A-label such as `xn--bcher-kva` (RFC 5890 §2.3.2.1). Undefined for one that is invalid. */
export const uLabelOf = (aLabel: string): string | undefined => (aLabel.length > maxLabel ? undefined : domainToUnicode(aLabel.toLowerCase()) || undefined);

/** The text with U-labels for A-labels, so that both forms of a domain are compared as one. */
export const withULabels = (text: string): string =>
  /xn--/i.test(text) ? text.replaceAll(/\bxn--[a-z0-9-]+/gi, (aLabel) => uLabelOf(aLabel) ?? aLabel) : text;
