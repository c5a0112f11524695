import { coreLimits } from '../../../contract/jmap/core.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import { email, emailImport, type emailImportMethod } from '../../../contract/jmap/email.ts';
import type { ArgumentsOf } from '../../../contract/jmap/record.ts';
import { contentOrigin, emailToStore } from '../../../core/blobs/message-store.ts';
import { newestReceivedTime } from '../../../core/mime/message-header.ts';
import { attemptEach, checkState } from '../request/account-commit.ts';
import { createRecords } from '../request/create-records.ts';
import { MethodError, SetError } from '../request/jmap-errors.ts';
import { newProperties } from '../request/patch-object.ts';
import type { OpenAccount, RequestContext } from '../request/request-context.ts';
import { checkRow } from './check-row.ts';
import { prepareNewEmails, type EmailToCreate } from './new-emails.ts';
import { readMessages, type ReadMessage } from './read-messages.ts';

type Args = ArgumentsOf<typeof emailImportMethod.arguments>;

/** A decoded EmailImport object (RFC 8621 §4.8). */
type EmailImport = {
  readonly blobId: string;
  readonly mailboxIds: readonly string[];
  readonly keywords: readonly string[];
  readonly receivedAt: string | null;
};

/** Decodes an EmailImport object. @throws SetError invalidProperties, tooManyMailboxes, tooManyKeywords. */
const decodeImport = (given: JsonObject, { view }: OpenAccount, { createdIds }: RequestContext): EmailImport => {
  const { blobId, mailboxIds, keywords, receivedAt } = newProperties(emailImport, given, (creationId) => createdIds.get(creationId));
  const decoded: EmailImport = { blobId, mailboxIds: Object.keys(mailboxIds), keywords: Object.keys(keywords), receivedAt };
  checkRow(view, decoded);
  return decoded;
};

/** An import whose blob is a message. */
type MessageImport = EmailImport & { readonly octets: Buffer; readonly parsed: NonNullable<ReadMessage['parsed']> };

/**
 * The message of an import. @throws SetError invalidProperties for a blob that does not exist, invalidEmail for a blob
 * that is not a message.
 */
const messageOf = (wanted: EmailImport, message: ReadMessage | undefined): MessageImport => {
  if (!message) throw new SetError('invalidProperties', 'The account has no blob with this "blobId".', ['blobId']);
  const { octets, parsed } = message;
  if (!parsed) throw new SetError('invalidEmail', 'The blob is not a message: its header has no field of RFC 5322.');
  return { ...wanted, octets, parsed };
};

/** Stores the messages. Their keys are derived from their octets, so that a repeated import adds no second Email. */
const storeMessages = async (
  imports: ReadonlyMap<string, MessageImport>,
  accountId: string,
  { dependencies: { messages, clock } }: RequestContext,
): Promise<ReadonlyMap<string, EmailToCreate>> => {
  const entries = [...imports];
  const stored = await messages.store(
    accountId,
    entries.map(([, { octets }]) => ({ origin: contentOrigin(octets), content: octets })),
  );
  const now = clock().getTime();
  return new Map(
    entries.map(([creationId, { mailboxIds, keywords, receivedAt, octets, parsed }], index) => {
      const { key, isKnown } = stored[index]!;
      const received = receivedAt === null ? (newestReceivedTime(octets, parsed.email.bodyStructure) ?? now) : Date.parse(receivedAt);
      return [creationId, { key, isKnown, email: { ...emailToStore(key, parsed, octets.length), mailboxIds, keywords, receivedAt: received } }];
    }),
  );
};

/** Email/import (RFC 8621 §4.8), in one commit if it fits. An existing Email is `alreadyExists`. */
export const importEmails = async (args: Args, account: OpenAccount, context: RequestContext): Promise<JsonObject> => {
  if (Object.keys(args.emails).length > coreLimits.maxObjectsInSet) {
    throw new MethodError('requestTooLarge', `A call may import at most ${coreLimits.maxObjectsInSet} Emails (maxObjectsInSet).`);
  }
  checkState('ifInState', args.ifInState, account.view.state(email.name));
  const notCreated = new Map<string, SetError>();
  const wanted = attemptEach(Object.entries(args.emails), (given) => decodeImport(given, account, context), notCreated);
  const messages = await readMessages(
    account.accountId,
    [...wanted.values()].map(({ blobId }) => blobId),
    context,
  );
  const imports = attemptEach(wanted, (each) => messageOf(each, messages.get(each.blobId)), notCreated);
  const prepared = await prepareNewEmails(() => storeMessages(imports, account.accountId, context), notCreated, account, context);
  const response = await createRecords(email, prepared, args.ifInState, account, context);
  // himalaya reads both as maps, as Cyrus returns them; RFC 8621 §4.8 allows null too.
  return { ...response, created: response.created ?? {}, notCreated: response.notCreated ?? {} };
};
