import { comparableAddress } from '../../../contract/values/mail-address.ts';
import { isConfirmed, type StoredForwarding } from '../../../core/directory/forwarding/forwardings.ts';
import type { GroupAccount, GroupReceivers } from '../../../core/directory/groups/group-receivers.ts';
import type { ParsedMessage } from '../../../core/mime/parse-message.ts';
import { errorLogFields } from '../../../core/runtime/error-log-fields.ts';
import { mapConcurrently } from '../../../core/runtime/map-concurrently.ts';
import { isSpamOrVirus } from '../bounces/bounce-policy.ts';
import type { Marks } from '../copy-marks.ts';
import type { ReadHeader } from '../outside-message.ts';
import { noForwards, type DecidedForwards, type InsideForward, type OutsideForward } from '../received/received-record.ts';
import type { ReceivedMail } from '../received/ses-notification.ts';
import { isSignInMail } from '../sign-in-mail.ts';
import { attempt } from '../temporary-failure.ts';
import { forwardOutside, type ForwardDependencies, type ForwardResult, type OutsideObstacle } from './forward-outside.ts';

/* Mail that accounts forward (docs/specification.md#forwarding). */

/** Forwardings by account id. */
export type FoundForwardings = ReadonlyMap<string, StoredForwarding>;

export type DecideDependencies = ForwardDependencies & {
  readonly findForwardings: (accountIds: readonly string[]) => Promise<FoundForwardings>;
  readonly groupReceivers: Pick<GroupReceivers, 'accounts'>;
  readonly signInMailFrom: string;
};

/** The reason why nobody forwards a message. */
type MessageObstacle = 'spam or virus' | 'DMARC failed' | 'unreadable' | 'sign-in mail';

const messageObstacle = (mail: ReceivedMail, { failure }: ParsedMessage, { fields }: ReadHeader, signInMailFrom: string): MessageObstacle | undefined => {
  if (mail.isJunk || isSpamOrVirus(mail.verdicts)) return 'spam or virus';
  if (mail.verdicts.dmarc === 'FAIL') return 'DMARC failed';
  if (failure !== undefined) return 'unreadable';
  return isSignInMail(mail, fields, signInMailFrom) ? 'sign-in mail' : undefined;
};

/** Maximum accounts, one after the other, over which a message is forwarded. Each takes two round trips. */
const maxSteps = 10;

/** An account that forwards the message, with the accounts by which it got it. */
type Step = { readonly account: GroupAccount; readonly forwarding: StoredForwarding; readonly before: readonly Step[] };

/**
 * The mark of what an account has forwarded. It says whether the account has a copy, and with a colon it is the address of no
 * alias and of no group.
 */
const markNames = ({ email }: GroupAccount): { readonly kept: string; readonly sent: string } => ({ kept: `kept:${email}`, sent: `sent:${email}` });

const marksOf = ({ account, forwarding }: Step): string => markNames(account)[forwarding.keep_copy ? 'kept' : 'sent'];

/** Both marks of each of the accounts, by which a message that returns is known. */
const allMarks = (steps: readonly Step[]): string[] => steps.flatMap(({ account }) => Object.values(markNames(account)));

const confirmedOutside = ({ addresses }: StoredForwarding): string[] =>
  addresses.flatMap((address) => (address.account_id === undefined && isConfirmed(address) ? [address.email] : []));

/** The accounts that forward, beginning with those that have the message, and the accounts that get it by them. */
type Chains = { readonly steps: readonly Step[]; readonly inside: readonly InsideForward[] };

/** Finds who forwards and who gets the message by that, one round trip a step. @param isReturned whether an account has a copy that returns. */
const findChains = async (
  sources: readonly GroupAccount[],
  receiving: ReadonlySet<string>,
  found: FoundForwardings,
  isReturned: (account: GroupAccount) => boolean,
  { findForwardings, groupReceivers }: DecideDependencies,
): Promise<Chains> => {
  const visited = new Set(receiving);
  const steps: Step[] = [];
  const inside: InsideForward[] = [];
  const stepsOf = (accounts: readonly GroupAccount[], forwardings: FoundForwardings, before: (account: GroupAccount) => readonly Step[]): Step[] =>
    accounts.flatMap((account) => {
      const forwarding = forwardings.get(account.accountId);
      return forwarding ? [{ account, forwarding, before: before(account) }] : [];
    });
  let level = stepsOf(sources, found, () => []);
  for (let count = 0; level.length > 0; count += 1) {
    steps.push(...level);
    if (count === maxSteps) break;
    const next = new Map<string, { readonly email: string; readonly by: Step }>();
    for (const by of level) {
      for (const { account_id: accountId, email } of by.forwarding.addresses) {
        if (accountId !== undefined && !visited.has(accountId) && !next.has(accountId)) next.set(accountId, { email, by });
      }
    }
    const ids = [...next.keys()];
    for (const accountId of ids) visited.add(accountId);
    // An account that is being removed gets nothing, so that the account before it keeps the message.
    const [accounts, forwardings] = ids.length === 0 ? [[], new Map<string, never>()] : await Promise.all([groupReceivers.accounts(ids), findForwardings(ids)]);
    const reached = accounts.filter((account) => !isReturned(account));
    const byOf = ({ accountId }: GroupAccount): Step => next.get(accountId)!.by;
    inside.push(
      ...reached.map((account) => ({ accountId: account.accountId, email: next.get(account.accountId)!.email, forwardedBy: byOf(account).account.email })),
    );
    level = stepsOf(reached, forwardings, (account) => [...byOf(account).before, byOf(account)]);
  }
  return { steps, inside };
};

/** The entries of a message that nobody forwards. */
const notForwarded = (accounts: readonly GroupAccount[], found: FoundForwardings, dropped: string): OutsideForward[] =>
  accounts.flatMap(({ accountId, email }) =>
    (found.get(accountId)?.addresses ?? []).filter(isConfirmed).map((address) => ({ address: address.email, forwardedBy: email, dropped })),
  );

/**
 * Decides who gets a message by forwarding, and sends it to the addresses outside. Each account gets it once, so that circles
 * end. An account keeps the message unless somebody gets it by that account.
 * @param receiving the accounts that get the message anyway.
 * @param found the forwardings of those accounts.
 */
export const decideForwards = async (
  mail: ReceivedMail,
  receiving: ReadonlySet<string>,
  found: FoundForwardings,
  parsed: ParsedMessage,
  header: () => ReadHeader,
  dependencies: DecideDependencies,
): Promise<DecidedForwards> => {
  if (![...found.keys()].some((accountId) => receiving.has(accountId))) return noForwards;
  const read = header();
  const [sources, marks] = await Promise.all([
    dependencies.groupReceivers.accounts([...found.keys()].filter((accountId) => receiving.has(accountId))),
    dependencies.copyMarks.validMarks(read.fields),
  ]);
  const marked = new Set(marks.map(({ alias }) => alias));
  const isReturned = (account: GroupAccount): boolean => marked.has(markNames(account).kept);
  const returned = new Set(sources.filter(isReturned).map(({ accountId }) => accountId));
  const obstacle = messageObstacle(mail, parsed, read, dependencies.signInMailFrom);
  if (obstacle !== undefined) return { ...noForwards, returned, outside: notForwarded(sources, found, obstacle) };
  const { steps, inside } = await findChains(
    sources.filter((account) => !isReturned(account)),
    receiving,
    found,
    isReturned,
    dependencies,
  );
  const outside = await sendOutside(mail, steps, read, marks, dependencies);
  const reached = new Set([...inside, ...outside.filter(({ dropped }) => dropped === undefined)].map(({ forwardedBy }) => forwardedBy));
  return {
    inside,
    outside,
    withoutCopy: new Set(steps.flatMap(({ account, forwarding }) => (!forwarding.keep_copy && reached.has(account.email) ? [account.accountId] : []))),
    returned,
  };
};

/** Sends the message to the addresses outside, to each once. */
const sendOutside = async (
  mail: ReceivedMail,
  steps: readonly Step[],
  header: ReadHeader,
  marks: Marks,
  dependencies: DecideDependencies,
): Promise<OutsideForward[]> => {
  const taken = new Map<string, Step>();
  for (const step of steps) for (const address of confirmedOutside(step.forwarding)) if (!taken.has(address)) taken.set(address, step);
  const bySteps = steps
    .map((step) => ({ step, addresses: confirmedOutside(step.forwarding).filter((address) => taken.get(address) === step) }))
    .filter(({ addresses }) => addresses.length > 0);
  const sent = await mapConcurrently(bySteps, async ({ step, addresses }) => {
    const { accountId, email } = step.account;
    const path = [...step.before, step];
    const forwarded = { mail, header, marks, accountId, addresses, newMarks: path.map(marksOf), knownMarks: allMarks(path) };
    const result = await attempt<ForwardResult>(
      () => forwardOutside(forwarded, dependencies),
      (failure) => {
        dependencies.log.error('the message could not be forwarded to the outside', { accountId, sesMessageId: mail.messageId, ...errorLogFields(failure) });
        return { sent: [], reason: 'the message cannot be sent on' };
      },
    );
    const reasonOf = (address: string): OutsideObstacle | undefined =>
      result.sent.includes(address) ? undefined : (result.reason ?? 'the address is suppressed');
    return addresses.map((address) => ({ address: comparableAddress(address), forwardedBy: email, dropped: reasonOf(address) }));
  });
  return sent.flat();
};
