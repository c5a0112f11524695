import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mailDifferences, type Parser } from './mail-differences.ts';
import { postalMimeReading, postriderReading, pythonReadings, type MailField, type MailReading } from './mail-reading.ts';
import { slippedMessages } from './mail-slips.ts';

/** A message to compare, and the names under which its differences are known. */
type Compared = { readonly names: readonly string[]; readonly raw: Buffer };

/** Python's own test data. Some systems package them apart from Python; then there are none. */
const pythonTestData = (): Compared[] => {
  try {
    const program = 'import os, test.test_email as t; print(os.path.join(os.path.dirname(t.__file__), "data"))';
    const directory = execFileSync('python3', ['-c', program], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
    const files = readdirSync(directory).filter((name) => name.endsWith('.txt'));
    return files.map((name) => ({ names: [name], raw: readFileSync(join(directory, name)) }));
  } catch {
    return [];
  }
};

/** Whether two readings of a field are the same. postal-mime joins texts and HTML into both. */
const isSame = (field: MailField, ours: MailReading, theirs: MailReading, parser: Parser): boolean =>
  parser === 'postal-mime' && (field === 'text' || field === 'html')
    ? ours[field].split(' ').every((word) => theirs[field].includes(word))
    : JSON.stringify(ours[field]) === JSON.stringify(theirs[field]);

const isKnown = (parser: Parser, field: MailField, names: readonly string[]): boolean =>
  mailDifferences.some(
    (each) => each.parser === parser && each.of.some((name) => names.includes(name)) && (each.fields === 'all' || each.fields.includes(field)),
  );

const shown = (value: unknown): string => JSON.stringify(value).slice(0, 150);

type Result = { readonly compared: number; readonly known: number; readonly unknown: readonly string[] };

/** Compares what we read of messages with what other parsers read. */
export const compareMail = async (pairs: number, seed: number): Promise<Result> => {
  const messages: Compared[] = [...pythonTestData(), ...slippedMessages(pairs, seed).map(({ slips, raw }) => ({ names: slips, raw }))];
  const python = await pythonReadings(messages.map(({ raw }) => raw));
  let known = 0;
  const unknown: string[] = [];
  for (const [index, { names, raw }] of messages.entries()) {
    const ours = postriderReading(raw);
    const readings = [
      ['python', python[index]],
      ['postal-mime', await postalMimeReading(raw)],
    ] as const;
    for (const [parser, theirs] of readings) {
      for (const field of theirs ? (Object.keys(ours) as MailField[]) : []) {
        if (isSame(field, ours, theirs!, parser)) continue;
        if (isKnown(parser, field, names)) known += 1;
        else unknown.push(`${names.join(' and ')}: ${field}: ours ${shown(ours[field])}, ${parser} ${shown(theirs![field])}`);
      }
    }
  }
  return { compared: messages.length, known, unknown };
};
