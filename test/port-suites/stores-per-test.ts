import type { MailStore } from '../../core/mail/mail-store/mail-store.ts';
import { perTest } from '../support/per-test.ts';

/** Makes stores over one empty table. Each store stands for one Lambda. */
export type MakeStores = () => Promise<() => MailStore> | (() => MailStore);

/** For each test, a `store` with the account `acc_1`. `another` creates a further store over the same table. */
export const storesPerTest = (makeStores: MakeStores): { readonly another: () => MailStore; readonly store: MailStore } => {
  const stores = perTest(async () => ({ make: await makeStores() }));
  const store = perTest(async () => {
    const first = stores.make();
    await first.createAccount('acc_1');
    return first;
  });
  return { another: () => stores.make(), store };
};
