import { unadvertisedLimits } from '../../../contract/jmap/core.ts';
import type { email } from '../../../contract/jmap/email.ts';
import { emailIdOf, messageBlobId } from '../../../core/mail/email/blob-id.ts';
import { blobKeyOf } from '../../../core/mail/email/email-blobs.ts';
import type { EmailContent, EmailRow } from '../../../core/mail/email/email-content.ts';
import type { NewEmail } from '../../../core/mail/email/email-store.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import { baseSubject } from '../../../core/mime/base-subject.ts';
import { threadMessageIds } from '../../../core/mime/message-ids.ts';
import { objectKeys } from '../../../core/storage/object-keys.ts';
import { attemptEach } from '../request/account-commit.ts';
import type { CopyBehaviour, RequestedCopy } from '../request/behaviour.ts';
import { MethodError, SetError } from '../request/jmap-errors.ts';
import type { OpenAccount, RequestContext } from '../request/request-context.ts';
import { checkRow } from './check-row.ts';
import { prepareNewEmails, type EmailToCreate } from './new-emails.ts';

/** An original, and the row values of its copy. */
type Original = { readonly row: EmailRow; readonly content: EmailContent; readonly copy: Pick<EmailRow, 'mailboxIds' | 'keywords' | 'receivedAt'> };

const originalNotFound = () => new SetError('notFound', 'The Email does not exist in the account "fromAccountId".');

/**
 * The row of the original, and the values for its copy's row. The Mailboxes of the original are in another account, so
 * a copy must name Mailboxes of its account (RFC 8621 §4.7).
 * @throws SetError notFound, invalidProperties, tooManyMailboxes, tooManyKeywords.
 */
const rowsOf = ({ id, changes }: RequestedCopy<typeof email>, from: OpenAccount, account: OpenAccount): Omit<Original, 'content'> => {
  const row = emailsOf(from.view).get(id);
  if (!row) throw originalNotFound();
  const { mailboxIds, keywords, receivedAt } = changes;
  if (mailboxIds === undefined) throw new SetError('invalidProperties', 'A copy must name mailboxes of its account.', ['mailboxIds']);
  const copy = {
    mailboxIds: Object.keys(mailboxIds),
    keywords: keywords === undefined ? row.keywords : Object.keys(keywords),
    receivedAt: receivedAt === undefined ? row.receivedAt : Date.parse(receivedAt),
  };
  checkRow(account.view, copy);
  return { row, copy };
};

/** Counts copies. @throws MethodError requestTooLarge when the calls of the request copy too many messages. */
const countCopies = (count: number, { budget }: RequestContext): void => {
  const { maxRawMessagesInRequest } = unadvertisedLimits;
  if (budget.spend('maxRawMessagesInRequest', count)) return;
  throw new MethodError('requestTooLarge', `A request may copy at most ${maxRawMessagesInRequest} messages (maxRawMessagesInRequest).`);
};

const newEmailOf = (key: string, { row, content, copy }: Original): NewEmail => ({
  ...copy,
  content: { ...content, id: emailIdOf(key), blobId: messageBlobId(key) },
  ...(row.sentAt !== undefined && { sentAt: row.sentAt }),
  size: row.size,
  threadMessageIds: threadMessageIds(content),
  baseSubject: baseSubject(content.subject ?? ''),
});

/**
 * Email/copy (RFC 8621 §4.7). The key of a copy is derived from its original, so a repeated call adds no second copy.
 */
export const emailCopy: CopyBehaviour<typeof email> = {
  async prepareCopies(copies, from, account, context) {
    const notCreated = new Map<string, SetError>();
    const rows = attemptEach(copies, (requested) => rowsOf(requested, from, account), notCreated);
    countCopies(rows.size, context);
    const { store, messages } = context.dependencies;
    const contents = await store.emailContents(
      from.accountId,
      [...rows.values()].map(({ row }) => row.id),
    );
    const originals = [
      ...attemptEach(
        rows,
        (each): Original => {
          const content = contents.get(each.row.id);
          if (!content) throw originalNotFound();
          return { ...each, content };
        },
        notCreated,
      ),
    ];
    const sources = originals.map(([, { content }]) => ({
      origin: `copy/${from.accountId}/${content.id}`,
      content: { copyOf: objectKeys.message(from.accountId, blobKeyOf(content)!) },
    }));
    const storeMessages = async () => {
      const stored = await messages.store(account.accountId, sources);
      return new Map(
        originals.map(([creationId, original], index): readonly [string, EmailToCreate] => [
          creationId,
          { ...stored[index]!, email: newEmailOf(stored[index]!.key, original) },
        ]),
      );
    };
    return prepareNewEmails(storeMessages, notCreated, account, context);
  },
};
