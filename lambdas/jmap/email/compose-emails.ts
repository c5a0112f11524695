import { randomBytes } from 'node:crypto';
import { emailLimits, mailLimits, unadvertisedLimits } from '../../../contract/jmap/core.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import type { FoundBlob } from '../../../core/blobs/account-blobs.ts';
import { emailToStore } from '../../../core/blobs/message-store.ts';
import type { NewEmail } from '../../../core/mail/email/email-store.ts';
import { composeField, type ComposedField } from '../../../core/mime/compose/compose-header-field.ts';
import { composeMessage, type NewPart } from '../../../core/mime/compose/compose-message.ts';
import { parseMessage } from '../../../core/mime/parse-message.ts';
import { mapConcurrently } from '../../../core/runtime/map-concurrently.ts';
import { attemptEach, setErrorOf } from '../request/account-commit.ts';
import { SetError } from '../request/jmap-errors.ts';
import type { OpenAccount, RequestContext } from '../request/request-context.ts';
import { checkRow } from './check-row.ts';
import { partsOf, type DecodedPart } from './decode-body-parts.ts';
import { decodeEmailCreate, type EmailCreate } from './decode-email-create.ts';
import { requestWeight } from './header-reader.ts';

/** The Emails of `create`, by creation id: Emails whose messages are stored, and the errors of failed ones. */
type ComposedEmails = { readonly emails: ReadonlyMap<string, NewEmail>; readonly failed: ReadonlyMap<string, SetError> };

type Blobs = ReadonlyMap<string, FoundBlob>;

const blobIdsOf = ({ root }: EmailCreate): readonly string[] => partsOf(root).flatMap(({ content }) => ('blobId' in content ? [content.blobId] : []));

const octetsOf = (count: number): string => `${count.toLocaleString('en')} octets`;

/** Checks blob ids. @throws SetError blobNotFound with all blob ids that do not exist (RFC 8621 §4.6). */
const checkBlobs = (blobIds: readonly string[], blobs: ReadonlyMap<string, unknown>): void => {
  const notFound = [...new Set(blobIds)].filter((blobId) => !blobs.has(blobId));
  if (notFound.length > 0) throw new SetError('blobNotFound', 'These blobs do not exist in the account.', undefined, { notFound });
};

/** Minimum octets of the message. @throws SetError tooLarge. */
const minSize = ({ root, fields }: EmailCreate, blobIds: readonly string[], blobs: Blobs): number => {
  const attached = blobIds.reduce((sum, blobId) => sum + blobs.get(blobId)!.size, 0);
  const { maxSizeAttachmentsPerEmail } = mailLimits;
  if (attached > maxSizeAttachmentsPerEmail) {
    throw new SetError('tooLarge', `The attachments of an Email may have at most ${octetsOf(maxSizeAttachmentsPerEmail)} (maxSizeAttachmentsPerEmail).`);
  }
  const parts = partsOf(root);
  const headers = [...fields, ...parts.flatMap((part) => part.fields)].reduce((sum, { text }) => sum + text.length, 0);
  const texts = parts.reduce((sum, { content }) => sum + ('text' in content ? Buffer.byteLength(content.text) : 0), 0);
  return headers + texts + attached;
};

/** Checks the size. @throws SetError tooLarge for a message that SES does not send. */
const checkEmailSize = (size: number): void => {
  if (size <= emailLimits.maxSizeEmail) return;
  throw new SetError('tooLarge', `The message of an Email may have at most ${octetsOf(emailLimits.maxSizeEmail)} (maxSizeEmail).`);
};

/** Maximum blobs of one Email that are read concurrently. */
const readsAtOnce = 8;

/** Reads blobs. @throws SetError blobNotFound for a blob that was removed in the meantime. */
const readBlobs = async (blobIds: readonly string[], found: Blobs, { dependencies }: RequestContext): Promise<ReadonlyMap<string, Buffer>> => {
  const ids = [...new Set(blobIds)];
  const contents = await mapConcurrently(ids, (blobId) => dependencies.blobs.read(found.get(blobId)!), { atOnce: readsAtOnce });
  const read = new Map(contents.flatMap((content, index) => (content ? [[ids[index]!, content] as const] : [])));
  checkBlobs(ids, read);
  return read;
};

const withOctets = (part: DecodedPart, contents: ReadonlyMap<string, Buffer>): NewPart => {
  const { content } = part;
  if ('subParts' in content) return { ...part, content: { subParts: content.subParts.map((subPart) => withOctets(subPart, contents)) } };
  return { ...part, content: 'blobId' in content ? { octets: contents.get(content.blobId)! } : content };
};

const randomText = (): string => randomBytes(18).toString('base64url');

/** Message-ID and Date, if the Email does not have them (RFC 8621 §4.6). */
const defaultFields = ({ fields, root }: EmailCreate, { dependencies: { clock, mailDomain } }: RequestContext): readonly ComposedField[] => {
  const names = new Set([...fields, ...root.fields].map(({ name }) => name.toLowerCase()));
  const defaults = [
    !names.has('message-id') && composeField('Message-ID', { form: 'asMessageIds', value: [`${randomText()}@${mailDomain}`] }),
    !names.has('date') && composeField('Date', { form: 'asDate', value: clock().toISOString() }),
  ];
  return defaults.filter((field) => field !== undefined && field !== false);
};

/** Composes one message. @throws SetError tooLarge, blobNotFound; rateLimit when the request composes too much. */
const composeEmail = async (email: EmailCreate, found: Blobs, context: RequestContext): Promise<Buffer> => {
  const blobIds = blobIdsOf(email);
  checkBlobs(blobIds, found);
  const size = minSize(email, blobIds, found);
  checkEmailSize(size);
  const { maxComposedOctetsInRequest } = unadvertisedLimits;
  if (
    context.budget.remaining('maxComposedOctetsInRequest') < 0 ||
    !context.budget.spend('maxComposedOctetsInRequest', size + blobIds.length * requestWeight)
  ) {
    throw new SetError(
      'rateLimit',
      `A request may compose messages of ${octetsOf(maxComposedOctetsInRequest)} (maxComposedOctetsInRequest). Create this Email in another request.`,
    );
  }
  const contents = await readBlobs(blobIds, found, context);
  const raw = composeMessage({ fields: [...email.fields, ...defaultFields(email, context)], root: withOctets(email.root, contents) }, randomText);
  checkEmailSize(raw.length);
  // The encoded message has more octets than were counted before.
  context.budget.spend('maxComposedOctetsInRequest', raw.length - size);
  return raw;
};

/** Stores the messages. @returns the Emails to create, by creation id. */
const storeMessages = async (
  messages: ReadonlyMap<string, { readonly email: EmailCreate; readonly raw: Buffer }>,
  accountId: string,
  { dependencies }: RequestContext,
): Promise<ReadonlyMap<string, NewEmail>> => {
  const entries = [...messages];
  const stored = await dependencies.messages.store(
    accountId,
    entries.map(([, { raw }]) => ({ content: raw })),
  );
  const now = dependencies.clock().getTime();
  return new Map(
    entries.map(
      (
        [
          creationId,
          {
            email: { mailboxIds, keywords, receivedAt = now },
            raw,
          },
        ],
        index,
      ) => [creationId, { ...emailToStore(stored[index]!.key, parseMessage(raw), raw.length), mailboxIds, keywords, receivedAt }],
    ),
  );
};

/**
 * The Emails that together stay within the limit of blobs. Each blob is counted once.
 * @param failed gets the errors of the other Emails.
 */
const withinBlobLimit = (
  emails: ReadonlyMap<string, EmailCreate>,
  { budget }: RequestContext,
  failed: Map<string, SetError>,
): ReadonlyMap<string, EmailCreate> => {
  const { maxBlobsInRequest } = unadvertisedLimits;
  const counted = new Set<string>();
  return new Map(
    [...emails].filter(([creationId, email]) => {
      const added = [...new Set(blobIdsOf(email))].filter((blobId) => !counted.has(blobId));
      if (added.length > budget.remaining('maxBlobsInRequest')) {
        failed.set(creationId, new SetError('rateLimit', `A request may name ${maxBlobsInRequest} blobs (maxBlobsInRequest).`));
        return false;
      }
      budget.spend('maxBlobsInRequest', added.length);
      for (const blobId of added) counted.add(blobId);
      return true;
    }),
  );
};

/** Composes and stores the messages of new Emails (RFC 8621 §4.6), after all checks. */
export const composeEmails = async (
  create: { readonly [creationId: string]: JsonObject },
  account: OpenAccount,
  context: RequestContext,
): Promise<ComposedEmails> => {
  const failed = new Map<string, SetError>();
  const decoded = withinBlobLimit(
    attemptEach(
      Object.entries(create),
      (given) => {
        const email = decodeEmailCreate(given, (creationId) => context.createdIds.get(creationId));
        checkRow(account.view, email);
        return email;
      },
      failed,
    ),
    context,
    failed,
  );
  const blobIds = [...decoded.values()].flatMap(blobIdsOf);
  const found: Blobs = blobIds.length === 0 ? new Map() : await context.dependencies.blobs.find(account.accountId, blobIds);
  const messages = new Map<string, { readonly email: EmailCreate; readonly raw: Buffer }>();
  for (const [creationId, email] of decoded) {
    try {
      messages.set(creationId, { email, raw: await composeEmail(email, found, context) });
    } catch (failure) {
      failed.set(creationId, setErrorOf(failure));
    }
  }
  return { emails: messages.size === 0 ? new Map() : await storeMessages(messages, account.accountId, context), failed };
};

/** The ids of the new Emails, by creation id. A failed Email gets an id that no Email has. */
export const newEmailIds = ({ emails, failed }: ComposedEmails, newId: () => string): ReadonlyMap<string, string> =>
  new Map([
    ...[...emails].map(
      ([
        creationId,
        {
          content: { id },
        },
      ]) => [creationId, id] as const,
    ),
    ...[...failed.keys()].map((creationId) => [creationId, newId()] as const),
  ]);
