import { addressesIn } from '../../../core/directory/aliases/addresses.ts';
import { memoryTable } from '../../fakes/memory-table.ts';
import { adminApi, type AdminResponse } from '../../support/admin-api.ts';
import { createAccount, createDomain, createUser } from '../../support/admin-resources.ts';
import { beforeNextWrite } from '../../support/before-next-write.ts';

const at = (local_part: string): string => `${local_part}@example.test`;

/** A deployment in which Bob has the account bob@example.test. */
const start = async () => {
  const [directory, mail] = [memoryTable(), memoryTable()];
  const api = await adminApi({ directory, mail });
  const domain_id = await createDomain(api, { receive_enabled: true });
  const [bob, carol] = [await createUser(api, 'bob@elsewhere.test'), await createUser(api, 'carol@elsewhere.test')];
  const { account_id } = await createAccount(api, { domain_id, user_id: bob.user_id, local_part: 'bob' });
  return { api, directory, mail, domain_id, bob, carol, account_id };
};
type Deployment = Awaited<ReturnType<typeof start>>;

/** The calls by which Bob gets ada@example.test, and how somebody else gets a sign-in address before. */
const ways: {
  readonly [method: string]: {
    /** The table whose transaction has the address. */
    readonly writes: 'directory' | 'mail';
    readonly prepare?: (deployment: Deployment) => Promise<void>;
    readonly signInWith: (deployment: Deployment, email: string) => Promise<AdminResponse>;
    readonly call: (deployment: Deployment) => Promise<AdminResponse>;
  };
} = {
  CreateAccount: {
    writes: 'mail',
    signInWith: ({ api }, email) => api.call('/users/CreateUser', { email }),
    call: ({ api, bob, domain_id }) => api.call('/accounts/CreateAccount', { user_id: bob.user_id, name: 'Ada', local_part: 'ada', domain_id }),
  },
  CreateAlias: {
    writes: 'directory',
    signInWith: ({ api }, email) => api.call('/users/CreateUser', { email }),
    call: ({ api, account_id, domain_id }) => api.call('/aliases/CreateAlias', { account_id, local_part: 'ada', domain_id }),
  },
  MoveAlias: {
    writes: 'directory',
    async prepare({ api, domain_id, carol }) {
      const { account_id } = await createAccount(api, { domain_id, user_id: carol.user_id, local_part: 'carol' });
      await api.ok('/aliases/CreateAlias', { account_id, local_part: 'ada', domain_id });
    },
    // Only who has the alias may sign in with it.
    signInWith: ({ api, carol }, email) => api.call('/users/ChangeSignInAddress', { user_id: carol.user_id, email }),
    call: async ({ api, account_id }) =>
      api.call('/aliases/MoveAlias', { alias_id: (await api.directory.get({ pk: 'address', sk: at('ada') }))!['alias_id'], account_id }),
  },
};

/** Whether Bob's account receives what is sent to the address. */
const bobReceives = async ({ api, bob }: Deployment, address: string): Promise<boolean> => {
  const accountId = (await addressesIn(api.directory).resolve([address])).get(address)?.accountId;
  return accountId !== undefined && (await api.directory.get({ pk: 'account', sk: accountId }))!['owner_id'] === bob.user_id;
};

describe.each(Object.entries(ways))('%s', (_method, { writes, prepare, signInWith, call }) => {
  test.each(['ada', 'ada+letters', 'ada+letters+old'])(
    'refuses an address that receives the mail to %s@, with which another user signs in',
    async (localPart) => {
      const deployment = await start();
      await prepare?.(deployment);
      expect(await signInWith(deployment, at(localPart))).toMatchObject({ status: 200 });
      expect(await call(deployment)).toMatchObject({
        status: 409,
        body: { code: 'already_exists', message: expect.stringContaining('sign-in address') as string },
      });
      expect(await bobReceives(deployment, at(localPart))).toBe(false);
    },
  );

  test('succeeds beside sign-in addresses of others that it does not receive', async () => {
    const deployment = await start();
    await prepare?.(deployment);
    for (const email of [at('adam+letters'), at('ad+a'), 'ada+letters@elsewhere.test']) await createUser(deployment.api, email);
    expect(await call(deployment)).toMatchObject({ status: 200 });
  });

  test('never receives the mail to a sign-in address that another user gets at the same time', async () => {
    const deployment = await start();
    await prepare?.(deployment);
    const { first } = beforeNextWrite({ mail: deployment[writes] }, () => signInWith(deployment, at('ada+letters')));
    const { status } = await call(deployment);
    expect([(await first).status, status]).toEqual([200, 409]);
    expect(await bobReceives(deployment, at('ada+letters'))).toBe(false);
  });
});

test.each(['CreateAccount', 'CreateAlias'])('%s succeeds with the address without detail for who signs in with the detail', async (method) => {
  const deployment = await start();
  await deployment.api.ok('/users/ChangeSignInAddress', { user_id: deployment.bob.user_id, email: at('ada+letters') });
  expect(await ways[method]!.call(deployment)).toMatchObject({ status: 200 });
  expect(await bobReceives(deployment, at('ada+letters'))).toBe(true);
});
