import { words } from '../words/words.ts';

/** Characters that file systems refuse, or that hide the end of a name. */
const unsafe = /[\p{Cc}/\\:*?"<>|\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Names of devices in Windows, with any extension. */
const reserved = /^(?=(?:con|prn|aux|nul|com\d|lpt\d) *(?:\.|$))/i;

/** Maximum octets of a name in UTF-8. File systems take 255, and an extension may follow. */
const maxOctets = 200;

export const fileName = (name: string | null): string => {
  const safe = (name ?? '')
    .replaceAll(unsafe, '_')
    .replace(/^\.{1,10}/, '_')
    .replace(reserved, '_');
  return safe.slice(0, new TextEncoder().encodeInto(safe, new Uint8Array(maxOctets)).read) || words.unnamed;
};
