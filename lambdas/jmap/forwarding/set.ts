import { isDeepStrictEqual } from 'node:util';
import { maxForwardAddresses } from '../../../contract/deployment/sending.ts';
import { forwarding, forwardingId } from '../../../contract/jmap/forwarding.ts';
import type { VerbArguments } from '../../../contract/jmap/record.ts';
import { domainOf, isNobodysDomain, parseEmailAddress } from '../../../contract/values/mail-address.ts';
import { keysOf } from '../../../contract/values/typed-entries.ts';
import {
  ForwardingChanged,
  forwardingState,
  type ForwardingChange,
  type ForwardTarget,
  type StoredForwarding,
} from '../../../core/directory/forwarding/forwardings.ts';
import { requestLinks } from '../../../core/directory/forwarding/link-request.ts';
import { FailedPrecondition, NotFound } from '../../../core/runtime/domain-errors.ts';
import { conflict, retryOnConflict } from '../../../core/storage/retry-on-conflict.ts';
import { checkState } from '../request/account-commit.ts';
import type { BehaviourOf, PrincipalChangeSet } from '../request/behaviour.ts';
import { MethodError, SetError } from '../request/jmap-errors.ts';
import type { RequestContext } from '../request/request-context.ts';
import { setOfPrincipal } from '../request/standard-set.ts';
import { forwardingRecord, type ForwardingRecord } from './get.ts';

type Args = VerbArguments<'set'>;

const invalidAddresses = (description: string): SetError => new SetError('invalidProperties', description, ['addresses']);

/** The addresses in the form in which they are stored. @throws SetError invalidProperties */
const parsedAddresses = (given: readonly string[]): readonly string[] => {
  if (given.length > maxForwardAddresses) throw invalidAddresses(`An account forwards its mail to at most ${maxForwardAddresses} addresses.`);
  return given.map((text) => {
    const email = parseEmailAddress(text);
    if (email !== undefined && !isNobodysDomain(domainOf(email))) return email;
    throw invalidAddresses(`${JSON.stringify(text.slice(0, 100))} is not an email address to which mail can be forwarded, such as alice@example.com.`);
  });
};

const targetsOf = (stored: StoredForwarding | undefined): readonly ForwardTarget[] =>
  (stored?.addresses ?? []).map(({ email, account_id: accountId }) => ({ email, ...(accountId !== undefined && { account_id: accountId }) }));

/** Whether nothing would change. Without addresses nothing is stored. */
const isStored = (stored: StoredForwarding | undefined, { addresses, keep_copy: keepsCopy }: ForwardingChange): boolean =>
  isDeepStrictEqual(targetsOf(stored), addresses) && (stored === undefined || stored.keep_copy === keepsCopy);

/** The properties whose values differ from those that the client expects. */
const unexpected = (expected: ForwardingRecord, stored: ForwardingRecord) =>
  Object.fromEntries(keysOf(stored).flatMap((name) => (isDeepStrictEqual(stored[name], expected[name]) ? [] : [[name, stored[name]]])));

/** The change set of a /set. A singleton is neither created nor destroyed. */
const changeSetOf = (accountId: string, before: StoredForwarding | undefined, { caller, dependencies }: RequestContext) => {
  const { forwardings, findTargets, queue } = dependencies.forwarding;
  const isAdmin = caller.memberships.some((membership) => membership.accountId === accountId && membership.role === 'ADMIN');
  let planned: ForwardingRecord | undefined;
  /** The addresses, if the call sets them. Others were checked when they were stored. */
  let emails: readonly string[] | undefined;
  let after = before;

  const store = async ({ keepsCopy }: ForwardingRecord): Promise<void> => {
    const now = dependencies.clock();
    const change: ForwardingChange = { addresses: emails ? await findTargets(accountId, emails) : targetsOf(before), keep_copy: keepsCopy };
    if (!isStored(before, change)) after = await forwardings.put(accountId, change, now, undefined, forwardingState(before));
    // Also when nothing has changed, because the request of an earlier call may have been lost.
    await requestLinks(after, now, queue);
  };

  const changeSet: PrincipalChangeSet<typeof forwarding> = {
    current: (id) => (id === forwardingId ? (planned ?? forwardingRecord(before)) : undefined),
    create() {},
    update(_id, changed) {
      if (!isAdmin) throw new SetError('forbidden', 'Only a member with the role ADMIN changes the forwarding of the account.');
      if (changed.addresses) emails = parsedAddresses(changed.addresses);
      planned = { ...(planned ?? forwardingRecord(before)), ...changed };
    },
    destroy() {},
    async write() {
      if (!planned) return new Map();
      try {
        await store(planned);
        return new Map();
      } catch (error) {
        if (error instanceof FailedPrecondition) return new Map([[forwardingId, invalidAddresses(error.message)]]);
        throw error;
      }
    },
    written: () => new Map(planned ? [[forwardingId, unexpected(planned, forwardingRecord(after))]] : []),
  };
  return { changeSet, state: () => forwardingState(after) };
};

const setOnce = async ({ accountId, ifInState, ...changes }: Args, context: RequestContext) => {
  const before = await context.dependencies.forwarding.forwardings.find(accountId);
  const oldState = forwardingState(before);
  checkState('ifInState', ifInState, oldState);
  const { changeSet, state } = changeSetOf(accountId, before, context);
  const outcome = await setOfPrincipal(forwarding, { beginChangeSet: () => Promise.resolve(changeSet) })(changes, context);
  return { accountId, oldState, newState: state(), ...outcome };
};

/** Forwarding/set (docs/specification.md#forwarding), which plans again on what another writer has stored. */
export const setForwarding: BehaviourOf<typeof forwarding>['Forwarding/set'] = (args, _account, context) =>
  retryOnConflict(async () => {
    try {
      return await setOnce(args, context);
    } catch (error) {
      if (error instanceof ForwardingChanged) return conflict;
      if (error instanceof NotFound) throw new MethodError('accountNotFound', 'The account does not exist any more.');
      throw error;
    }
  });
