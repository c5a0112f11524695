import { unadvertisedLimits } from '../../../contract/jmap/core.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import { emailSubmission, submissionLimits } from '../../../contract/jmap/email-submission.ts';
import { comparableAddress } from '../../../contract/values/mail-address.ts';
import type { AccountView } from '../../../core/account-index/account-view.ts';
import { exceededSendLimit } from '../../../core/account-log/head-send-counts.ts';
import { RecordRefused } from '../../../core/account-log/records/record-refused.ts';
import { isAboutAddress, sendRefusalText, type SendRefusal } from '../../../core/directory/aliases/may-send.ts';
import type { WrittenTo } from '../../../core/mail/contact-card/recent-contacts.ts';
import { parseBlobId } from '../../../core/mail/email/blob-id.ts';
import type { EmailContent, EmailRow } from '../../../core/mail/email/email-content.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import { identitiesOf, type IdentityRecord } from '../../../core/mail/identity-type.ts';
import { BoundaryScanner } from '../../../core/mime/body/boundary-scanner.ts';
import { parseHeaderFields, type HeaderField } from '../../../core/mime/header-fields.ts';
import { asAddresses } from '../../../core/mime/header-forms.ts';
import { parseLimits } from '../../../core/mime/parse-limits.ts';
import { mapConcurrently } from '../../../core/runtime/map-concurrently.ts';
import { prepareSubmission, type PreparedSubmission } from '../../../core/sending/submission/accept-submission.ts';
import { checkSender, decodeEnvelope, deriveEnvelope, messageTooLarge, type Envelope } from '../../../core/sending/wire/envelope.ts';
import { UnsendableMessage } from '../../../core/sending/wire/wire-header.ts';
import { wireMessage } from '../../../core/sending/wire/wire-message.ts';
import { objectKeys } from '../../../core/storage/object-keys.ts';
import { requestWeight } from '../email/header-reader.ts';
import { attemptEach } from '../request/account-commit.ts';
import { SetError } from '../request/jmap-errors.ts';
import { newProperties } from '../request/patch-object.ts';
import type { OpenAccount, RequestContext } from '../request/request-context.ts';

/** An EmailSubmission in `create`, with the records that it names. */
type RequestedSubmission = {
  readonly email: EmailRow;
  readonly identity: IdentityRecord;
  /** Undefined when the envelope is derived from the message. */
  readonly envelope: Envelope | undefined;
};

/** An allowed submission, whose message is already stored in its wire form. */
export type NewSubmissionParts = {
  readonly email: EmailRow;
  readonly identity: IdentityRecord;
  readonly envelope: Envelope;
  /** The recipients that the message names in To, Cc or Bcc. */
  readonly people: readonly WrittenTo[];
  /** Time of creation, in milliseconds since 1970. */
  readonly createdAt: number;
  readonly sendAt: number;
  readonly prepared: PreparedSubmission;
};

/** Decodes a submission. @throws RecordRefused invalidProperties, and the errors of {@link decodeEnvelope}. */
const decodeSubmission = (given: JsonObject, view: AccountView, now: number, { createdIds }: RequestContext): RequestedSubmission => {
  const properties = newProperties(emailSubmission, given, (creationId) => createdIds.get(creationId));
  const identity = identitiesOf(view).get(properties.identityId);
  const email = emailsOf(view).get(properties.emailId);
  if (!identity || !email) {
    const missing = [...(identity ? [] : ['identityId']), ...(email ? [] : ['emailId'])];
    throw new SetError('invalidProperties', 'The account has no Email or no Identity with this id.', missing);
  }
  if (properties.undoStatus !== undefined && properties.undoStatus !== 'pending') {
    throw new SetError('invalidProperties', 'The "undoStatus" of a new EmailSubmission is "pending".', ['undoStatus']);
  }
  const { envelope } = properties;
  return { email, identity, envelope: envelope === null ? undefined : decodeEnvelope(envelope, identity.email, now) };
};

/**
 * Checks whether the account may send from the address.
 * @throws SetError forbiddenFrom when it may send from another address, else forbiddenToSend.
 */
const checkRight = (refusal: SendRefusal | undefined): void => {
  if (!refusal) return;
  throw new SetError(isAboutAddress(refusal) ? 'forbiddenFrom' : 'forbiddenToSend', sendRefusalText[refusal]);
};

/** @throws SetError rateLimit when the account has sent to too many recipients in this minute or on this day. */
export const checkSendLimits = (
  { sending: { sends, sendLimits } }: AccountView,
  recipients: number,
  now: number,
  { dependencies }: RequestContext,
  before = 0,
): void => {
  const exceeded = exceededSendLimit(sends, before + recipients, { ...dependencies.sending.sendLimits, ...sendLimits }, now);
  if (!exceeded) return;
  const period = exceeded.limit === 'perDay' ? 'a day' : 'a minute';
  throw new SetError(
    'rateLimit',
    `This account may send to ${exceeded.recipients} recipients ${period}. Send again after ${new Date(exceeded.endsAt).toISOString()}.`,
  );
};

/** Maximum messages that are read, changed and stored at the same time. */
const messagesAtOnce = 2;

/**
 * Counts a message.
 * @throws RecordRefused rateLimit when the request's messages are too many or too large.
 */
const weigh = ({ size }: EmailRow, { budget }: RequestContext): void => {
  const fits = budget.spend('maxRawMessagesInRequest', 1) && budget.spend('maxRawOctetsInRequest', size + requestWeight);
  const { maxRawMessagesInRequest, maxRawOctetsInRequest } = unadvertisedLimits;
  if (fits) return;
  throw new SetError(
    'rateLimit',
    `A request may send ${maxRawMessagesInRequest} messages and ${maxRawOctetsInRequest} octets. Send the others by another request.`,
  );
};

/**
 * Reads the message.
 * @param blobId undefined when the Email no longer exists.
 * @throws SetError invalidProperties
 */
const readMessage = async (blobId: string | undefined, accountId: string, { dependencies }: RequestContext): Promise<Buffer> => {
  const blob = blobId === undefined ? undefined : parseBlobId(blobId);
  const object = blob?.kind === 'message' ? await dependencies.objects.get(objectKeys.message(accountId, blob.key)) : undefined;
  if (!object) throw new SetError('invalidProperties', 'The Email was destroyed meanwhile.', ['emailId']);
  return object.bytes;
};

const headerOf = (message: Buffer): readonly HeaderField[] =>
  parseHeaderFields(message.subarray(0, Math.min(new BoundaryScanner(message).headerEnd(0).end, parseLimits.headerBlock)));

/** The recipients of the envelope that the message names, with their names. */
const peopleIn = (fields: readonly HeaderField[], { recipients }: Envelope): readonly WrittenTo[] => {
  const lists = fields.filter(({ name }) => ['to', 'cc', 'bcc'].includes(name.toLowerCase()));
  const names = new Map(lists.flatMap(asAddresses).map(({ email, name }) => [comparableAddress(email), name]));
  return recipients.flatMap((address) => {
    const name = names.get(comparableAddress(address));
    return name === undefined ? [] : [{ address, name }];
  });
};

/** Converts the message to its wire form. @throws RecordRefused invalidEmail, tooLarge */
const toWireMessage = (message: Buffer, id: string, now: number, mailDomain: string): Buffer => {
  try {
    const wire = wireMessage(message, { messageId: `${id}@${mailDomain}`, date: new Date(now) });
    if (wire.length > submissionLimits.maxSizeMessage) throw messageTooLarge();
    return wire;
  } catch (error) {
    if (error instanceof UnsendableMessage) throw new RecordRefused('invalidEmail', error.message, error.properties);
    throw error;
  }
};

/** Checks the message of a submission, and stores it in the form in which it is sent. @throws RecordRefused */
const prepareOne = async (
  { email, identity, envelope: given }: RequestedSubmission,
  blobId: string | undefined,
  id: string,
  now: number,
  account: OpenAccount,
  context: RequestContext,
): Promise<NewSubmissionParts> => {
  const { dependencies, caller } = context;
  const message = await readMessage(blobId, account.accountId, context);
  const fields = headerOf(message);
  checkSender(fields, identity.email);
  const envelope = given ?? deriveEnvelope(fields, identity.email);
  checkSendLimits(account.view, envelope.recipients.length, now, context);
  const sendAt = Math.max(now, envelope.holdUntil ?? now);
  const prepared = await prepareSubmission(
    {
      submission_id: id,
      account_id: account.accountId,
      user_id: caller.principalId,
      identity_id: identity.id,
      message_class: 'TRANSACTIONAL',
      mail_from: envelope.mailFrom,
      ...(envelope.parameters && { mail_parameters: envelope.parameters }),
      send_at: new Date(sendAt).toISOString(),
      created_at: new Date(now).toISOString(),
      ignores_suppression: false,
      has_record: true,
      thread_id: email.threadId,
      recipients: envelope.recipients,
      message: toWireMessage(message, id, now, dependencies.mailDomain),
    },
    { ...dependencies.sending, clock: dependencies.clock },
  );
  return { email, identity, envelope, people: peopleIn(fields, envelope), createdAt: now, sendAt, prepared };
};

/**
 * Prepares submissions, by creation id. After any failure that is not a refusal, the messages of all submissions are
 * removed.
 * @returns the prepared submissions, and the errors of refused ones.
 */
const prepareEach = async (
  requested: ReadonlyMap<string, RequestedSubmission>,
  prepare: (creationId: string, each: RequestedSubmission) => Promise<NewSubmissionParts>,
): Promise<readonly (readonly [string, NewSubmissionParts | RecordRefused])[]> => {
  const stored: PreparedSubmission[] = [];
  const attempt = async (creationId: string, each: RequestedSubmission): Promise<NewSubmissionParts | RecordRefused> => {
    try {
      const parts = await prepare(creationId, each);
      stored.push(parts.prepared);
      return parts;
    } catch (error) {
      if (error instanceof RecordRefused) return error;
      throw error;
    }
  };
  try {
    return await mapConcurrently([...requested], async ([creationId, each]) => [creationId, await attempt(creationId, each)] as const, {
      atOnce: messagesAtOnce,
    });
  } catch (error) {
    await mapConcurrently(stored, (each) => each.discard());
    throw error;
  }
};

/** New submissions by creation id, and the errors of the failed ones. */
export type PreparedSubmissions = { readonly prepared: ReadonlyMap<string, NewSubmissionParts>; readonly failed: ReadonlyMap<string, SetError> };

/** Checks the new submissions of an EmailSubmission/set and stores their messages. @param newIds by creation id. */
export const prepareSubmissions = async (
  create: { readonly [creationId: string]: JsonObject },
  newIds: ReadonlyMap<string, string>,
  account: OpenAccount,
  context: RequestContext,
): Promise<PreparedSubmissions> => {
  const { dependencies, caller } = context;
  const now = dependencies.clock().getTime();
  const failed = new Map<string, SetError>();
  const requested = attemptEach(Object.entries(create), (given) => decodeSubmission(given, account.view, now, context), failed);
  const senders = [...requested.values()].map(({ identity }) => ({ accountId: account.accountId, principalId: caller.principalId, email: identity.email }));
  const refusals = senders.length > 0 ? await dependencies.sending.rights.refusals(senders) : [];
  const judged = attemptEach(
    [...requested].map(([creationId, each], index) => [creationId, { each, refusal: refusals[index] }] as const),
    ({ each, refusal }) => {
      checkRight(refusal);
      if (each.email.size > submissionLimits.maxSizeMessage) throw messageTooLarge();
      weigh(each.email, context);
      return each;
    },
    failed,
  );
  const emailIds = [...new Set([...judged.values()].map(({ email }) => email.id))];
  const records = emailIds.length > 0 ? await dependencies.store.emailContents(account.accountId, emailIds) : new Map<string, EmailContent>();
  const outcomes = await prepareEach(judged, (creationId, each) =>
    prepareOne(each, records.get(each.email.id)?.blobId, newIds.get(creationId)!, now, account, context),
  );
  const prepared = attemptEach(
    outcomes,
    (attempted) => {
      if (attempted instanceof RecordRefused) throw attempted;
      return attempted;
    },
    failed,
  );
  return { prepared, failed };
};
