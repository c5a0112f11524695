import { capability } from '../../contract/jmap/core.ts';
import type { ForwardingRights, MailAccount } from '../context/mail-context.ts';
import { maxObjectsInSet, type Requests } from '../jmap/requests.ts';
import type { Session } from '../jmap/types.ts';
import { createLabelStore } from '../labels/label-store.ts';
import { createMailStore } from '../store/mail-store.ts';
import type { Snapshot } from '../store/snapshot.ts';

export type AccountDependencies = {
  readonly session: Session;
  readonly requests: Requests;
  readonly wait: (milliseconds: number) => Promise<void>;
  /** What an earlier visit showed of the first account. */
  readonly before: Snapshot | undefined;
};

const maxDelayedSendOf = (accountCapabilities: Readonly<Record<string, unknown>>): number => {
  const limits = accountCapabilities[capability.submission];
  const found = typeof limits === 'object' && limits !== null ? Number(Reflect.get(limits, 'maxDelayedSend')) : 0;
  return found > 0 ? found : 0;
};

const forwardingRightsOf = (accountCapabilities: Readonly<Record<string, unknown>>): ForwardingRights | undefined => {
  const rights = accountCapabilities[capability.forwarding];
  if (typeof rights !== 'object' || rights === null) return undefined;
  const is = (name: keyof ForwardingRights): boolean => Reflect.get(rights, name) === true;
  return { maxAddresses: Number(Reflect.get(rights, 'maxAddresses')), mayForwardOutside: is('mayForwardOutside'), mayChange: is('mayChange') };
};

/** Makes the accounts of a session that have mail: the primary one first, then others of the person, then shared ones. */
export const createAccounts = ({ session, requests, wait, before }: AccountDependencies): readonly MailAccount[] => {
  const primary = session.primaryAccounts[capability.mail];
  return Object.entries(session.accounts)
    .filter(([id, { accountCapabilities }]) => id === primary || (accountCapabilities && capability.mail in accountCapabilities))
    .toSorted(
      ([id, one], [otherId, other]) =>
        Number(otherId === primary) - Number(id === primary) || Number(other.isPersonal) - Number(one.isPersonal) || one.name.localeCompare(other.name),
    )
    .map(([id, { name, isReadOnly, accountCapabilities = {} }]) => {
      const isFirst = id === primary;
      const store = createMailStore({ accountId: id, requests, wait, maxObjectsInSet: maxObjectsInSet(session), before: isFirst ? before : undefined });
      const labels = createLabelStore({ call: (method, args) => requests.call(method, { accountId: id, ...args }), store });
      // Labels come as soon as it is known where they are.
      const stop = store.subscribe(() => {
        if (store.mailboxes().length === 0) return;
        stop();
        labels.load().catch(() => undefined);
      });
      const maySend = !isReadOnly && capability.submission in accountCapabilities;
      const maxDelayedSend = maySend ? maxDelayedSendOf(accountCapabilities) : 0;
      const hasVacationResponse = capability.vacationResponse in accountCapabilities;
      const forwardingRights = forwardingRightsOf(accountCapabilities);
      const pathId = isFirst ? undefined : id;
      return { id, name, isReadOnly, maySend, maxDelayedSend, hasVacationResponse, forwardingRights, isFirst, pathId, store, labels };
    });
};
