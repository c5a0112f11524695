import { filesBelow, textOf } from './sources.ts';

/** Folders whose files are generic: they serve every type in the same way. */
const genericFolders = ['core/account-log', 'core/account-index', 'core/mail-types/mail-store'];
/** Files in the generic folders that register the types, or that sort by the texts of Emails. */
const typeFiles = /\/(?:stored-types|text-sorts)\.ts$/;

/** The names of record types that a generic file may contain, with the reason. */
const exceptions: { readonly [path: string]: { readonly reason: string; readonly names: readonly string[] } } = {
  'core/mail-types/mail-store/mail-store.ts': { reason: 'the port includes the operations that only Emails have', names: ['email', 'EmailStore'] },
  'core/mail-types/mail-store/table-mail-store.ts': {
    reason: 'the store implements the operations that only Emails have',
    names: ['email', 'deliverEmails', 'emails', 'HeldEmailContents', 'emailRecords'],
  },
};

const withoutComments = (text: string): string => text.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '');

/** The names in a source text, outside comments, that contain the name of a record type. */
const recordTypeNames = (text: string): string[] =>
  [...new Set([...withoutComments(text).matchAll(/\w*(?:email|mailbox|thread)\w*/gi)].map(([name]) => name))];

describe('the generic files of the mail store', () => {
  const files = genericFolders.flatMap((folder) => filesBelow(folder)).filter((path) => !typeFiles.test(path));

  test('are found', () => {
    expect(files.length).toBeGreaterThan(15);
  });

  test.each(files)('%s names no record type', (path) => {
    const allowed = exceptions[path]?.names ?? [];
    expect(recordTypeNames(textOf(path)).filter((name) => !allowed.includes(name))).toEqual([]);
  });

  test.each(Object.entries(exceptions))('%s needs each name of its exception', (path, { names }) => {
    expect(names.filter((name) => !recordTypeNames(textOf(path)).includes(name))).toEqual([]);
  });

  test('a name in code or a string is detected; one in a comment is not', () => {
    expect(recordTypeNames("/** Email */ const mailboxId = 'Thread'; // Email")).toEqual(['mailboxId', 'Thread']);
  });
});
