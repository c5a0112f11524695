import { folderNamed } from './folder-names.ts';
import { statableDate, type SourceFolder } from './mail-source.ts';
import { headerEnd } from './message-header.ts';

/** Whether a file is a message of Apple Mail, by its name. macOS writes files that begin with `._` beside others. */
export const isEmlx = (name: string): boolean => /(?:^|\/)(?!\._)[^/]*\.emlx$/i.test(name);

/** Whether Apple Mail keeps the attachments of a message in other files. */
export const isPartialEmlx = (name: string): boolean => isEmlx(name) && /\.partial\.emlx$/i.test(name);

/** The bits of `flags` in the property list, as IMAP's flags. */
const flagBits: readonly (readonly [bit: bigint, flag: string])[] = [
  [0n, '\\Seen'],
  [1n, '\\Deleted'],
  [2n, '\\Answered'],
  [4n, '\\Flagged'],
  [6n, '\\Draft'],
  [8n, 'Forwarded'],
  [24n, 'Junk'],
  [25n, 'NonJunk'],
];

/** A message of Apple Mail: a line with the count of its octets, the octets, and a property list. */
export type Emlx = {
  readonly message: Buffer;
  /** Flags as IMAP spells them. Undefined when the property list does not have them. */
  readonly flags: readonly string[] | undefined;
  readonly receivedAt: Date | undefined;
  /** Whether the count is the number of the octets before the property list. */
  readonly isCounted: boolean;
};

const maxPropertyList = 256 * 1024;

const beginsPropertyList = (octets: Buffer): boolean => /^\s*(?:<\?|<!DOCTYPE|<plist|bplist|$)/.test(octets.toString('latin1', 0, 200));

/** The offset of a property list at the end of a file whose count does not lead to it. Undefined: it has none. */
const findPropertyList = (file: Buffer, from: number): number | undefined => {
  const tail = Math.max(from, file.length - maxPropertyList);
  const text = file.toString('latin1', tail);
  const at = ['\n<?xml ', '\n<!DOCTYPE plist', '\n<plist'].map((start) => text.lastIndexOf(start)).filter((each) => each >= 0);
  const first = Math.min(...at);
  return at.length > 0 && text.includes('<plist', first) ? tail + first + 1 : undefined;
};

const flagsKey = /<key>flags<\/key>\s{0,100}<(?:integer|real)>\s{0,100}(-?\d{1,20})(?!\d)/;
const dateKey = /<key>date-received<\/key>\s{0,100}<(?:integer|real)>\s{0,100}(\d{1,19})(?!\d)/;

/** Reads a message of Apple Mail. Where the count is wrong, the message ends before the property list, or with the file. */
export const parseEmlx = (file: Buffer): Emlx => {
  const [line, count] = /^(?:\u00EF\u00BB\u00BF)?\s{0,20}(\d{1,12})[ \t]{0,100}\r?\n/.exec(file.toString('latin1', 0, 200)) ?? ['', undefined];
  const [start, counted] = [line.length, line.length + Number(count ?? NaN)];
  const isCounted = counted <= file.length && beginsPropertyList(file.subarray(counted));
  const end = isCounted ? counted : (findPropertyList(file, start + (headerEnd(file.subarray(start)) ?? 0)) ?? file.length);
  const propertyList = file.toString('latin1', end, end + maxPropertyList);
  const [flags, seconds] = [flagsKey.exec(propertyList)?.[1], Number(dateKey.exec(propertyList)?.[1])];
  return {
    message: file.subarray(start, end),
    isCounted,
    flags: flags === undefined ? undefined : flagBits.filter(([bit]) => ((BigInt(flags) >> bit) & 1n) === 1n).map(([, flag]) => flag),
    receivedAt: seconds > 0 ? statableDate(new Date(seconds * 1000)) : undefined,
  };
};

/** Folders of Apple Mail above its mailboxes: the version of its files, and an account. */
const aboveMailboxes = /^(?:V\d{1,2}|Mailboxes|[\dA-F]{8}(?:-[\dA-F]{4}){3}-[\dA-F]{12}|(?:IMAP|POP|EWS|Exchange|Mac|AosIMAP|iCloud)-.*)$/i;

const isMailbox = (name: string): boolean => /.\.(?:mbox|imapmbox)$/i.test(name);

/**
 * The folder of a message of Apple Mail by the folders of its path. Mailboxes are named `Work.mbox`, with folders without
 * a meaning in them, such as `Data/4/Messages`.
 */
export const emlxFolder = (path: readonly string[]): SourceFolder => {
  const last = path.findLastIndex(isMailbox);
  if (last >= 0) {
    const names = path.slice(0, last + 1);
    const above = names.findIndex((name) => !aboveMailboxes.test(name));
    return folderNamed(names.slice(above).map((name) => name.replace(/\.(?:mbox|imapmbox)$/i, '')));
  }
  const isInner = path.at(-1) === 'Messages';
  return folderNamed(isInner ? path.slice(0, path.findLastIndex((name) => !/^(?:Messages|Data|\d)$/.test(name)) + 1) : path);
};
