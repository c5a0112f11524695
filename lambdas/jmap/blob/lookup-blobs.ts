import { lookupTypes, type blobLookup, type LookupType } from '../../../contract/jmap/blob.ts';
import { coreLimits } from '../../../contract/jmap/core.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import type { ArgumentsOf } from '../../../contract/jmap/record.ts';
import type { EmailRow } from '../../../core/mail/email/email-record.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import { sideBySide } from '../../../core/runtime/side-by-side.ts';
import { MethodError } from '../protocol/errors.ts';
import type { OpenAccount, RequestContext } from '../request-context.ts';
import { resolveBlobId, spendBlobs } from './blob-budget.ts';

type Args = ArgumentsOf<typeof blobLookup.arguments>;

/** The ids of a type by which an Email's blobs can be discovered (RFC 9404 §4.3). */
const idsOf: { readonly [T in LookupType]: (email: EmailRow) => readonly string[] } = {
  Email: ({ id }) => [id],
  Thread: ({ threadId }) => [threadId],
  Mailbox: ({ mailboxIds }) => mailboxIds,
};

/** @throws MethodError unknownDataType for a type that does not exist, or whose capability the request does not use. */
const lookupTypesOf = ({ typeNames }: Args, { using }: RequestContext): readonly LookupType[] => {
  const isUsable = (name: string): name is LookupType => Object.hasOwn(lookupTypes, name) && using.has(lookupTypes[name as LookupType]);
  const unknown = typeNames.find((name) => !isUsable(name));
  if (unknown === undefined) return [...new Set(typeNames as readonly LookupType[])];
  throw new MethodError('unknownDataType', `No capability in "using" has a type ${JSON.stringify(unknown)} that refers to blobs.`);
};

/** Requests of the table that are under way at a time. */
const atOnce = 16;

/** Blob/lookup (RFC 9404 §4.3). No record refers to an upload: a message that is made of it has a blob of its own. */
export const lookupBlobs = async (args: Args, { accountId, view }: OpenAccount, context: RequestContext): Promise<JsonObject> => {
  const types = lookupTypesOf(args, context);
  if (args.ids.length > coreLimits.maxObjectsInGet) {
    throw new MethodError('requestTooLarge', `A call may look up at most ${coreLimits.maxObjectsInGet} blobs (maxObjectsInGet).`);
  }
  const ids = [...new Set(args.ids.map((given) => resolveBlobId(given, context)))];
  spendBlobs(ids.length, context.budget);
  const { blobs } = context.tools;
  const found = await blobs.find(accountId, ids);
  const emails = emailsOf(view);
  const list = await sideBySide([...found.keys()], async (id) => {
    const rows = (await blobs.emailIds(accountId, id)).flatMap((emailId) => emails.get(emailId) ?? []);
    return { id, matchedIds: Object.fromEntries(types.map((type) => [type, [...new Set(rows.flatMap(idsOf[type]))]])) };
  }, { atOnce });
  return { accountId, list, notFound: ids.filter((id) => !found.has(id)) };
};
