import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import PostalMime from 'postal-mime';
import { bodyLists } from '../../../core/mime/body/body-lists.ts';
import { bodyValue } from '../../../core/mime/body/body-value.ts';
import { decodeTransferEncoding } from '../../../core/mime/encoding/transfer-encoding.ts';
import { parseMessage } from '../../../core/mime/parse-message.ts';
import type { BodyPart } from '../../../core/mime/parsed-email.ts';

/** The properties of a message as a parser reads them. Dates are seconds since 1970. */
export type MailReading = {
  readonly subject: string;
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly date: number | null;
  readonly text: string;
  readonly html: string;
  readonly names: readonly (string | null)[];
  /** The octets of the files, in base64. */
  readonly files: readonly string[];
};

export type MailField = keyof MailReading;

type NamedFile = { readonly name: string | null; readonly octets: string };
type Unnormalized = Omit<MailReading, 'names' | 'files'> & { readonly files: readonly NamedFile[] };

const inWords = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** Makes readings comparable: white space, order of files, and the line end at the end of a text file do not count. */
const normalized = ({ subject, from, to, date, text, html, files }: Unnormalized): MailReading => {
  const sorted = files.toSorted((one, other) => (one.octets < other.octets ? -1 : 1));
  return {
    subject: inWords(subject),
    from,
    to,
    date,
    text: inWords(text),
    html: inWords(html),
    names: sorted.map(({ name }) => name && inWords(name)),
    files: sorted.map(({ octets }) => Buffer.from(octets, 'base64').toString('latin1').replaceAll('\r\n', '\n').trimEnd()),
  };
};

export const postriderReading = (raw: Buffer): MailReading => {
  const { email, sentAt } = parseMessage(raw);
  const { textBody, htmlBody, attachments } = bodyLists(email.bodyStructure);
  const octetsOf = ({ range, encoding }: BodyPart): Buffer => decodeTransferEncoding(raw.subarray(range!.start, range!.end), encoding);
  const leaves = (part: BodyPart): BodyPart[] => (part.subParts ? part.subParts.flatMap(leaves) : [part]);
  const shown = new Set(
    [...textBody, ...htmlBody].filter((part) => /^text\/(?:plain|html)$/.test(part.type) && part.name === undefined && !attachments.includes(part)),
  );
  const valuesOf = (type: string): string =>
    leaves(email.bodyStructure)
      .filter((part) => part.type === type && shown.has(part))
      .map((part) => bodyValue(raw.subarray(part.range!.start, part.range!.end), part).value)
      .join('\n');
  const addresses = (list: readonly { readonly email: string }[] | undefined): string[] => (list ?? []).map(({ email: address }) => address.toLowerCase());
  return normalized({
    subject: email.subject ?? '',
    from: addresses(email.from),
    to: addresses(email.to),
    date: sentAt === undefined ? null : Math.floor(sentAt / 1000),
    text: valuesOf('text/plain'),
    html: valuesOf('text/html'),
    files: leaves(email.bodyStructure)
      .filter((part) => !shown.has(part))
      .map((part) => ({ name: part.name ?? null, octets: octetsOf(part).toString('base64') })),
  });
};

export const postalMimeReading = async (raw: Buffer): Promise<MailReading> => {
  const parsed = await PostalMime.parse(raw, { forceRfc822Attachments: true });
  const { subject = '', from, to = [], date, text = '', html = '', attachments } = parsed;
  type Entry = { readonly address?: string | undefined; readonly group?: unknown };
  const flat = (list: readonly Entry[]): string[] =>
    list.flatMap(({ group, address }): string[] => (Array.isArray(group) ? flat(group as Entry[]) : address ? [address.toLowerCase()] : []));
  const time = Date.parse(date ?? '');
  return normalized({
    subject,
    from: from ? flat([from]) : [],
    to: flat(to),
    date: Number.isNaN(time) ? null : Math.floor(time / 1000),
    text,
    html,
    files: attachments.map(({ filename, content }) => ({ name: filename, octets: Buffer.from(content as ArrayBuffer).toString('base64') })),
  });
};

/** What Python's email package reads of messages. A message that it cannot read has no reading. */
export const pythonReadings = async (messages: readonly Buffer[], python = 'python3'): Promise<readonly (MailReading | undefined)[]> => {
  const child = spawn(python, [join(import.meta.dirname, 'python_email.py')], { stdio: ['pipe', 'pipe', 'inherit'] });
  for (const message of messages) child.stdin.write(`${message.toString('base64')}\n`);
  child.stdin.end();
  const readings: (MailReading | undefined)[] = [];
  for await (const line of createInterface(child.stdout)) {
    const answer = JSON.parse(line) as Unnormalized | { readonly error: string };
    readings.push('error' in answer ? undefined : normalized(answer));
  }
  return readings;
};
