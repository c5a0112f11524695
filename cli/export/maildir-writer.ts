import { mkdir, readdir, readFile, rename, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sideBySide } from '../jmap/side-by-side.ts';
import { emailGroups, keywordsOfEmail, type ExportedEmail, type FetchMessages } from './exported-email.ts';

/** Letters of a maildir's file names for keywords, in their order there. */
const letters: { readonly [keyword: string]: string } = { $draft: 'D', $flagged: 'F', $forwarded: 'P', $answered: 'R', $seen: 'S' };

/** Keywords that Dovecot can give letters to in one folder: `a` to `z`. */
const maxKeywords = 26;

export type MaildirExport = {
  readonly path: string;
  readonly emails: readonly ExportedEmail[];
  readonly fetchMessages: FetchMessages;
  readonly atOnce: number;
  readonly settle: (email: ExportedEmail, wasThere: boolean) => void;
  /** Told of keywords for which a folder has no letter left. */
  readonly lostKeyword: (keyword: string) => void;
};

const keywordsFile = (path: string): string => join(path, 'dovecot-keywords');

/** The letters of the folder's further keywords: those that its file `dovecot-keywords` has, and then the new ones. */
const keywordLetters = async ({ path, emails, lostKeyword }: MaildirExport): Promise<ReadonlyMap<string, string>> => {
  const text = await readFile(keywordsFile(path), 'utf8').catch(() => '');
  const known = [...text.matchAll(/^\d+ (\S+)$/gm)].map(([, keyword]) => keyword!);
  const all = [...new Set([...known, ...emails.flatMap(keywordsOfEmail).filter((keyword) => !Object.hasOwn(letters, keyword)).sort()])];
  for (const keyword of all.slice(maxKeywords)) lostKeyword(keyword);
  const kept = all.slice(0, maxKeywords);
  if (kept.length > known.length) {
    await writeFile(keywordsFile(path), kept.map((keyword, index) => `${index} ${keyword}\n`).join(''), { mode: 0o600 });
  }
  return new Map(kept.map((keyword, index) => [keyword, String.fromCharCode(97 + index)]));
};

const flagLetters = (email: ExportedEmail, further: ReadonlyMap<string, string>): string =>
  keywordsOfEmail(email).flatMap((keyword) => letters[keyword] ?? further.get(keyword) ?? []).sort().join('');

/** A file name of a maildir with the Email's id as the unique part, and the size as Dovecot wants it. */
const fileName = (email: ExportedEmail): string =>
  `${Math.floor(Date.parse(email.receivedAt) / 1000)}.${email.id}.exported,S=${email.size}`;

const idIn = (name: string): string | undefined => /^\d+\.([^.]+)\.exported,S=/.exec(name)?.[1];

/** The name with the Email's flags. */
const nameIn = (email: ExportedEmail, further: ReadonlyMap<string, string>): string =>
  `${fileName(email)}:2,${flagLetters(email, further)}`;

const writeMessage = async ({ path, settle }: MaildirExport, email: ExportedEmail, name: string, content: Buffer): Promise<void> => {
  const draft = join(path, 'tmp', fileName(email));
  await writeFile(draft, content, { mode: 0o600, flush: true });
  await utimes(draft, new Date(email.receivedAt), new Date(email.receivedAt));
  await rename(draft, join(path, 'cur', name));
  settle(email, false);
};

/**
 * Writes a maildir, or adds to one that an interrupted export wrote. Flags that changed since are brought up to date.
 */
export const exportMaildir = async (target: MaildirExport): Promise<void> => {
  const { path } = target;
  for (const sub of ['tmp', 'new', 'cur']) await mkdir(join(path, sub), { recursive: true, mode: 0o700 });
  const further = await keywordLetters(target);
  const existing = new Map((await readdir(join(path, 'cur'))).flatMap((name) => {
    const id = idIn(name);
    return id === undefined ? [] : [[id, name] as const];
  }));
  const left: ExportedEmail[] = [];
  for (const email of target.emails) {
    const before = existing.get(email.id);
    if (before === undefined) {
      left.push(email);
      continue;
    }
    const name = nameIn(email, further);
    if (before !== name) await rename(join(path, 'cur', before), join(path, 'cur', name));
    target.settle(email, true);
  }
  await sideBySide(emailGroups(left), target.atOnce, async (emails) => {
    for (const [index, content] of (await target.fetchMessages(emails)).entries()) {
      if (content) await writeMessage(target, emails[index]!, nameIn(emails[index]!, further), content);
    }
  });
};
