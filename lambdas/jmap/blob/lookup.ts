import { lookupTypes, type blobLookup, type LookupType } from '../../../contract/jmap/blob.ts';
import { coreLimits } from '../../../contract/jmap/core.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import type { ArgumentsOf } from '../../../contract/jmap/record.ts';
import type { FoundBlob } from '../../../core/blobs/account-blobs.ts';
import { contactCardsOf } from '../../../core/mail/contact-card/contact-card-type.ts';
import type { EmailRow } from '../../../core/mail/email/email-content.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import { mapConcurrently } from '../../../core/runtime/map-concurrently.ts';
import { weightGroups } from '../../../core/runtime/weight-groups.ts';
import { MethodError } from '../request/jmap-errors.ts';
import type { OpenAccount, RequestContext } from '../request/request-context.ts';
import { checkReads, resolveBlobId, spendBlobs, weightOf, wholeOf } from './blob-budget.ts';

type Args = ArgumentsOf<typeof blobLookup.arguments>;

/** For each type, the ids in an Email by which the blob can be found (RFC 9404 §4.3). */
const idsOf: { readonly [T in Exclude<LookupType, 'ContactCard'>]: (email: EmailRow) => readonly string[] } = {
  Email: ({ id }) => [id],
  Thread: ({ threadId }) => [threadId],
  Mailbox: ({ mailboxIds }) => mailboxIds,
};

const isLookupType = (name: string): name is LookupType => Object.hasOwn(lookupTypes, name);

/**
 * The requested types. @throws MethodError unknownDataType for a type that does not exist, or whose capability the
 * request does not use.
 */
const lookupTypesOf = ({ typeNames }: Args, { using }: RequestContext): readonly LookupType[] => {
  const isUsable = (name: string): name is LookupType => isLookupType(name) && using.has(lookupTypes[name]);
  if (typeNames.every(isUsable)) return [...new Set(typeNames)];
  const unknown = typeNames.find((name) => !isUsable(name));
  throw new MethodError('unknownDataType', `No capability in "using" has a type ${JSON.stringify(unknown)} that refers to blobs.`);
};

/** The records that refer to a blob. @returns undefined when the blob does not exist. */
const lookupBlob = async (
  blob: FoundBlob,
  types: readonly LookupType[],
  { accountId, view }: OpenAccount,
  { dependencies: { blobs } }: RequestContext,
): Promise<JsonObject | undefined> => {
  if (!(await blobs.exists(blob))) return undefined;
  const emails = emailsOf(view);
  const rows = (await blobs.emailIds(accountId, blob.blobId)).flatMap((emailId) => emails.get(emailId) ?? []);
  const idsOfType = (type: LookupType): readonly string[] => (type === 'ContactCard' ? contactCardsOf(view).idsOfBlob(blob.blobId) : rows.flatMap(idsOf[type]));
  return { id: blob.blobId, matchedIds: Object.fromEntries(types.map((type) => [type, [...new Set(idsOfType(type))]])) };
};

/**
 * Blob/lookup (RFC 9404 §4.3). No record refers to an upload, because a message made from an upload has a separate
 * blob.
 */
export const lookupBlobs = async (args: Args, account: OpenAccount, context: RequestContext): Promise<JsonObject> => {
  const types = lookupTypesOf(args, context);
  if (args.ids.length > coreLimits.maxObjectsInGet) {
    throw new MethodError('requestTooLarge', `A call may look up at most ${coreLimits.maxObjectsInGet} blobs (maxObjectsInGet).`);
  }
  const ids = [...new Set(args.ids.map((given) => resolveBlobId(given, context)))];
  spendBlobs(ids.length, context.budget);
  const { accountId } = account;
  const found = await context.dependencies.blobs.find(accountId, ids);
  const wanted = [...found.values()].map(wholeOf);
  checkReads(
    wanted.filter(({ blob }) => blob.outer),
    context.budget,
  );
  const list: JsonObject[] = [];
  for (const group of weightGroups(wanted, (read) => (read.blob.outer ? weightOf(read) : 0))) {
    list.push(...(await mapConcurrently(group, async ({ blob }) => lookupBlob(blob, types, account, context))).filter((looked) => looked !== undefined));
  }
  const known = new Set(list.map(({ id }) => id));
  return { accountId, list, notFound: ids.filter((id) => !known.has(id)) };
};
