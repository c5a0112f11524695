import { isStoredSignIn, type TokenStore } from '../../site/sign-in/token-store.ts';

const databaseName = 'webmail';
const storeName = 'sign-in';
const key = 'current';
const sharedKey = 'webmail.shared';
const tabKey = 'webmail.sign-in';

const settled = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('the browser stores nothing')));
  });

const openDatabase = (): Promise<IDBDatabase> => {
  const request = indexedDB.open(databaseName, 1);
  request.addEventListener('upgradeneeded', () => request.result.createObjectStore(storeName));
  return settled(request);
};

const inDatabase = async <T>(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> => {
  const database = await openDatabase();
  try {
    return await settled(act(database.transaction(storeName, mode).objectStore(storeName)));
  } finally {
    database.close();
  }
};

/** Whether the person said in this tab that the computer is shared. */
export const isSharedComputer = (): boolean => sessionStorage.getItem(sharedKey) !== null;

export const setSharedComputer = (isShared: boolean): void => {
  if (isShared) sessionStorage.setItem(sharedKey, 'yes');
  else sessionStorage.removeItem(sharedKey);
};

const clearStorage = (): void => {
  sessionStorage.clear();
  localStorage.clear();
};

/**
 * Keeps the refresh token: in IndexedDB, so that it outlives the tab, or on a shared computer in sessionStorage, for the
 * tab alone. The access token is in memory only.
 */
export const tokenStore: TokenStore = {
  async read() {
    const inTab = sessionStorage.getItem(tabKey);
    const found: unknown = isSharedComputer()
      ? inTab && JSON.parse(inTab)
      : await inDatabase<unknown>('readonly', (store) => store.get(key) as IDBRequest<unknown>);
    return isStoredSignIn(found) ? found : undefined;
  },
  async write(signIn) {
    if (isSharedComputer()) sessionStorage.setItem(tabKey, JSON.stringify(signIn));
    else await inDatabase('readwrite', (store) => store.put(signIn, key));
  },
  async wipe() {
    clearStorage();
    const names = (await caches?.keys().catch(() => [])) ?? [];
    await Promise.all(names.map((name) => caches.delete(name)));
    await settled(indexedDB.deleteDatabase(databaseName));
    // A page that is about to be left may have kept something meanwhile.
    clearStorage();
  },
};
