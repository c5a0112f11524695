import { useCallback, useEffect, useMemo, useState } from 'react';
import { capability } from '../../contract/jmap/core.ts';
import type { AccountNotes, MailAccount, MailContext } from '../context/mail-context.ts';
import type { Requests } from '../jmap/requests.ts';
import type { Forwarding, GetResponse, Id, Identity, Quota, Session, VacationResponse } from '../jmap/types.ts';

export type AccountFacts = Pick<MailContext, 'isOwn' | 'storage' | 'notes' | 'changeNotes'>;

const noNotes: AccountNotes = {};

/** Reads the addresses, the storage and the notes of an account, as far as the server tells them. */
export const useAccountFacts = (requests: Requests, session: Session, account: MailAccount): AccountFacts => {
  const { id: accountId, hasVacationResponse, forwardingRights } = account;
  const hasForwarding = forwardingRights !== undefined;
  const [addresses, setAddresses] = useState<readonly string[]>([session.username]);
  const [storage, setStorage] = useState<Quota | undefined>();
  // By account: the answer for an account that was shown before can come late.
  const [allNotes, setNotes] = useState<Readonly<Record<Id, AccountNotes>>>({});
  const changeNotes = useCallback((id: Id, changed: AccountNotes) => setNotes((before) => ({ ...before, [id]: { ...before[id], ...changed } })), []);
  useEffect(() => {
    const read = async <T>(needed: string, name: string, properties?: readonly (keyof T)[]): Promise<readonly T[]> => {
      if (!(needed in session.capabilities)) return [];
      // Nothing depends on them: without an answer the page is as it was.
      const answer = await requests.call<GetResponse<T>>(name, { accountId, ids: null, ...(properties && { properties }) }).result.catch(() => undefined);
      return answer?.list ?? [];
    };
    void read<Identity>(capability.submission, 'Identity/get').then((list) => setAddresses([session.username, ...list.map(({ email }) => email)]));
    void read<Quota>(capability.quota, 'Quota/get').then((list) =>
      setStorage(list.find(({ scope, resourceType, hardLimit }) => scope === 'account' && resourceType === 'octets' && hardLimit > 0)),
    );
    if (hasForwarding) void read<Forwarding>(capability.forwarding, 'Forwarding/get').then(([forwarding]) => changeNotes(accountId, { forwarding }));
    if (hasVacationResponse) {
      void read<VacationResponse>(capability.vacationResponse, 'VacationResponse/get', ['isEnabled', 'fromDate', 'toDate']).then(([vacation]) =>
        changeNotes(accountId, { vacation }),
      );
    }
  }, [requests, session, accountId, hasForwarding, hasVacationResponse, changeNotes]);
  const notes = allNotes[accountId] ?? noNotes;
  return useMemo(() => {
    const own = new Set(addresses.map((address) => address.toLowerCase()));
    return { storage, notes, changeNotes, isOwn: (address) => own.has(address.toLowerCase()) };
  }, [addresses, storage, notes, changeNotes]);
};
