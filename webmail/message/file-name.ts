import { words } from '../words/words.ts';

/** Characters that file systems refuse, or that hide the end of a name. */
const unsafe = /[\p{Cc}/\\:*?"<>|\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

export const fileName = (name: string | null): string =>
  (name ?? '')
    .replaceAll(unsafe, '_')
    .replace(/^\.{1,10}/, '_')
    .slice(0, 200) || words.unnamed;
