import { useEffect, useMemo, useState } from 'react';
import { capability } from '../../contract/jmap/core.ts';
import type { Requests } from '../jmap/requests.ts';
import type { GetResponse, Id, Identity, Quota, Session } from '../jmap/types.ts';

export type AccountFacts = { readonly isOwn: (address: string) => boolean; readonly storage: Quota | undefined };

/** Reads the addresses and the storage of an account, as far as the server tells them. */
export const useAccountFacts = (requests: Requests, session: Session, accountId: Id): AccountFacts => {
  const [addresses, setAddresses] = useState<readonly string[]>([session.username]);
  const [storage, setStorage] = useState<Quota | undefined>();
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
  }, [requests, session, accountId]);
  return useMemo(() => {
    const own = new Set(addresses.map((address) => address.toLowerCase()));
    return { storage, isOwn: (address) => own.has(address.toLowerCase()) };
  }, [addresses, storage]);
};
