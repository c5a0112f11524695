import { createHash } from 'node:crypto';
import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { mapConcurrently } from '../../contract/values/map-concurrently.ts';
import { makeFolders, readTextFile, replaceFile } from './export-files.ts';
import { emailGroups, keywordsOfEmail, type ExportedEmail, type FetchMessages } from './exported-email.ts';

/** The letters for keywords in a maildir's file names, in their order there. */
const letters = new Map(Object.entries({ $draft: 'D', $flagged: 'F', $forwarded: 'P', $answered: 'R', $seen: 'S' }));

/** Maximum keywords in one folder for which Dovecot has letters: `a` to `z`. */
const maxKeywords = 26;

type MaildirExport = {
  /** The folder of the export. */
  readonly root: string;
  /** The path of the maildir within that folder. */
  readonly place: string;
  readonly emails: readonly ExportedEmail[];
  readonly fetchMessages: FetchMessages;
  readonly atOnce: number;
  readonly settle: (email: ExportedEmail, wasThere: boolean) => void;
  /** Called with each keyword that has no letter, because the folder has used all letters. */
  readonly lostKeyword: (keyword: string) => void;
};

/**
 * The letters for other keywords in the folder: first those in its file `dovecot-keywords`, then letters for new
 * keywords.
 */
const keywordLetters = async (path: string, { emails, lostKeyword }: MaildirExport): Promise<ReadonlyMap<string, string>> => {
  const file = join(path, 'dovecot-keywords');
  const text = (await readTextFile(file)) ?? '';
  const known = [...text.matchAll(/^\d+ (\S+)$/gm)].map(([, keyword]) => keyword!);
  const all = [
    ...new Set([
      ...known,
      ...emails
        .flatMap(keywordsOfEmail)
        .filter((keyword) => !letters.has(keyword))
        .sort(),
    ]),
  ];
  for (const keyword of all.slice(maxKeywords)) lostKeyword(keyword);
  const kept = all.slice(0, maxKeywords);
  if (kept.length > known.length) {
    await replaceFile(file, kept.map((keyword, index) => `${index} ${keyword}\n`).join(''));
  }
  return new Map(kept.map((keyword, index) => [keyword, String.fromCharCode(97 + index)]));
};

const flagLetters = (email: ExportedEmail, further: ReadonlyMap<string, string>): string =>
  keywordsOfEmail(email)
    .flatMap((keyword) => letters.get(keyword) ?? further.get(keyword) ?? [])
    .sort()
    .join('');

/** The Email's id. A digest when the id is not a valid Id (RFC 8620 §1.2) or too long for a file name. */
const uniquePart = ({ id }: ExportedEmail): string => (/^[\w-]{1,100}$/.test(id) ? id : createHash('sha256').update(id).digest('base64url'));

/** A file name of a maildir. The Email's id is the unique part, and the size is in the form that Dovecot expects. */
const fileName = (email: ExportedEmail): string => `${Math.floor(Date.parse(email.receivedAt) / 1000)}.${uniquePart(email)}.exported,S=${email.size}`;

const uniquePartIn = (name: string): string | undefined => /^\d+\.([^.]+)\.exported,S=/.exec(name)?.[1];

const nameIn = (email: ExportedEmail, further: ReadonlyMap<string, string>): string => `${fileName(email)}:2,${flagLetters(email, further)}`;

/**
 * Writes a maildir, or continues that of an interrupted export. Changed flags are updated.
 * @throws CliError when a file cannot be written, or a path contains a symbolic link.
 */
export const exportMaildir = async (target: MaildirExport): Promise<void> => {
  const { root, place, settle } = target;
  const path = join(root, place);
  for (const sub of ['tmp', 'new', 'cur']) await makeFolders(root, join(place, sub));
  const further = await keywordLetters(path, target);
  const existing = new Map(
    (await readdir(join(path, 'cur'))).flatMap((name) => {
      const part = uniquePartIn(name);
      return part === undefined ? [] : [[part, name] as const];
    }),
  );
  const left: ExportedEmail[] = [];
  for (const email of target.emails) {
    const before = existing.get(uniquePart(email));
    if (before === undefined) {
      left.push(email);
      continue;
    }
    const name = nameIn(email, further);
    if (before !== name) await rename(join(path, 'cur', before), join(path, 'cur', name));
    settle(email, true);
  }
  await mapConcurrently(emailGroups(left), target.atOnce, async (emails) => {
    for (const [index, content] of (await target.fetchMessages(emails)).entries()) {
      const email = emails[index]!;
      if (!content) continue;
      const draft = join(path, 'tmp', fileName(email));
      await replaceFile(join(path, 'cur', nameIn(email, further)), content, { draft, modifiedAt: new Date(email.receivedAt) });
      settle(email, false);
    }
  });
};
