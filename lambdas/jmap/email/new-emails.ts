import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import type { QuotaAmounts } from '../../../contract/jmap/quota.ts';
import { emailIdOf } from '../../../core/mail/blob-id.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import type { StoredMessage } from '../../../core/mail/email/message-store.ts';
import type { NewEmail } from '../../../core/mail/email/new-email.ts';
import { judgeByQuota, QuotaRoom } from '../../../core/mail/quota/account-quota.ts';
import type { AccountView } from '../../../core/mail/mail-store.ts';
import { StoreConflict } from '../../../core/runtime/domain-errors.ts';
import { SetError } from '../protocol/errors.ts';
import type { OpenAccount, RequestContext } from '../request-context.ts';
import type { CreationDraft, PreparedCreations } from '../verbs/create-records.ts';
import { checkRow } from './email-draft.ts';

/** An Email to create, whose message is stored. */
export type EmailToCreate = StoredMessage & { readonly email: NewEmail };

/** @throws SetError alreadyExists (RFC 8620 §5.4, RFC 8621 §4.8). */
const alreadyExists = (existingId: string): SetError =>
  new SetError('alreadyExists', 'The account has this Email already.', undefined, { existingId });

const newEmailsDraft = (view: AccountView, emails: ReadonlyMap<string, EmailToCreate>, quotaDefaults: QuotaAmounts): CreationDraft => {
  const created = new Map<string, NewEmail>();
  const room = new QuotaRoom(view, quotaDefaults);
  return {
    create(creationId) {
      const { key, isKnown, email: newEmail } = emails.get(creationId)!;
      const id = emailIdOf(key);
      if (emailsOf(view).has(id) || created.has(id)) throw alreadyExists(id);
      // The Email was destroyed after its message was found. The client may call again: the message gets another key.
      if (isKnown) throw new StoreConflict();
      checkRow(view, newEmail);
      room.take(newEmail.size);
      created.set(id, newEmail);
      return id;
    },
    commit: () => (created.size === 0
      ? undefined
      : { records: { Email: { create: [...created.values()] } }, judgeRemaining: judgeByQuota(quotaDefaults) }),
  };
};

/** The properties of a new Email that the server sets, for a response. */
const serverSetProperties = ({ view }: OpenAccount, { record, size }: NewEmail): JsonObject =>
  ({ id: record.id, blobId: record.blobId, threadId: emailsOf(view).get(record.id)?.threadId ?? null, size });

/**
 * Prepares the creation of Emails whose messages are stored.
 * @param emails by creation id.
 * @param notCreated creations that failed before.
 */
export const prepareNewEmails = async (
  emails: ReadonlyMap<string, EmailToCreate>, notCreated: ReadonlyMap<string, SetError>, account: OpenAccount, context: RequestContext,
): Promise<PreparedCreations> => {
  const isMissing = ({ key, isKnown }: EmailToCreate) => isKnown && !emailsOf(account.view).has(emailIdOf(key));
  // Another request created the Email after this one opened the account.
  if ([...emails.values()].some(isMissing)) account.view = await context.tools.store.open(account.accountId) ?? account.view;
  return {
    creationIds: [...emails.keys()],
    beginDraft: (view) => newEmailsDraft(view, emails, context.tools.quotaDefaults),
    notCreated,
    toResponse: (_id, creationId) => serverSetProperties(account, emails.get(creationId)!.email),
  };
};
