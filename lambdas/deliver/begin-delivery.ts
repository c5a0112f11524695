import { noteUnparsedMessage } from '../../core/mail/delivery/unparsed-messages.ts';
import type { DeliveredEmail } from '../../core/mail/email/email-store.ts';
import { parseMessage, type ParsedMessage } from '../../core/mime/parse-message.ts';
import { mapConcurrently } from '../../core/runtime/map-concurrently.ts';
import type { PostponedMail } from './bounces/postponed-mail.ts';
import { bounceUndeliverable } from './bounces/undeliverable.ts';
import type { BatchDependencies } from './deliver-dependencies.ts';
import { decideForwards } from './forwarding/decide-forwards.ts';
import { decideGroups, maxRecordedParts } from './group-delivery.ts';
import { readWholeHeader, type ReadHeader } from './outside-message.ts';
import { accountIdsOf, findRecipients, isWaiting, mayBounce, planDelivery, type DeliveryPlan, type FoundRecipients } from './plan-delivery.ts';
import { trustOnlySesResults } from './received/authentication-results.ts';
import { accountCopyKey, beginningOf, findAccountCopy, RawMessageMissing, readBeginning, wasDeliveredToAll } from './received/message-reader.ts';
import type { ReceivedMail } from './received/ses-notification.ts';

/** A delivery whose message is stored in the folders of its accounts. Its Emails are ready to be added. */
export type BegunDelivery = {
  readonly plan: DeliveryPlan;
  /** The planned Emails by account id. An account whose copy failed has none. */
  readonly emails: ReadonlyMap<string, DeliveredEmail>;
  /** The failures of copies into the folders of accounts. */
  readonly failures: readonly unknown[];
};

/**
 * Plans the delivery of a message, enqueues its bounce, and stores the message in the folders of its accounts.
 * @returns undefined when no work remains.
 * @throws RawMessageMissing when the object is missing, and at least one account never had the Email.
 */
export const beginDelivery = async (mail: ReceivedMail | PostponedMail, dependencies: BatchDependencies): Promise<BegunDelivery | undefined> => {
  const found = await findRecipients(mail, dependencies);
  // The accounts of these members were removed meanwhile.
  if (isWaiting(mail) && mail.recipients.length === 0 && accountIdsOf(found).length === 0) return undefined;
  try {
    return await beginFrom(mail, found, dependencies);
  } catch (failure) {
    if (!(failure instanceof RawMessageMissing)) throw failure;
    return beginWithoutObject(mail, found, dependencies);
  }
};

/**
 * Begins a delivery whose object no longer exists, because another record of the same notification finished all work
 * and removed it. Steps whose completion is not recorded are repeated, from the copy in an account that has the Email.
 * @throws RawMessageMissing unless each account has the Email or had it.
 */
const beginWithoutObject = async (mail: ReceivedMail, found: FoundRecipients, dependencies: BatchDependencies): Promise<BegunDelivery | undefined> => {
  const accountIds = accountIdsOf(found);
  const objectKey = await findAccountCopy(accountIds, mail, dependencies.objects);
  if (objectKey !== undefined) return beginFrom({ ...mail, objectKey }, found, dependencies);
  const isDelivered = accountIds.length > 0 && found.unknown.size === 0 && (await wasDeliveredToAll(accountIds, mail, dependencies.mailTable));
  if (!isDelivered) throw new RawMessageMissing(mail);
  dependencies.log.info('duplicate', { sesMessageId: mail.messageId });
  return undefined;
};

/** Maximum accounts whose forwardings are read before it is known which groups take the message: one BatchGet. */
const maxEarlyReads = 100;

const beginFrom = async (mail: ReceivedMail, found: FoundRecipients, dependencies: BatchDependencies): Promise<BegunDelivery> => {
  if ((accountIdsOf(found).length === 0 && found.groups.length === 0) || found.areFull) return beginWithoutAccounts(mail, found, dependencies);
  const own = new Set(accountIdsOf({ ...found, groups: [] }));
  const all = accountIdsOf(found);
  const early = all.length <= maxEarlyReads ? new Set(all) : own;
  // They are read at the same time as the message, so that mail that nobody forwards takes no longer.
  const reading = dependencies.findForwardings([...early]);
  const [begun] = await Promise.all([
    dependencies.withMessage(mail, async (stored) => {
      const raw = trustOnlySesResults(stored);
      const read = { parsed: parseMessage(raw), beginning: beginningOf(raw) };
      let header: ReadHeader | undefined;
      const readHeader = (): ReadHeader => (header ??= readWholeHeader(raw));
      const decided = found.groups.length === 0 ? found.decided : await decideGroups(mail, found.groups, own, readHeader(), dependencies);
      const members = decided.members.map(({ accountId }) => accountId);
      const others = members.filter((accountId) => !early.has(accountId));
      const forwardings = new Map([...(await reading), ...(others.length > 0 ? await dependencies.findForwardings(others) : [])]);
      const forwards = await decideForwards(mail, new Set([...own, ...members]), forwardings, read.parsed, readHeader, dependencies);
      const plan = planDelivery(mail, { ...found, groups: [], decided, forwards }, read, dependencies);
      await bounceUnknown(plan, dependencies);
      await enqueueMembers(plan, dependencies);
      await noteUnparsed(read.parsed, plan, dependencies);
      return { plan, ...(await storeInAccounts(plan, raw === stored ? undefined : raw, dependencies)) };
    }),
    reading,
  ]);
  return begun;
};

/** Begins the delivery of a message that no account can receive now. Of its content, at most the beginning is read. */
const beginWithoutAccounts = async (mail: ReceivedMail, found: FoundRecipients, dependencies: BatchDependencies): Promise<BegunDelivery> => {
  const beginning = mayBounce(mail, found, dependencies) ? await readBeginning(mail, dependencies.objects) : undefined;
  const plan = planDelivery(mail, found, beginning && { parsed: parseMessage(beginning.bytes), beginning }, dependencies);
  await bounceUnknown(plan, dependencies);
  return { plan, emails: plan.emails, failures: [] };
};

/** Enqueues the bounce before all else, so that a delivery that keeps failing does not prevent it. */
const bounceUnknown = async ({ mail, isForNobody, unknown, undeliverable, refusals }: DeliveryPlan, dependencies: BatchDependencies): Promise<void> => {
  if (undeliverable && (unknown.size > 0 || isForNobody)) await bounceUndeliverable(mail, [...unknown.keys()], undeliverable, dependencies);
  for (const [recipients, refusal] of refusals) await bounceUndeliverable(mail, recipients, refusal, dependencies);
};

/** Enqueues the deliveries to many members, so that each record is small, and a failure of one keeps few others waiting. */
const enqueueMembers = async ({ mail: { record: _record, ...mail }, later }: DeliveryPlan, { queue }: BatchDependencies): Promise<void> => {
  await mapConcurrently(
    later,
    (members, index) =>
      queue.send({
        kind: 'postponed',
        postponed: { ...mail, recipients: [], copyAccountIds: [], members, isPart: true, isUnrecorded: index >= maxRecordedParts } satisfies PostponedMail,
      }),
    { atOnce: 10 },
  );
};

/** Notes a message on which the parser failed. It is delivered with what could be read. */
const noteUnparsed = async ({ failure }: ParsedMessage, { emails }: DeliveryPlan, dependencies: BatchDependencies): Promise<void> => {
  if (!failure) return;
  await Promise.all(
    [...emails].map(
      ([
        accountId,
        {
          content: { blobId },
        },
      ]) => noteUnparsedMessage({ accountId, blobId, failure }, dependencies),
    ),
  );
};

/**
 * Stores the raw message in the accounts' folders before the commits, so that every listed Email can be read.
 * @param changed the message if it differs from SES's object, because the sender wrote header fields of SES.
 * @throws RawMessageMissing when the object was removed in the meantime.
 */
const storeInAccounts = async (
  { mail, emails }: DeliveryPlan,
  changed: Buffer | undefined,
  { objects }: BatchDependencies,
): Promise<Pick<BegunDelivery, 'emails' | 'failures'>> => {
  const planned = [...emails];
  const stored = await Promise.allSettled(
    planned.map(async ([accountId]) => {
      const to = accountCopyKey(accountId, mail);
      if (changed) return objects.put(to, changed, 'message/rfc822');
      const isStored = mail.objectKey === to || (await objects.copy(mail.objectKey, to));
      if (!isStored) throw new RawMessageMissing(mail);
    }),
  );
  const failures = stored.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
  const missing = failures.find((failure) => failure instanceof RawMessageMissing);
  if (missing) throw missing;
  return { failures, emails: new Map(planned.filter((_, index) => stored[index]!.status === 'fulfilled')) };
};
