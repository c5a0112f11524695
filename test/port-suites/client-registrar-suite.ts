import { createHash } from 'node:crypto';
import type { ClientRegistrar } from '../../core/aws/cognito-client-registrar.ts';

const fingerprint = (of: string): string => createHash('sha256').update(of).digest('hex');

/** The specification of {@link ClientRegistrar}, which every adapter passes. */
export const clientRegistrarSuite = (start: () => Promise<{ registrar: ClientRegistrar }>): void => {
  let registrar: ClientRegistrar;
  beforeAll(async () => {
    ({ registrar } = await start());
  });

  const idsOf = async (wanted: string) =>
    (await registrar.list())
      .filter((app) => app.fingerprint === wanted)
      .map(({ clientId }) => clientId)
      .sort();

  test('list returns a created client with its fingerprint', async () => {
    const clientId = await registrar.create(fingerprint('one'), ['http://127.0.0.1:51234/callback', 'com.example.mail:/callback']);
    expect(clientId).toMatch(/^\w{10,}$/);
    expect(await idsOf(fingerprint('one'))).toEqual([clientId]);
  });

  test('create permits two clients with one fingerprint', async () => {
    const created = [await registrar.create(fingerprint('twin'), ['myapp://callback']), await registrar.create(fingerprint('twin'), ['myapp://callback'])];
    expect(await idsOf(fingerprint('twin'))).toEqual(created.sort());
  });

  test('list returns every client once over several pages', async () => {
    const wanted = new Set<string>();
    for (let count = 0; count < 125; count++) wanted.add(await registrar.create(fingerprint('many'), ['http://localhost/']));
    expect(new Set(await idsOf(fingerprint('many')))).toEqual(wanted);
    expect(await idsOf(fingerprint('many'))).toHaveLength(125);
  });

  test('count includes every client that exists', async () => {
    const before = await registrar.count();
    const clientId = await registrar.create(fingerprint('counted'), ['http://localhost/']);
    expect(await registrar.count()).toBe(before + 1);
    await registrar.remove(clientId);
    expect(await registrar.count()).toBe(before);
  });

  test('update keeps a client, and ignores an unknown one', async () => {
    const clientId = await registrar.create(fingerprint('updated'), ['http://localhost/']);
    await registrar.update(clientId, fingerprint('updated'), ['http://localhost/']);
    expect(await idsOf(fingerprint('updated'))).toEqual([clientId]);
    await registrar.remove(clientId);
    await registrar.update(clientId, fingerprint('updated'), ['http://localhost/']);
    expect(await idsOf(fingerprint('updated'))).toEqual([]);
  });

  test('remove deletes a client, and ignores an unknown one', async () => {
    const clientId = await registrar.create(fingerprint('gone'), ['http://[::1]/']);
    await registrar.remove(clientId);
    await registrar.remove(clientId);
    expect(await idsOf(fingerprint('gone'))).toEqual([]);
  });
};
