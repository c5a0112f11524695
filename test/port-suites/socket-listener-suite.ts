import { setNotifiedUpTo } from '../../core/push/listeners/listener-record.ts';
import { findListeners } from '../../core/push/listeners/listeners.ts';
import { socketListenerKey, type SocketSubscription, type SocketListener } from '../../core/push/listeners/socket-listener.ts';
import { addSocketSubscription, disableSocketPush, enableSocketPush, removeSocketSubscription } from '../../core/push/web-socket/socket-listener-changes.ts';
import { webSocketConnectionsIn, removeWebSocketConnection } from '../../core/push/web-socket/web-socket-connections.ts';
import type { Table } from '../../core/storage/table.ts';
import { perTest } from '../support/per-test.ts';

/** The specification of socket listeners, for any table. @param makeTable creates an empty table at each call. */
export const socketListenerSuite = (makeTable: () => Promise<Table> | Table): void => {
  const connected = { connectionId: 'c1', principalId: 'alice', authenticatedAt: 1_700_000_000, openedAt: 1, expiresAt: 1_800_000_000 };
  const subscription = (id: string, more: Partial<SocketSubscription> = {}): SocketSubscription => ({ id, accountId: 'acc_a', types: ['Email'], ...more });
  const stored = async (): Promise<SocketListener | undefined> => (await findListeners(table, 'alice')).sockets[0];
  const ids = async () => (await stored())?.subscriptions.map(({ id }) => id).toSorted();
  const table = perTest(() => makeTable());
  const connections = perTest(() => webSocketConnectionsIn(table));
  beforeEach(async () => {
    await connections.put({ ...connected, isMachine: false, scopes: [] });
  });

  describe('push to a socket listener', () => {
    it('is enabled with types and notifiedUpTo, and expires with its connection', async () => {
      expect(await enableSocketPush(table, connected, ['Email'], new Map([['acc_a', 7]]))).toBe(true);
      expect(await stored()).toEqual({ ...connected, dataTypes: ['Email'], subscriptions: [], notifiedUpTo: new Map([['acc_a', 7]]) });
      expect(await enableSocketPush(table, connected, null, new Map())).toBe(true);
      expect(await stored()).toMatchObject({ dataTypes: null, notifiedUpTo: new Map() });
    });

    it('is not enabled on a closed connection, and nothing is stored', async () => {
      await connections.remove('c1');
      expect(await enableSocketPush(table, connected, null, new Map())).toBe(false);
      expect(await addSocketSubscription(table, connected, subscription('s'))).toBe('closed');
      await setNotifiedUpTo(table, socketListenerKey(connected), new Map([['acc_a', 7]]));
      await disableSocketPush(table, connected);
      expect(await stored()).toBeUndefined();
    });

    it('is disabled, also when it was not enabled; subscriptions stay', async () => {
      await disableSocketPush(table, connected);
      expect(await stored()).toEqual({ ...connected, subscriptions: [], notifiedUpTo: new Map() });
      await addSocketSubscription(table, connected, subscription('s'));
      await enableSocketPush(table, connected, null, new Map());
      await disableSocketPush(table, connected);
      expect(await stored()).toMatchObject({ subscriptions: [subscription('s')] });
      expect(await stored()).not.toHaveProperty('dataTypes');
    });

    it('stores notifiedUpTo, with push enabled or with subscriptions only', async () => {
      await addSocketSubscription(table, connected, subscription('s'));
      await setNotifiedUpTo(table, socketListenerKey(connected), new Map([['acc_a', 7]]));
      expect(await stored()).toMatchObject({ notifiedUpTo: new Map([['acc_a', 7]]), subscriptions: [subscription('s')] });
      await enableSocketPush(table, connected, null, new Map([['acc_a', 8]]));
      await setNotifiedUpTo(
        table,
        socketListenerKey(connected),
        new Map([
          ['acc_a', 9],
          ['acc_b', 1],
        ]),
      );
      expect(await stored()).toMatchObject({
        notifiedUpTo: new Map([
          ['acc_a', 9],
          ['acc_b', 1],
        ]),
        dataTypes: null,
      });
    });

    it('is removed with its connection', async () => {
      await enableSocketPush(table, connected, null, new Map());
      await connections.remove('c1');
      expect([await stored(), await connections.find('c1')]).toEqual([undefined, undefined]);
      await connections.put({ ...connected, isMachine: false, scopes: [] });
      await addSocketSubscription(table, connected, subscription('s'));
      await removeWebSocketConnection(table, connected);
      await removeWebSocketConnection(table, connected);
      expect([await stored(), await connections.find('c1')]).toEqual([undefined, undefined]);
    });

    it('never outlives its connection, for any concurrent calls', async () => {
      for (let round = 0; round < 10; round++) {
        await connections.put({ ...connected, isMachine: false, scopes: [] });
        await Promise.all([
          enableSocketPush(table, connected, null, new Map()),
          addSocketSubscription(table, connected, subscription('s')),
          connections.remove('c1'),
        ]);
        expect(await stored()).toBeUndefined();
      }
    });
  });

  describe('subscriptions of a socket listener', () => {
    it('are added, replaced by id and removed', async () => {
      expect(await addSocketSubscription(table, connected, subscription('a'))).toBe('done');
      expect(await addSocketSubscription(table, connected, subscription('b'))).toBe('done');
      expect(await addSocketSubscription(table, connected, subscription('a', { types: ['Mailbox'] }))).toBe('done');
      expect((await stored())!.subscriptions).toEqual([subscription('b'), subscription('a', { types: ['Mailbox'] })]);
      expect(await removeSocketSubscription(table, connected, 'a')).toBe('done');
      expect(await removeSocketSubscription(table, connected, 'unheard of')).toBe('done');
      expect(await ids()).toEqual(['b']);
    });

    it('are independent of push by StateChange', async () => {
      await enableSocketPush(table, connected, ['Email'], new Map([['acc_a', 3]]));
      await addSocketSubscription(table, connected, subscription('a'));
      await enableSocketPush(table, connected, null, new Map([['acc_a', 4]]));
      expect(await stored()).toMatchObject({ dataTypes: null, notifiedUpTo: new Map([['acc_a', 4]]), subscriptions: [subscription('a')] });
    });

    it('are ten at most, also of twelve at once; no confirmed one is lost', async () => {
      const outcomes = await Promise.all(Array.from({ length: 12 }, (_, index) => addSocketSubscription(table, connected, subscription(`s${index}`))));
      expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(10);
      expect(await ids()).toEqual(outcomes.flatMap((outcome, index) => (outcome === 'done' ? [`s${index}`] : [])).toSorted());
      expect(await addSocketSubscription(table, connected, subscription('another'))).toBe('tooMany');
      expect(await addSocketSubscription(table, connected, subscription((await ids())![0]!, { types: ['Thread'] }))).toBe('done');
      await removeSocketSubscription(table, connected, (await ids())![0]!);
      expect(await addSocketSubscription(table, connected, subscription('another'))).toBe('done');
    });
  });
};
