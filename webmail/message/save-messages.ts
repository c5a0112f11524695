import type { MailContext } from '../context/mail-context.ts';
import type { Email } from '../jmap/types.ts';
import { words } from '../words/words.ts';
import { fileName } from './file-name.ts';
import { saveFile } from './save-file.ts';
import { zipOf, type ZipEntry } from './zip.ts';

/** Maximum octets of a zip file, which old programs read too. */
const maxOctets = 2_000_000_000;

/** Names of the files of messages. The number keeps their order, and makes each name the only one. */
export const namesOf = (emails: readonly Pick<Email, 'subject'>[]): readonly string[] =>
  emails.map(({ subject }, index) => `${`${index + 1}`.padStart(`${emails.length}`.length, '0')} ${fileName(subject || words.noSubject)}.eml`);

/**
 * Saves messages as they came: one as `.eml`, several in a zip file, because browsers ask before a page saves several files.
 */
export const saveMessages = async ({ download, acts }: Pick<MailContext, 'download' | 'acts'>, emails: readonly Email[]): Promise<void> => {
  const subject = fileName(emails.find((email) => email.subject)?.subject ?? words.noSubject);
  if (emails.reduce((sum, { size }) => sum + size, 0) > maxOctets) throw new Error(words.tooLargeToSave);
  const stopping = new AbortController();
  const names = namesOf(emails);
  const entries: ZipEntry[] = [];
  for (const [index, { blobId, receivedAt }] of emails.entries()) {
    const progress = { done: index, total: emails.length, stop: () => stopping.abort() };
    acts.say({ text: words.savingMessages(index, emails.length), progress });
    const content = await download({ blobId, name: 'message.eml' });
    if (stopping.signal.aborted) return acts.say({ text: words.stopped });
    entries.push({ name: names[index]!, content, time: new Date(receivedAt) });
  }
  if (entries.length === 1) saveFile(entries[0]!.content, `${subject}.eml`);
  else saveFile(await zipOf(entries), `${subject}.zip`);
  return acts.say({ text: words.savedMessages(entries.length) });
};
