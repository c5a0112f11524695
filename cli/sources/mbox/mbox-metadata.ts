import { decodeEncodedWords } from '../../../core/mime/encoding/encoded-words.ts';
import { folderNamed } from '../folder-names.ts';
import { keywordsOf } from '../keywords.ts';
import type { SourceFolder } from '../mail-source.ts';
import type { HeaderFields } from '../message-header.ts';

/** The flags and dates of a stored message that are in its header fields in an mbox. */
export type MboxMetadata = {
  readonly keywords: readonly string[];
  /** The folders for Gmail's labels. Undefined when the message has no labels. */
  readonly labelFolders: readonly SourceFolder[] | undefined;
  readonly isDeleted: boolean;
  /** Whether Mozilla has moved or deleted the message, but has not compacted the file since. */
  readonly isExpunged: boolean;
};

/** The flags that letters in Status and X-Status mean, for mutt, Dovecot and pine. */
const statusFlags: { readonly [letter: string]: string } = { R: '\\Seen', A: '\\Answered', F: '\\Flagged', T: '\\Draft' };

const mozillaBits = { seen: 0x0001, answered: 0x0002, flagged: 0x0004, expunged: 0x0008, forwarded: 0x1000 } as const;

/** Keywords for Gmail's system labels. Other system labels have no equivalent. */
const labelKeywords = new Map(
  Object.entries<string | null>({
    opened: '\\Seen',
    unread: null,
    starred: '\\Flagged',
    important: '$important',
    '\\starred': '\\Flagged',
    '\\important': '$important',
  }),
);

/** Folders for Gmail's system labels, with the names that IMAP uses. */
const labelFolders = new Map(
  Object.entries({ '\\inbox': 'Inbox', '\\sent': 'Sent', '\\draft': 'Drafts', '\\drafts': 'Drafts', '\\junk': 'Spam', '\\spam': 'Spam', '\\trash': 'Trash' }),
);

/** Splits the labels of X-Gmail-Labels. They are separated by commas, and labels with a comma are quoted. */
const splitLabels = (value: string): string[] =>
  [...value.matchAll(/\s*(?:"((?:[^"\\]|\\.)*)"|([^,]*))\s*(?:,|$)/g)]
    .map(([, quoted, plain]) => (quoted?.replaceAll(/\\(.)/g, '$1') ?? plain ?? '').trim())
    .filter((label) => label !== '');

/**
 * The folders and flags for Gmail's labels. A message that no label puts into a folder is archived. Gmail's categories
 * are left out.
 */
export const gmailLabels = (labels: readonly string[]): { readonly folders: readonly SourceFolder[]; readonly flags: readonly string[] } => {
  const known = labels.filter((label) => !/^(?:\\?category\b|\\\w*muted)/i.test(label));
  const isKeyword = (label: string): boolean => labelKeywords.has(label.toLowerCase());
  const folders = known.filter((label) => !isKeyword(label)).map((label) => folderNamed((labelFolders.get(label.toLowerCase()) ?? label).split('/')));
  const others = folders.filter(({ role }) => role !== 'archive');
  return { folders: others.length > 0 ? others : [folderNamed(['Archive'])], flags: known.flatMap((label) => labelKeywords.get(label.toLowerCase()) ?? []) };
};

const firstWords = (fields: HeaderFields, name: string): string[] => (fields.get(name)[0] ?? '').split(/\s+/).filter((word) => word !== '');

/** Reads the header fields Status, X-Status, X-Keywords, X-Mozilla-Status, X-Mozilla-Keys and X-Gmail-Labels. */
export const mboxMetadata = (fields: HeaderFields): MboxMetadata => {
  const letters = `${fields.get('status')[0] ?? ''}${fields.get('x-status')[0] ?? ''}`;
  const bits = Number.parseInt(fields.get('x-mozilla-status')[0] ?? '0', 16) || 0;
  const [labels] = fields.get('x-gmail-labels').map((value) => gmailLabels(splitLabels(decodeEncodedWords(value))));
  const mozilla = [
    bits & mozillaBits.seen ? '\\Seen' : '',
    bits & mozillaBits.answered ? '\\Answered' : '',
    bits & mozillaBits.flagged ? '\\Flagged' : '',
    bits & mozillaBits.forwarded ? 'Forwarded' : '',
  ];
  return {
    keywords: keywordsOf([
      ...letters.split('').flatMap((letter) => statusFlags[letter] ?? []),
      ...mozilla,
      ...firstWords(fields, 'x-keywords'),
      ...firstWords(fields, 'x-mozilla-keys'),
      ...(labels?.flags ?? []),
    ]),
    labelFolders: labels?.folders,
    isDeleted: letters.includes('D'),
    isExpunged: (bits & mozillaBits.expunged) !== 0,
  };
};
