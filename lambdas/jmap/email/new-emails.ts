import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import type { QuotaAmounts } from '../../../contract/jmap/quota.ts';
import type { AccountView } from '../../../core/account-index/account-view.ts';
import type { StoredMessage } from '../../../core/blobs/message-store.ts';
import { emailIdOf } from '../../../core/mail/email/blob-id.ts';
import type { NewEmail } from '../../../core/mail/email/email-store.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import { revalidateQuota, QuotaRoom } from '../../../core/mail/quota/account-quota.ts';
import { StoreConflict } from '../../../core/runtime/domain-errors.ts';
import type { CreationChangeSet, PreparedCreations } from '../request/create-records.ts';
import { SetError } from '../request/jmap-errors.ts';
import type { OpenAccount, RequestContext } from '../request/request-context.ts';
import { checkRow } from './check-row.ts';

/** A new Email, whose message is stored. */
export type EmailToCreate = StoredMessage & { readonly email: NewEmail };

/** The error for an Email that already exists (RFC 8620 §5.4, RFC 8621 §4.8). */
const alreadyExists = (existingId: string): SetError => new SetError('alreadyExists', 'The account has this Email already.', undefined, { existingId });

/** Stores the messages of new Emails. @returns the Emails by creation id. */
type StoreMessages = () => Promise<ReadonlyMap<string, EmailToCreate>>;

type ChangeSetDependencies = {
  readonly emails: ReadonlyMap<string, EmailToCreate>;
  readonly quotaDefaults: QuotaAmounts;
  /** Stores the messages again, for the next change set. */
  readonly storeAgain: () => Promise<void>;
};

const newEmailsChangeSet = (view: AccountView, { emails, quotaDefaults, storeAgain }: ChangeSetDependencies): CreationChangeSet => {
  const created = new Map<string, NewEmail>();
  const room = new QuotaRoom(view, quotaDefaults);
  return {
    create(creationId) {
      const { key, isKnown, email: newEmail } = emails.get(creationId)!;
      const id = emailIdOf(key);
      if (emailsOf(view).has(id) || created.has(id)) throw alreadyExists(id);
      // The Email was destroyed after its message was found. The client may call again, and the message then gets
      // another key.
      if (isKnown) throw new StoreConflict();
      checkRow(view, newEmail);
      room.take(newEmail.size);
      created.set(id, newEmail);
      return id;
    },
    commit: () =>
      created.size === 0
        ? undefined
        : { records: { Email: { create: [...created.values()] } }, readAgain: storeAgain, revalidateRemaining: revalidateQuota(quotaDefaults) },
  };
};

/** The properties of a new Email that the server sets, for a response. */
const serverSetProperties = ({ view }: OpenAccount, { content: { id, blobId }, size }: NewEmail): JsonObject => ({
  id,
  blobId,
  threadId: emailsOf(view).get(id)?.threadId ?? null,
  size,
});

/**
 * Stores the messages of new Emails, and prepares their creation. If another commit takes the ids of these Emails in
 * the meantime, the messages are stored again under other keys.
 * @param notCreated creations that failed before.
 */
export const prepareNewEmails = async (
  storeMessages: StoreMessages,
  notCreated: ReadonlyMap<string, SetError>,
  account: OpenAccount,
  context: RequestContext,
): Promise<PreparedCreations> => {
  let emails = await storeMessages();
  const storeAgain = async () => {
    emails = await storeMessages();
  };
  const { quotaDefaults } = context.dependencies;
  const isMissing = ({ key, isKnown }: EmailToCreate) => isKnown && !emailsOf(account.view).has(emailIdOf(key));
  // Another request created the Email after this one opened the account.
  if ([...emails.values()].some(isMissing)) account.view = (await context.dependencies.store.open(account.accountId)) ?? account.view;
  return {
    creationIds: [...emails.keys()],
    beginChangeSet: (view) => newEmailsChangeSet(view, { emails, quotaDefaults, storeAgain }),
    notCreated,
    toResponse: (_id, creationId) => serverSetProperties(account, emails.get(creationId)!.email),
  };
};
