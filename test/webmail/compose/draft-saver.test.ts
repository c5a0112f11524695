import { setImmediate } from 'node:timers/promises';
import { createDraftSaver, type SaveState } from '../../../webmail/compose/draft-saver.ts';
import { jmapDeploymentPerTest } from '../../lambdas/jmap/jmap-deployment.ts';
import { aDraft, composeClient } from './compose-client.ts';

const deployment = jmapDeploymentPerTest();

const start = async () => {
  const client = await composeClient(deployment);
  const states: SaveState[] = [];
  let names = 0;
  const dependencies = { ...client, newMessageId: () => `other${++names}@example.test`, onState: (state: SaveState) => states.push(state) };
  /** Drafts at the server: subject, text and Message-ID. */
  const drafts = async () => {
    const { ids } = await deployment.call('Email/query', { filter: { inMailbox: client.draftsId } });
    const { list } = await deployment.call('Email/get', { ids, properties: ['preview', 'messageId'] });
    return (list as { preview: string; messageId: string[] }[])
      .map(({ preview, messageId }) => [preview, ...messageId])
      .toSorted(([one = ''], [other = '']) => one.localeCompare(other));
  };
  return { ...client, dependencies, states, drafts, saver: createDraftSaver(dependencies) };
};

/** Milliseconds are turns of the event loop here. */
const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await setImmediate();
};
const sets = (sent: readonly string[]): number => sent.filter((body) => body.includes('Email/set')).length;

test('what is written again and again is one draft in the end, saved as it was written last', async () => {
  const { saver, drafts, states } = await start();
  for (let count = 1; count <= 20; count += 1) {
    saver.update({ ...aDraft, text: `Version ${count}` });
    await turns(count % 7);
  }
  await saver.flush();
  expect(await drafts()).toEqual([['Version 20', aDraft.messageId]]);
  expect(states.at(-1)).toEqual({ kind: 'saved' });
});

test('waits two seconds between two saves, however much is written', async () => {
  const client = await start();
  const waits: number[] = [];
  const { promise: paused, resolve: resume } = Promise.withResolvers<void>();
  const saver = createDraftSaver({
    ...client.dependencies,
    wait: async (milliseconds) => {
      waits.push(milliseconds);
      if (waits.length === 2) await paused;
    },
  });
  saver.update(aDraft);
  while (sets(client.network.sent) === 0) await setImmediate();
  for (let count = 0; count < 50; count += 1) saver.update({ ...aDraft, text: `Version ${count}` });
  while (waits.length < 2) await setImmediate();
  await turns(50);
  expect(sets(client.network.sent)).toBe(1);
  expect(waits.length).toBe(2);
  resume();
  await saver.flush();
  expect([sets(client.network.sent), await client.drafts()]).toEqual([2, [['Version 49', aDraft.messageId]]]);
});

test.each(['lost request', 'lost response'] as const)('a draft is there once after each second save has a %s', async (fault) => {
  const { saver, network, drafts } = await start();
  let count = 0;
  network.fault = (body) => (body.includes('Email/set') && count++ % 2 === 0 ? fault : undefined);
  for (let version = 1; version <= 6; version += 1) {
    saver.update({ ...aDraft, text: `Version ${version}` });
    await turns(40);
  }
  network.fault = undefined;
  await saver.flush();
  expect(await drafts()).toEqual([['Version 6', aDraft.messageId]]);
});

test('a refused draft is not sent again until something else is written, and what was saved before is kept', async () => {
  const { saver, network, drafts, states } = await start();
  saver.update(aDraft);
  await saver.flush();
  const wrong = { ...aDraft, to: [{ name: null, email: 'a\r\nb: c' }], text: 'Two' };
  saver.update(wrong);
  await expect(saver.flush()).rejects.toThrow(/./);
  expect(await drafts()).toEqual([['One', aDraft.messageId]]);
  expect(states.at(-1)?.kind).toBe('failed');
  const before = network.sent.length;
  await turns(200);
  expect(network.sent.length - before).toBeLessThanOrEqual(3);
  saver.update({ ...wrong, to: [], text: 'Three' });
  await saver.flush();
  expect(await drafts()).toEqual([['Three', aDraft.messageId]]);
});

test('a draft that was saved elsewhere meanwhile is told, and both are kept', async () => {
  const { saver, dependencies, drafts, states } = await start();
  saver.update({ ...aDraft, text: 'Mine' });
  const saved = (await saver.flush())!;
  const other = createDraftSaver({ ...dependencies, onState: () => undefined }, saved);
  other.update({ ...saved.draft, text: 'Theirs' });
  await other.flush();
  saver.update({ ...aDraft, text: 'Mine again' });
  await saver.flush();
  expect(states.some(({ kind }) => kind === 'elsewhere')).toBe(true);
  expect((await drafts()).map(([text]) => text)).toEqual(['Mine again', 'Theirs']);
  other.update({ ...saved.draft, text: 'Theirs again' });
  saver.update({ ...aDraft, text: 'Mine in the end' });
  await Promise.all([other.flush(), saver.flush()]);
  expect(new Set(await drafts())).toEqual(
    new Set([
      ['Mine in the end', 'other1@example.test'],
      ['Theirs again', aDraft.messageId],
    ]),
  );
});

test('nothing is left of a draft that is discarded, also when its last response was lost', async () => {
  const { saver, network, drafts } = await start();
  saver.update(aDraft);
  await saver.flush();
  network.fault = (body) => (body.includes('Email/set') ? 'lost response' : undefined);
  saver.update({ ...aDraft, text: 'Two' });
  await turns(10);
  network.fault = undefined;
  await saver.discard();
  expect(await drafts()).toEqual([]);
  saver.update({ ...aDraft, text: 'Three' });
  await turns(50);
  expect(await drafts()).toEqual([]);
});
