import { randomUUID } from 'node:crypto';
import { accessTokenOf, adminMachineToken } from './access-tokens.ts';
import { ok } from './admin-calls.ts';
import { describeWith } from './deployment.ts';
import { invokeLambda } from './invoke-lambda.ts';
import { jmapClient, type JmapClient } from './jmap-client.ts';
import { announcesState, closeAllSockets, openSocket } from './websocket-push-client.ts';

type Identity = { readonly id: string; readonly email: string; readonly name: string; readonly textSignature: string };

const domain = `identities-${randomUUID().slice(0, 8)}.test`;

describeWith('users', 'adminHeadless')('Identities', () => {
  let admin: string;
  let alice: JmapClient;
  let domain_id: string;
  beforeAll(async () => {
    [admin, alice] = [await adminMachineToken(), await jmapClient(await accessTokenOf('alice'))];
    domain_id = (await ok<{ domain: { id: string } }>(admin, 'domains/AddDomain', { domain })).domain.id;
  });
  afterAll(async () => {
    closeAllSockets();
    await ok(admin, 'domains/RemoveDomain', { id: domain_id });
  });

  /** Reads the Identities at the test's domain. */
  const get = async (): Promise<{ readonly state: string; readonly list: readonly Identity[] }> => {
    const [response] = await alice.call(['Identity/get', { ids: null }]);
    const { state, list } = response as unknown as { state: string; list: Identity[] };
    return { state, list: list.filter(({ email }) => email.endsWith(`@${domain}`)) };
  };

  test('of a new alias is pushed, got and set; it is hidden with the domain, and destroyed with the alias', async () => {
    const socket = await openSocket(await accessTokenOf('alice'));
    await socket.enable();
    const {
      alias: { alias_id },
    } = await ok<{ alias: { alias_id: string } }>(admin, 'aliases/CreateAlias', {
      account_id: alice.accountId,
      local_part: 'sales',
      domain_id,
      can_send_from: true,
      name: 'Sales',
    });
    const created = await get();
    expect(created.list).toMatchObject([{ id: alias_id, email: `sales@${domain}`, name: 'Sales' }]);
    await socket.receive(announcesState(alice.accountId, 'Identity', created.state));

    await alice.call(['Identity/set', { update: { [alias_id]: { textSignature: 'Sales' } } }]);
    await ok(admin, 'domains/UpdateDomain', { id: domain_id, send_enabled: false });
    const hidden = await get();
    expect(hidden.list).toEqual([]);
    await socket.receive(announcesState(alice.accountId, 'Identity', hidden.state));
    await ok(admin, 'domains/UpdateDomain', { id: domain_id, send_enabled: true });
    await ok(admin, 'aliases/UpdateAlias', { alias_id, name: 'Shop' });
    expect((await get()).list).toMatchObject([{ id: alias_id, name: 'Shop', textSignature: 'Sales' }]);

    await ok(admin, 'aliases/DeleteAlias', { alias_id });
    const gone = await get();
    expect(gone.list).toEqual([]);
    await socket.receive(announcesState(alice.accountId, 'Identity', gone.state));
  });
});

describeWith('emulator', 'users')('the Lambda that brings Identities in step', () => {
  test('runs without an error', async () => {
    await invokeLambda('identity-sync');
  });
});
