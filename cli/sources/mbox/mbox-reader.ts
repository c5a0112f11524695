import { beginsWithHeader, headerEnd, headerFields } from '../message-header.ts';
import { ByteWindow } from './byte-window.ts';
import { fromLineDate, isDatedFromLine, isUndatedFromLine, isWholeFromLine, unquoteMessage, type MboxQuoting } from './mbox-format.ts';

export type MboxMessage = {
  /** The line that begins the message, without its line end. */
  readonly fromLine: string;
  /** The offset of that line in the file. */
  readonly offset: number;
  /** The message without quoting. Undefined when the message exceeds the limit. */
  readonly content: Buffer | undefined;
  /** Octets of the message in the file. */
  readonly size: number;
  /** The offset after the message. */
  readonly end: number;
  /** The offset of the first line in the message that may begin another one. */
  readonly doubtAt: number | undefined;
};

export type MboxOptions = {
  readonly maxMessageSize: number;
  readonly quoting: MboxQuoting;
  /** Whether the file is an exact mboxrd, in which every line `From …` after a blank line begins a message. */
  readonly isExact?: boolean;
};

/**
 * The requirements for a line that begins a message: a date and a following header, or several fields of every message
 * behind a line without a date; a following header; or neither.
 */
type Strictness = 'dated' | 'header' | 'none';

/** Thrown for a file that does not begin like an mbox. */
export class NoMbox extends Error {
  override readonly name = 'NoMbox';
}

const newline = 0x0a;
const carriageReturn = 0x0d;

/** Maximum octets that are examined of a From line, and of the line after it. */
const maxFromLine = 1000;
const lookAhead = 1200;

/** The octets of the blank line before `at`. Undefined when the line before is not blank. */
const blankLineBefore = (octets: Buffer, at: number): number | undefined => {
  if (octets[at - 1] !== newline) return undefined;
  if (octets[at - 2] === newline) return 1;
  return octets[at - 2] === carriageReturn && octets[at - 3] === newline ? 2 : undefined;
};

/** A line that may begin a message, and the offset after it. */
type FromLine = { readonly text: string; readonly next: number };

const lineAt = (octets: Buffer, at: number): FromLine | undefined => {
  const end = octets.subarray(at, at + maxFromLine).indexOf(newline);
  if (end < 0) return undefined;
  return { text: octets.toString('latin1', at, at + end).replace(/\r$/, ''), next: at + end + 1 };
};

/** Whether these octets after a From line begin with a field, or with a quoted From line. */
const beginsWithField = (octets: Buffer): boolean => /^(?:[!-9;-~]+[ \t]*:|>*From )/.test(octets.toString('latin1', 0, 200));

/** Whether nothing is between a From line and the next one, or the end of the file: a message of no octets. */
const beginsEmpty = (octets: Buffer): boolean => /^(?:\r?\n)*(?:From |$)/.test(octets.toString('latin1', 0, 200));

/**
 * Whether a message begins at `at`, after a blank line. A sentence may begin with `From`, a time and a year, so that a line
 * without a date in the form of From lines needs a header behind it.
 */
const isSeparator = (octets: Buffer, at: number, strictness: Strictness): boolean => {
  const line = lineAt(octets, at);
  if (!line || !line.text.startsWith('From ')) return false;
  if (strictness === 'none') return true;
  if (hasHeaderAfter(octets, line)) return strictness === 'header' || isDatedFromLine(line.text) || isUndatedFromLine(line.text);
  const following = octets.subarray(line.next);
  if (strictness === 'header' && /^From \S*\s*$/.test(line.text)) return beginsWithField(following);
  const isWhole = isWholeFromLine(line.text) || fromLineDate(line.text) !== undefined;
  return isWhole && (beginsWithField(following) || beginsEmpty(following));
};

/** Whether a header follows a From line: several fields that every message has. */
const hasHeaderAfter = (octets: Buffer, { next }: FromLine): boolean => beginsWithHeader(octets.subarray(next, next + lookAhead));

/**
 * Whether a message begins at `at`, directly after a line of another one, as programs write it that add no blank line:
 * a whole From line, and a header.
 */
const isSeparatorInText = (octets: Buffer, at: number): boolean => {
  const line = lineAt(octets, at);
  return line !== undefined && isWholeFromLine(line.text) && hasHeaderAfter(octets, line);
};

/** Whether a line could begin a message, though {@link isSeparator} says that it does not. */
const isDoubtful = (octets: Buffer, at: number): boolean => {
  const line = lineAt(octets, at);
  if (!line) return false;
  return hasHeaderAfter(octets, line) || (isDatedFromLine(line.text) && blankLineBefore(octets, at) !== undefined);
};

type Extent = {
  readonly contentEnd: number;
  readonly next: number;
  readonly dropped: number;
  readonly isUnquoted: boolean;
  readonly doubtAt?: number | undefined;
};

/**
 * Reads until the window has the header of a message, or `limit` octets of the message. @returns the length of the
 * header.
 */
const growToHeaderEnd = async (window: ByteWindow, start: number, limit: number): Promise<number | undefined> => {
  for (let from = 0; ;) {
    const end = headerEnd(window.octets.subarray(start), from);
    if (end !== undefined) return end;
    const length = window.length - start;
    // The last octets may begin a blank line. All other octets are searched once.
    from = Math.max(0, length - 2);
    if (length >= limit || !(await window.grow())) return undefined;
  }
};

/**
 * The end of a message by its Content-Length (mboxcl), if another message or the end of the file follows at that
 * offset.
 */
const endByContentLength = async (window: ByteWindow, start: number, { maxMessageSize }: MboxOptions): Promise<Extent | undefined> => {
  const bodyStart = await growToHeaderEnd(window, start, maxMessageSize);
  if (bodyStart === undefined) return undefined;
  const [value = ''] = headerFields(window.octets.subarray(start, start + bodyStart)).get('content-length');
  const length = /^\d{1,12}$/.test(value) ? Number(value) : undefined;
  if (length === undefined || length > maxMessageSize) return undefined;
  const end = start + bodyStart + length;
  await window.growTo(end + lookAhead);
  const { octets } = window;
  if (end > octets.length) return undefined;
  const gap = /^(?:\r?\n){0,2}/.exec(octets.toString('latin1', end, end + 4))?.[0].length ?? 0;
  const next = end + gap;
  const isEnd = next >= octets.length || (octets[next - 1] === newline && isSeparator(octets, next, 'dated'));
  if (!isEnd) return undefined;
  // A body with unquoted lines was written without quoting (mboxcl2).
  const isUnquoted = /(?<![^\n])From /.test(octets.toString('latin1', start + bodyStart, end));
  return { contentEnd: end, next, dropped: 0, isUnquoted };
};

/** The end of a message at the next From line. At most the limit is kept in memory. */
const endBySeparator = async (window: ByteWindow, start: number, strictness: Strictness, { maxMessageSize }: MboxOptions): Promise<Extent> => {
  let scanned = start;
  let dropped = 0;
  let doubtAt: number | undefined;
  for (;;) {
    if (scanned - start > maxMessageSize + lookAhead) {
      const length = scanned - start - 8;
      window.consume(length);
      [dropped, scanned] = [dropped + length, scanned - length];
    }
    const found = window.octets.indexOf('\nFrom ', scanned - 1);
    if (found >= 0) {
      await window.growTo(found + 1 + lookAhead);
      const { octets } = window;
      const [at, blank] = [found + 1, blankLineBefore(octets, found + 1)];
      const contentEnd = at - (blank ?? 0);
      const isEnd = blank === undefined ? strictness !== 'none' && isSeparatorInText(octets, at) : isSeparator(octets, at, strictness);
      if (isEnd && contentEnd >= start) return { contentEnd, next: at, dropped, isUnquoted: false, doubtAt };
      if (strictness !== 'none' && isDoubtful(octets, at)) doubtAt ??= window.offset + at;
      scanned = found + 2;
      continue;
    }
    // The last octets may be the beginning of a separator.
    scanned = Math.max(scanned, window.length - 5);
    if (!(await window.grow())) {
      const { octets } = window;
      const blank = blankLineBefore(octets, octets.length) ?? 0;
      return { contentEnd: Math.max(start, octets.length - blank), next: octets.length, dropped, isUnquoted: false, doubtAt };
    }
  }
};

const skipBlankLines = async (window: ByteWindow): Promise<void> => {
  while (await window.growTo(1)) {
    const { octets } = window;
    let blank = 0;
    while (octets[blank] === newline || octets[blank] === carriageReturn) blank += 1;
    window.consume(blank);
    if (blank < octets.length) return;
  }
};

/**
 * Reads the messages of an mbox (mboxo, mboxrd, mboxcl or mboxcl2) of any size. A message begins with a line `From …
 * <date>` after a blank line, or at the end of the previous message by its Content-Length. Programs that add no blank
 * line, or no date, are understood when a header follows.
 * @throws NoMbox when the file does not begin with such a line.
 */
export const readMbox = async function* (chunks: AsyncIterable<Buffer>, options: MboxOptions): AsyncGenerator<MboxMessage> {
  const window = new ByteWindow(chunks);
  await skipBlankLines(window);
  let strictness: Strictness | undefined = options.isExact ? 'none' : undefined;
  while (await window.growTo(1)) {
    await window.growTo(maxFromLine);
    const { offset, octets } = window;
    const line = lineAt(octets, 0) ?? {
      text: octets
        .subarray(0, maxFromLine)
        .toString('latin1')
        .replace(/\r?\n$/, ''),
      next: octets.length,
    };
    if (!line.text.startsWith('From ')) throw new NoMbox('the file does not begin with a line From …');
    strictness ??= isDatedFromLine(line.text) ? 'dated' : 'header';
    const extent =
      (options.isExact ? undefined : await endByContentLength(window, line.next, options)) ?? (await endBySeparator(window, line.next, strictness, options));
    const size = extent.contentEnd - line.next + extent.dropped;
    const raw = size > options.maxMessageSize ? undefined : Buffer.from(window.octets.subarray(line.next, extent.contentEnd));
    window.consume(extent.next);
    yield {
      fromLine: line.text,
      offset,
      size,
      end: window.offset,
      doubtAt: extent.doubtAt,
      content: raw && unquoteMessage(raw, extent.isUnquoted ? 'none' : options.quoting),
    };
    await skipBlankLines(window);
  }
};
