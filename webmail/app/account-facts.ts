import { useEffect, useMemo, useState } from 'react';
import { capability } from '../../contract/jmap/core.ts';
import type { Requests } from '../jmap/requests.ts';
import type { Forwarding, GetResponse, Id, Identity, Quota, Session } from '../jmap/types.ts';

export type AccountFacts = {
  readonly isOwn: (address: string) => boolean;
  readonly storage: Quota | undefined;
  /** Where the account forwards its mail. Undefined while it is not known, and where the server tells nothing of it. */
  readonly forwarding: Forwarding | undefined;
};

/** Reads the addresses, the storage and the forwarding of an account, as far as the server tells them. */
export const useAccountFacts = (requests: Requests, session: Session, accountId: Id): AccountFacts => {
  const [addresses, setAddresses] = useState<readonly string[]>([session.username]);
  const [storage, setStorage] = useState<Quota | undefined>();
  const [found, setFound] = useState<{ readonly of: Id; readonly forwarding: Forwarding | undefined } | undefined>();
  useEffect(() => {
    const read = async <T>(needed: string, name: string): Promise<readonly T[]> => {
      if (!(needed in session.capabilities)) return [];
      // Nothing depends on them: without an answer the page is as it was.
      const answer = await requests.call<GetResponse<T>>(name, { accountId, ids: null }).result.catch(() => undefined);
      return answer?.list ?? [];
    };
    void read<Identity>(capability.submission, 'Identity/get').then((list) => setAddresses([session.username, ...list.map(({ email }) => email)]));
    void read<Quota>(capability.quota, 'Quota/get').then((list) =>
      setStorage(list.find(({ scope, resourceType, hardLimit }) => scope === 'account' && resourceType === 'octets' && hardLimit > 0)),
    );
    if (capability.forwarding in (session.accounts[accountId]?.accountCapabilities ?? {}))
      void read<Forwarding>(capability.forwarding, 'Forwarding/get').then(([forwarding]) => setFound({ of: accountId, forwarding }));
  }, [requests, session, accountId]);
  // The answer for an account that was shown before can come late.
  const forwarding = found?.of === accountId ? found.forwarding : undefined;
  return useMemo(() => {
    const own = new Set(addresses.map((address) => address.toLowerCase()));
    return { storage, forwarding, isOwn: (address) => own.has(address.toLowerCase()) };
  }, [addresses, storage, forwarding]);
};
