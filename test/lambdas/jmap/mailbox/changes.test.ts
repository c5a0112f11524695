import { jmapDeployment } from '../jmap-deployment.ts';

describe('Mailbox/changes', () => {
  // @requirement 8621 §2.2 mailbox-updated-properties
  test('returns updatedProperties when only counters changed', async () => {
    const deployment = await jmapDeployment();
    const { inbox } = await deployment.roles();
    const { state } = await deployment.call('Mailbox/get', { ids: [] });
    await deployment.deliver();
    expect(await deployment.call('Mailbox/changes', { sinceState: state })).toMatchObject({
      oldState: state,
      created: [],
      updated: [inbox],
      destroyed: [],
      hasMoreChanges: false,
      updatedProperties: ['totalEmails', 'unreadEmails', 'totalThreads', 'unreadThreads'],
    });
  });

  test('returns null as updatedProperties when other properties changed too', async () => {
    const deployment = await jmapDeployment();
    const { inbox, sent } = await deployment.roles();
    const { state } = await deployment.call('Mailbox/get', { ids: [] });
    await deployment.deliver();
    await deployment.call('Mailbox/set', { update: { [sent!]: { name: 'Gone out' } } });
    const changes = await deployment.call('Mailbox/changes', { sinceState: state });
    expect(changes).toMatchObject({ created: [], destroyed: [], updatedProperties: null });
    expect(new Set(changes['updated'])).toEqual(new Set([inbox, sent]));
  });
});
